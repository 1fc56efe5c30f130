<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The address of a capture as a URI (xs:anyURI), where a format insists on one: what crawlers fetch need not be. Percent
     signs that escape nothing, square brackets and a second number sign are escaped, as browsers do; all else, blanks
     and other alphabets too, xs:anyURI takes as it is. REQUIRES: the context node is a record with the column url.
     Imported by formats; no format itself, since it stands below the formats directory. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings">
  <xsl:template name="address">
    <!-- Each hexadecimal digit as h: then a percent sign that is not followed by two is left over. -->
    <xsl:variable name="digits" select="translate(@url, '0123456789ABCDEFabcdef', 'hhhhhhhhhhhhhhhhhhhhhh')"/>
    <xsl:variable name="percent">
      <xsl:choose>
        <xsl:when test="contains(str:replace($digits, '%hh', ''), '%')"
          ><xsl:value-of select="str:replace(@url, '%', '%25')"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="@url"/></xsl:otherwise>
      </xsl:choose>
    </xsl:variable>
    <xsl:choose>
      <!-- Brackets around an IPv6 address, or a host that is none. -->
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
