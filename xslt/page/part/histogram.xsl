<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Records over time: bars, each a link to the list of its records, and the same numbers as a table for readers who cannot use
     a picture. Heights are square roots, so that small bars are visible beside large ones. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:math="http://exslt.org/math"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="math p">
  <!-- A number of records in words, such as "about 3 records". -->
  <xsl:template name="bin-count">
    <xsl:if test="@about"><xsl:value-of select="p:say('about')"/><xsl:text> </xsl:text></xsl:if>
    <xsl:value-of select="p:count('records', @records)"/>
  </xsl:template>

  <xsl:template match="histogram">
    <xsl:variable name="n" select="count(bin)"/>
    <xsl:variable name="width" select="round(96000 div $n) div 100"/>
    <xsl:variable name="most" select="math:sqrt(@most)"/>
    <!-- The records of a bin are at the address of this list with its `from` and `until`. -->
    <xsl:variable name="list"><xsl:call-template name="list-address"><xsl:with-param name="set" select="$page/asked/@set"/><xsl:with-param name="prefix" select="$page/asked/@prefix"/></xsl:call-template></xsl:variable>
    <xsl:variable name="from" select="concat($list, '&amp;from=')"/>
    <section aria-labelledby="over-time">
      <h2 id="over-time"><xsl:value-of select="p:say('histogram')"/></h2>
      <xsl:if test="$n &gt; 1">
        <svg class="histogram" viewBox="0 0 960 214" role="group" aria-labelledby="over-time">
          <xsl:for-each select="bin[@records &gt; 0]">
            <xsl:variable name="x" select="@place * $width"/>
            <xsl:variable name="height" select="round(20 + 1680 * math:sqrt(@records) div $most) div 10"/>
            <xsl:variable name="said"><xsl:value-of select="@label"/>: <xsl:call-template name="bin-count"/></xsl:variable>
            <a href="{$from}{@from}&amp;until={@until}" aria-label="{$said}">
              <rect class="ground" x="{$x}" y="0" width="{$width}" height="172"/>
              <rect class="bar" x="{$x + 1}" y="{172 - $height}" width="{$width - 2}" height="{$height}"/>
              <title><xsl:value-of select="$said"/></title>
            </a>
          </xsl:for-each>
          <path class="axis" d="M0 173H960"/>
          <xsl:for-each select="bin[position() = 1 or position() = last() or position() = round($n div 2)]">
            <text y="180" dominant-baseline="hanging" aria-hidden="true">
              <xsl:attribute name="x"><xsl:choose><xsl:when test="position() = 1">2</xsl:when><xsl:when test="position() = last()">958</xsl:when><xsl:otherwise><xsl:value-of select="@place * $width"/></xsl:otherwise></xsl:choose></xsl:attribute>
              <xsl:if test="position() = last() and position() != 1"><xsl:attribute name="text-anchor">end</xsl:attribute></xsl:if>
              <xsl:value-of select="@label"/>
            </text>
          </xsl:for-each>
        </svg>
      </xsl:if>
      <details>
        <summary><xsl:value-of select="p:say('histogram.table')"/></summary>
        <table>
          <thead><tr><th scope="col"><xsl:value-of select="p:say('from')"/></th><th scope="col"><xsl:value-of select="p:say('records.head')"/></th></tr></thead>
          <tbody>
            <xsl:for-each select="bin[@records &gt; 0]">
              <tr><th scope="row"><a href="{$from}{@from}&amp;until={@until}"><xsl:value-of select="@label"/></a></th>
                <td><xsl:call-template name="bin-count"/></td></tr>
            </xsl:for-each>
          </tbody>
        </table>
      </details>
      <p class="aside">
        <xsl:value-of select="p:say('histogram.what')"/>
        <xsl:if test="bin[@about]"><xsl:text> </xsl:text><xsl:value-of select="p:say('histogram.about')"/></xsl:if>
        <xsl:if test="$page/formats/format[@prefix = $page/asked/@prefix]/@requires != ''"><xsl:text> </xsl:text><xsl:value-of select="p:say('histogram.requires')"/></xsl:if>
      </p>
    </section>
  </xsl:template>
</xsl:stylesheet>
