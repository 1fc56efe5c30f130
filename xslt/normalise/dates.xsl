<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- dc:date as W3CDTF: 1993, 1993-05, 1993-05-04.
       [1993]  (1993)  c1993  ©1993  1993.     1993
       19930504  1993/05/04  1993.5.4          1993-05-04
       4.5.1993  04. 05. 1993                  1993-05-04   with points, the day comes first
       13/5/1993  5/13/1993                    1993-05-13   with strokes, only if a number above 12 must be the day
       4 May 1993  May 4, 1993  May 1993       1993-05-04, 1993-05
     Other values, and dates with an impossible month or day, are left unchanged. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <xsl:variable name="digits" select="'0123456789'"/>
  <xsl:variable name="upper" select="'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"/>
  <xsl:variable name="lower" select="'abcdefghijklmnopqrstuvwxyz'"/>
  <xsl:variable name="months" select="'jan01feb02mar03apr04may05jun06jul07aug08sep09oct10nov11dec12'"/>
  <xsl:variable name="names"
                select="'|jan|january|feb|february|mar|march|apr|april|may|jun|june|jul|july|aug|august|sep|sept|september|oct|october|nov|november|dec|december|'"/>

  <xsl:template match="@*|node()"><xsl:copy><xsl:apply-templates select="@*|node()"/></xsl:copy></xsl:template>

  <xsl:template match="dc:date">
    <xsl:copy>
      <xsl:apply-templates select="@*"/>
      <xsl:call-template name="date"><xsl:with-param name="given" select="normalize-space(.)"/></xsl:call-template>
    </xsl:copy>
  </xsl:template>

  <xsl:template name="date">
    <xsl:param name="given"/>
    <!-- The shape has 9 in place of each digit, so that the conditions below show the forms that they accept. -->
    <xsl:variable name="bare" select="translate($given, '[]()©', '')"/>
    <xsl:variable name="close" select="translate($given, ' ', '')"/>
    <xsl:variable name="shape" select="translate($close, $digits, '9999999999')"/>
    <xsl:variable name="words" select="translate(translate($given, ',.', '  '), $upper, $lower)"/>
    <xsl:choose>
      <xsl:when test="translate($bare, $digits, '9999999999') = '9999' or translate($bare, $digits, '9999999999') = '9999.'">
        <xsl:value-of select="substring($bare, 1, 4)"/>
      </xsl:when>
      <xsl:when test="$shape = 'c9999' or $shape = 'c9999.' or $shape = '[c9999]'">
        <xsl:value-of select="substring(translate($close, '[]c.', ''), 1, 4)"/>
      </xsl:when>
      <xsl:when test="$shape = '99999999'">
        <xsl:call-template name="day">
          <xsl:with-param name="given" select="$given"/>
          <xsl:with-param name="y" select="substring($close, 1, 4)"/>
          <xsl:with-param name="m" select="substring($close, 5, 2)"/>
          <xsl:with-param name="d" select="substring($close, 7, 2)"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="translate($shape, '9', '') = '..' or translate($shape, '9', '') = '//'">
        <xsl:call-template name="three-numbers">
          <xsl:with-param name="given" select="$given"/>
          <xsl:with-param name="parts" select="translate($close, './', '--')"/>
          <xsl:with-param name="day-first" select="contains($shape, '.')"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise>
        <xsl:call-template name="with-a-word">
          <xsl:with-param name="given" select="$given"/>
          <xsl:with-param name="words" select="normalize-space($words)"/>
        </xsl:call-template>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="three-numbers">
    <xsl:param name="given"/>
    <xsl:param name="parts"/>
    <xsl:param name="day-first"/>
    <xsl:variable name="a" select="substring-before($parts, '-')"/>
    <xsl:variable name="b" select="substring-before(substring-after($parts, '-'), '-')"/>
    <xsl:variable name="c" select="substring-after(substring-after($parts, '-'), '-')"/>
    <xsl:choose>
      <xsl:when test="string-length($a) = 4">
        <xsl:call-template name="day">
          <xsl:with-param name="given" select="$given"/>
          <xsl:with-param name="y" select="$a"/>
          <xsl:with-param name="m" select="$b"/>
          <xsl:with-param name="d" select="$c"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="string-length($c) = 4 and ($day-first or $a &gt; 12)">
        <xsl:call-template name="day">
          <xsl:with-param name="given" select="$given"/>
          <xsl:with-param name="y" select="$c"/>
          <xsl:with-param name="m" select="$b"/>
          <xsl:with-param name="d" select="$a"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="string-length($c) = 4 and $b &gt; 12">
        <xsl:call-template name="day">
          <xsl:with-param name="given" select="$given"/>
          <xsl:with-param name="y" select="$c"/>
          <xsl:with-param name="m" select="$a"/>
          <xsl:with-param name="d" select="$b"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$given"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- "4 may 1993", "may 4 1993", "may 1993", in lower case and without points and commas. -->
  <xsl:template name="with-a-word">
    <xsl:param name="given"/>
    <xsl:param name="words"/>
    <xsl:variable name="a" select="substring-before($words, ' ')"/>
    <xsl:variable name="tail" select="substring-after($words, ' ')"/>
    <xsl:variable name="b" select="substring-before(concat($tail, ' '), ' ')"/>
    <xsl:variable name="c" select="substring-after($tail, ' ')"/>
    <xsl:variable name="a-is-month" select="$a != '' and contains($names, concat('|', $a, '|'))"/>
    <xsl:variable name="b-is-month" select="$b != '' and contains($names, concat('|', $b, '|'))"/>
    <xsl:choose>
      <xsl:when test="$a-is-month and $c = '' and translate($b, $digits, '9999999999') = '9999'">
        <xsl:value-of select="concat($b, '-', substring(substring-after($months, substring($a, 1, 3)), 1, 2))"/>
      </xsl:when>
      <xsl:when test="$a-is-month and translate($c, $digits, '9999999999') = '9999'">
        <xsl:call-template name="day">
          <xsl:with-param name="given" select="$given"/>
          <xsl:with-param name="y" select="$c"/>
          <xsl:with-param name="m" select="substring(substring-after($months, substring($a, 1, 3)), 1, 2)"/>
          <xsl:with-param name="d" select="$b"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:when test="$b-is-month and translate($c, $digits, '9999999999') = '9999'">
        <xsl:call-template name="day">
          <xsl:with-param name="given" select="$given"/>
          <xsl:with-param name="y" select="$c"/>
          <xsl:with-param name="m" select="substring(substring-after($months, substring($b, 1, 3)), 1, 2)"/>
          <xsl:with-param name="d" select="$a"/>
        </xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$given"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- A comparison with a text that is not a number is false, so such a date is left unchanged, too. -->
  <xsl:template name="day">
    <xsl:param name="given"/>
    <xsl:param name="y"/>
    <xsl:param name="m"/>
    <xsl:param name="d"/>
    <xsl:choose>
      <xsl:when test="$m &gt;= 1 and $m &lt;= 12 and $d &gt;= 1 and $d &lt;= 31 and string-length($m) &lt;= 2 and string-length($d) &lt;= 2">
        <xsl:value-of select="concat($y, '-', format-number($m, '00'), '-', format-number($d, '00'))"/>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$given"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
