<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- A citation as text by ISO 690:2021, with names and dates as references to online sources have them. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="p">
  <!-- The text with a full stop behind it, unless it ends in something like one. -->
  <xsl:template name="sentence">
    <xsl:param name="text"/>
    <xsl:value-of select="$text"/>
    <xsl:if test="translate(substring($text, string-length($text)), '.?!', '') != ''">.</xsl:if>
    <xsl:text> </xsl:text>
  </xsl:template>

  <!-- "Smith, Jane; Doe, John and Roe, Richard. "; of more than three the first one and "et al." -->
  <xsl:template name="names">
    <xsl:variable name="few" select="count(creator) &lt;= 3"/>
    <xsl:for-each select="creator[position() = 1 or $few]">
      <xsl:variable name="sentence"><xsl:call-template name="sentence"><xsl:with-param name="text" select="concat(., substring(' et al.', 1, 7 * not($few)))"/></xsl:call-template></xsl:variable>
      <xsl:choose>
        <xsl:when test="position() = last() and position() &gt; 1"><xsl:value-of select="p:say('cite.and', string($sentence))"/></xsl:when>
        <xsl:when test="position() = last()"><xsl:value-of select="$sentence"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="concat(., substring('; ', 1 + (position() + 1 = last())))"/></xsl:otherwise>
      </xsl:choose>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="citation" mode="iso690">
    <xsl:call-template name="names"/>
    <cite><bdi><xsl:value-of select="title"/></bdi></cite><xsl:choose><xsl:when test="@printed != ''"><xsl:if test="translate(substring(title, string-length(title)), '.?!', '') != ''">.</xsl:if><xsl:text> </xsl:text></xsl:when><xsl:otherwise> [online]. </xsl:otherwise></xsl:choose>
    <xsl:if test="container != ''"><xsl:call-template name="sentence"><xsl:with-param name="text" select="concat('In: ', container)"/></xsl:call-template></xsl:if>
    <xsl:variable name="date"><xsl:choose>
      <xsl:when test="issued/@words"><xsl:value-of select="issued/@words"/></xsl:when>
      <xsl:otherwise><xsl:for-each select="issued/@year | issued/@month | issued/@day"><xsl:value-of select="concat(substring('-', 1, position() &gt; 1), .)"/></xsl:for-each></xsl:otherwise>
    </xsl:choose></xsl:variable>
    <xsl:value-of select="concat(place, substring(': ', 1, 2 * (place != '')), publisher, substring(', ', 1, 2 * (publisher != '' and $date != '')), $date, substring('. ', 1 + (@printed = ''), (1 + (@printed != '')) * (publisher != '' or $date != '')))"/>
    <xsl:if test="@captured != ''"><xsl:value-of select="concat(p:say('cite.archived', string($item/@captured)), ' ')"/></xsl:if>
    <xsl:if test="@printed = ''"><xsl:value-of select="concat(p:say('cite.viewed', substring($item/@viewed, 1, 10)), '. ')"/></xsl:if>
    <xsl:choose>
      <xsl:when test="isbn != ''"><xsl:value-of select="concat('ISBN ', isbn, '. ')"/></xsl:when>
      <xsl:when test="issn != ''"><xsl:value-of select="concat('ISSN ', issn, '. ')"/></xsl:when>
    </xsl:choose>
    <xsl:if test="@captured != ''"><xsl:call-template name="sentence"><xsl:with-param name="text" select="concat('In: ', repository)"/></xsl:call-template></xsl:if>
    <xsl:if test="url != ''"><xsl:value-of select="p:say('cite.from', string(url))"/></xsl:if>
    <xsl:if test="$item/@live != ''"><xsl:value-of select="concat('. ', p:say('cite.original', p:line($item/@live)))"/></xsl:if>
  </xsl:template>
</xsl:stylesheet>
