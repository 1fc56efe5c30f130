<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Records of a list, whatever their format: the title if there is one, the kind if it is known (the style has an icon for
     each), the identifier, the datestamp. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="o p">
  <!-- The first element "title" that has no child elements, or else MARC's 245 $a. -->
  <xsl:template match="o:metadata" mode="title-of">
    <xsl:variable name="title" select="normalize-space(.//*[local-name() = 'title'][not(*)][normalize-space()])"/>
    <xsl:value-of select="$title"/>
    <xsl:if test="$title = ''"><xsl:value-of select="normalize-space(.//*[local-name() = 'datafield'][@tag = '245']/*[@code = 'a'])"/></xsl:if>
  </xsl:template>

  <xsl:template match="o:record" mode="line">
    <xsl:variable name="identifier" select="string(o:header/o:identifier)"/>
    <xsl:variable name="datestamp" select="string(o:header/o:datestamp)"/>
    <xsl:variable name="whole"><xsl:apply-templates select="o:metadata" mode="title-of"/></xsl:variable>
    <xsl:variable name="title" select="concat(substring($whole, 1, 300), substring('…', 1, string-length($whole) &gt; 300))"/>
    <xsl:variable name="kind"><xsl:call-template name="kind"><xsl:with-param name="metadata" select="o:metadata"/></xsl:call-template></xsl:variable>
    <li class="kind-{$kind}">
      <a dir="auto" href="{$root}/{p:record($identifier)}{$only}">
        <xsl:choose>
          <xsl:when test="$title != ''"><xsl:value-of select="$title"/></xsl:when>
          <xsl:otherwise><xsl:value-of select="$identifier"/></xsl:otherwise>
        </xsl:choose>
      </a>
      <xsl:if test="o:header/@status = 'deleted'"><xsl:text> </xsl:text><strong class="deleted"><xsl:value-of select="p:say('deleted')"/></strong></xsl:if>
      <span class="meta">
        <xsl:if test="$kind != 'item'"><xsl:value-of select="p:say(concat('kind.', $kind))"/> · </xsl:if>
        <span dir="ltr"><xsl:value-of select="$identifier"/></span><xsl:text> · </xsl:text>
        <time datetime="{$datestamp}"><xsl:value-of select="p:time($datestamp)"/></time></span>
    </li>
  </xsl:template>
</xsl:stylesheet>
