<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- dc:creator and dc:contributor: blanks and the punctuation of cataloguing (, ; : /) at the end are removed, and a name
     that begins with initials is inverted: "J. R. R. Tolkien" becomes "Tolkien, J. R. R.". Names without initials may
     be those of institutions, and are left unchanged; persons.xsl inverts them, too. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <xsl:import href="part/name.xsl"/>

  <xsl:template match="dc:creator|dc:contributor">
    <xsl:variable name="name"><xsl:call-template name="trim-name"><xsl:with-param name="name" select="normalize-space(.)"/></xsl:call-template></xsl:variable>
    <xsl:copy>
      <xsl:apply-templates select="@*"/>
      <xsl:choose>
        <xsl:when test="substring(substring-before($name, ' '), 2, 1) = '.' and not(contains($name, ','))">
          <xsl:call-template name="invert-name"><xsl:with-param name="name" select="$name"/><xsl:with-param name="initials" select="true()"/></xsl:call-template>
        </xsl:when>
        <xsl:otherwise><xsl:value-of select="$name"/></xsl:otherwise>
      </xsl:choose>
    </xsl:copy>
  </xsl:template>
</xsl:stylesheet>
