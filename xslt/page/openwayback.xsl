<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Captures as OpenWayback's RemoteCollection reads them: those of a URL, or URLs with how many captures each has. @closest
     and seconds are times in seconds since 1970. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="xml" indent="no"/>
  <xsl:key name="by-url" match="capture" use="urlkey"/>
  <xsl:variable name="asked" select="/captures"/>
  <xsl:variable name="urls" select="starts-with($asked/@type, 'prefixquery')"/>
  <xsl:variable name="first-of-urls" select="$asked/capture[$urls][not(urlkey = preceding-sibling::capture[1]/urlkey)]"/>
  <xsl:variable name="asked-for" select="$first-of-urls[position() &gt; $asked/@first and position() &lt;= $asked/@first + $asked/@requested]"/>
  <xsl:variable name="closest">
    <xsl:for-each select="$asked/capture[$asked/@closest != '']">
      <xsl:sort select="(seconds - $asked/@closest) * (1 - 2 * (seconds &lt; $asked/@closest))" data-type="number"/>
      <xsl:if test="position() = 1"><xsl:value-of select="generate-id()"/></xsl:if>
    </xsl:for-each>
  </xsl:variable>

  <xsl:template match="captures[not(capture)]">
    <wayback><error><title>Resource Not In Archive</title><message>The Resource you requested is not in this archive.</message></error></wayback>
  </xsl:template>

  <xsl:template match="captures">
    <wayback>
      <results>
        <xsl:if test="$urls"><xsl:apply-templates select="$asked-for" mode="url"/></xsl:if>
        <xsl:if test="not($urls)"><xsl:apply-templates select="capture"/></xsl:if>
      </results>
      <request>
        <startdate>19960101000000</startdate>
        <enddate><xsl:value-of select="capture[last()]/timestamp"/></enddate>
        <type><xsl:value-of select="@type"/></type>
        <firstreturned><xsl:value-of select="@first"/></firstreturned>
        <url><xsl:value-of select="@url"/></url>
        <resultsrequested><xsl:value-of select="@requested"/></resultsrequested>
        <resultstype>resultstype<xsl:choose><xsl:when test="$urls">url</xsl:when><xsl:otherwise>capture</xsl:otherwise></xsl:choose></resultstype>
        <xsl:choose>
          <xsl:when test="$urls">
            <numreturned><xsl:value-of select="count($asked-for)"/></numreturned>
            <numresults><xsl:value-of select="count($first-of-urls)"/></numresults>
          </xsl:when>
          <xsl:otherwise>
            <numreturned><xsl:value-of select="count(capture)"/></numreturned>
            <numresults><xsl:value-of select="@first + count(capture)"/></numresults>
          </xsl:otherwise>
        </xsl:choose>
      </request>
    </wayback>
  </xsl:template>

  <xsl:template match="capture">
    <result>
      <compressedoffset><xsl:value-of select="offset"/></compressedoffset>
      <mimetype><xsl:value-of select="mimetype"/></mimetype>
      <file><xsl:value-of select="filename"/></file>
      <redirecturl><xsl:value-of select="redirect"/></redirecturl>
      <urlkey><xsl:value-of select="urlkey"/></urlkey>
      <digest><xsl:value-of select="digest"/></digest>
      <robotflags><xsl:value-of select="robotflags"/></robotflags>
      <url><xsl:value-of select="original"/></url>
      <xsl:if test="length != '-'"><compressedendoffset><xsl:value-of select="length"/></compressedendoffset></xsl:if>
      <httpresponsecode><xsl:value-of select="statuscode"/></httpresponsecode>
      <capturedate><xsl:value-of select="timestamp"/></capturedate>
      <xsl:if test="generate-id() = $closest"><closest>true</closest></xsl:if>
    </result>
  </xsl:template>

  <xsl:template match="capture" mode="url">
    <xsl:variable name="captures" select="key('by-url', urlkey)"/>
    <result>
      <urlkey><xsl:value-of select="urlkey"/></urlkey>
      <originalurl><xsl:value-of select="$captures[last()]/original"/></originalurl>
      <numversions><xsl:value-of select="count($captures[position() = 1 or digest != preceding-sibling::capture[1]/digest])"/></numversions>
      <numcaptures><xsl:value-of select="count($captures)"/></numcaptures>
      <firstcapturets><xsl:value-of select="timestamp"/></firstcapturets>
      <lastcapturets><xsl:value-of select="$captures[last()]/timestamp"/></lastcapturets>
    </result>
  </xsl:template>
</xsl:stylesheet>
