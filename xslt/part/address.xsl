<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The address of a capture as a URI (xs:anyURI), for formats that demand one: not all that crawlers fetch are. Percent
     signs that escape nothing, square brackets and a second number sign are escaped, as browsers do; all else,
     blanks and other alphabets too, is valid in xs:anyURI. REQUIRES: the context node is a record with the column url.
     Formats import this file; it is no format itself, since it lies in a subdirectory of the formats directory. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings">
  <xsl:template name="address">
    <!-- Each hexadecimal digit becomes h, so that a percent sign that is not followed by hh escapes nothing. -->
    <xsl:variable name="digits" select="translate(@url, '0123456789ABCDEFabcdef', 'hhhhhhhhhhhhhhhhhhhhhh')"/>
    <xsl:variable name="percent">
      <xsl:choose>
        <xsl:when test="contains(str:replace($digits, '%hh', ''), '%')"
          ><xsl:value-of select="str:replace(@url, '%', '%25')"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="@url"/></xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:choose>
      <!-- Brackets around an IPv6 address are kept; an address with another host in brackets is escaped as a whole. -->
      <xsl:when test="contains(@url, '://[') and contains(@url, ']/')"><xsl:value-of select="@url"/></xsl:when>
      <xsl:when test="contains(@url, '://[')"><xsl:value-of select="str:encode-uri(@url, true())"/></xsl:when>
      <xsl:when test="contains($percent, '#')">
        <xsl:value-of select="str:replace(str:replace(substring-before($percent, '#'), '[', '%5B'), ']', '%5D')"/>
        <xsl:text>#</xsl:text>
        <xsl:value-of select="str:replace(substring-after($percent, '#'), '#', '%23')"/>
      </xsl:when>
      <xsl:otherwise>
        <xsl:value-of select="str:replace(str:replace($percent, '[', '%5B'), ']', '%5D')"/>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
