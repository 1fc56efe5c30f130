<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The address of a capture as a URI (xs:anyURI), for formats that demand one: not all that crawlers fetch are. Percent
     signs that escape nothing, square brackets and a second number sign are escaped, as browsers do; all else,
     blanks and other alphabets too, is valid in xs:anyURI. REQUIRES: the context node is a record with the column url.
     Formats import this file; it is no format itself, since it lies in a subdirectory of the formats directory. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:str="http://exslt.org/strings">
  <!-- An x for each character of an address; longer ones are not looked at. -->
  <xsl:variable name="xs" select="concat('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')"/>

  <xsl:template name="address">
    <xsl:choose>
      <xsl:when test="contains(@url, '[') or contains(@url, ']') or contains(substring-after(@url, '#'), '#')
                      or string-length(@url) &gt; 500">
        <xsl:call-template name="escaped-address"/>
      </xsl:when>
      <xsl:when test="not(contains(@url, '%'))"><xsl:value-of select="@url"/></xsl:when>
      <xsl:otherwise>
        <!-- Each hexadecimal digit becomes 0, and each other character but for percent signs x. -->
        <xsl:variable name="digits" select="translate(@url, '0123456789ABCDEFabcdef', '0000000000000000000000')"/>
        <xsl:variable name="others" select="translate($digits, '0%', '')"/>
        <xsl:variable name="shape" select="concat(translate($digits, $others, $xs), 'x')"/>
        <xsl:choose>
          <xsl:when test="contains($shape, '%x') or contains($shape, '%0x') or contains($shape, '%%') or contains($shape, '%0%')">
            <xsl:call-template name="escaped-address"/>
          </xsl:when>
          <xsl:otherwise><xsl:value-of select="@url"/></xsl:otherwise>
        </xsl:choose>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- Of the few addresses in which something has to be escaped, and of very long ones. -->
  <xsl:template name="escaped-address">
    <!-- A percent sign that is not followed by two hexadecimal digits escapes nothing. -->
    <xsl:variable name="digits" select="translate(@url, '0123456789ABCDEFabcdef', '0000000000000000000000')"/>
    <xsl:variable name="percent">
      <xsl:choose>
        <xsl:when test="contains(str:replace($digits, '%00', ''), '%')"
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
