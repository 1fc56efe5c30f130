<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Templates that names.xsl and persons.xsl share. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:template match="@*|node()"><xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy></xsl:template>

  <!-- Removes , ; : / and blanks at the end of a name. -->
  <xsl:template name="trim-name">
    <xsl:param name="name"/>
    <xsl:variable name="last" select="substring($name, string-length($name))"/>
    <xsl:choose>
      <xsl:when test="$last != '' and contains(',;:/ ', $last)">
        <xsl:call-template name="trim-name"><xsl:with-param name="name" select="substring($name, 1, string-length($name) - 1)"/></xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$name"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Inverts a name. If $initials is true, everything after the initials goes first ("A. B. Family Name" becomes "Family
       Name, A. B."), else the last word. -->
  <xsl:template name="invert-name">
    <xsl:param name="name"/>
    <xsl:param name="before" select="''"/>
    <xsl:param name="initials" select="false()"/>
    <xsl:variable name="word" select="substring-before($name, ' ')"/>
    <xsl:variable name="is-before" select="$word != '' and (not($initials) or substring($word, string-length($word)) = '.')"/>
    <xsl:choose>
      <xsl:when test="$is-before">
        <xsl:call-template name="invert-name">
          <xsl:with-param name="name" select="substring-after($name, ' ')"/>
          <xsl:with-param name="before" select="concat($before, ' ', $word)"/>
          <xsl:with-param name="initials" select="$initials"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="substring($name, string-length($name)) = '.'"><xsl:value-of select="normalize-space(concat($before, ' ', $name))"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="concat($name, ',', $before)"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
