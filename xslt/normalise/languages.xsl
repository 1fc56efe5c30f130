<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Languages as BCP 47 has them: dc:language and xml:lang. "cze", "ces", "CS", "Czech" become "cs"; "en_us" becomes
     "en-US"; a language without a two-letter code keeps its three. Other values are left unchanged. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <xsl:variable name="known" select="document('part/languages.xml')/languages/language"/>
  <xsl:variable name="upper" select="'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"/>
  <xsl:variable name="lower" select="'abcdefghijklmnopqrstuvwxyz'"/>

  <xsl:template match="@*|node()"><xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy></xsl:template>

  <xsl:template match="dc:language">
    <xsl:copy>
      <xsl:apply-templates select="@*"/>
      <xsl:call-template name="tag"><xsl:with-param name="of" select="normalize-space(.)"/></xsl:call-template>
    </xsl:copy>
  </xsl:template>

  <xsl:template match="@xml:lang">
    <xsl:attribute name="xml:lang">
      <xsl:call-template name="tag"><xsl:with-param name="of" select="normalize-space(.)"/></xsl:call-template>
    </xsl:attribute>
  </xsl:template>

  <xsl:template name="tag">
    <xsl:param name="of"/>
    <xsl:variable name="given" select="translate($of, concat($upper, '_'), concat($lower, '-'))"/>
    <xsl:variable name="first" select="substring-before(concat($given, '-'), '-')"/>
    <xsl:variable name="rest" select="substring-after($given, '-')"/>
    <xsl:variable name="tag" select="$known[@tag = $first or @t = $first or @b = $first]/@tag"/>
    <xsl:choose>
      <xsl:when test="$known/@name = $given"><xsl:value-of select="$known[@name = $given]/@tag"/></xsl:when>
      <xsl:when test="not($tag)"><xsl:value-of select="$of"/></xsl:when>
      <xsl:when test="$rest = ''"><xsl:value-of select="$tag"/></xsl:when>
      <!-- A region is written in capitals. -->
      <xsl:when test="string-length($rest) = 2"><xsl:value-of select="concat($tag, '-', translate($rest, $lower, $upper))"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="concat($tag, '-', substring-after(translate($of, '_', '-'), '-'))"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
