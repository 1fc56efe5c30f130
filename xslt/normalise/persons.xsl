<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Does what names.xsl does, for repositories in which all creators and contributors are persons: a name of two or three words
     without a comma or a digit is inverted, too: "Jana Nováková" becomes "Nováková, Jana". -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <xsl:import href="part/name.xsl"/>

  <xsl:template match="dc:creator|dc:contributor">
    <xsl:variable name="name"><xsl:call-template name="trim-name"><xsl:with-param name="name" select="normalize-space(.)"/></xsl:call-template></xsl:variable>
    <xsl:variable name="blanks" select="string-length($name) - string-length(translate($name, ' ', ''))"/>
    <xsl:copy>
      <xsl:apply-templates select="@*"/>
      <xsl:choose>
        <xsl:when test="contains($name, ',') or translate($name, '0123456789', '') != $name"><xsl:value-of select="$name"/></xsl:when>
        <xsl:when test="substring(substring-before($name, ' '), 2, 1) = '.'">
          <xsl:call-template name="invert-name"><xsl:with-param name="name" select="$name"/><xsl:with-param name="initials" select="true()"/></xsl:call-template>
        </xsl:when>
        <xsl:when test="$blanks = 1 or $blanks = 2">
          <xsl:call-template name="invert-name"><xsl:with-param name="name" select="$name"/></xsl:call-template>
        </xsl:when>
        <xsl:otherwise><xsl:value-of select="$name"/></xsl:otherwise>
      </xsl:choose>
    </xsl:copy>
  </xsl:template>
</xsl:stylesheet>
