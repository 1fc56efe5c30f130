<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Languages as MARC, the DNB and EThOS want them: the three letters of ISO 639-2/B. A description may contain these,
     the three letters of 639-2/T, two letters, or a tag with a country after it; anything else yields nothing.
     Formats import this file; it is no format itself, since it lies in a subdirectory. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- Only codes that differ: from 639-1 to 639-2/B, then from 639-2/T to 639-2/B. -->
  <xsl:variable name="codes"
    select="concat(' ar:ara be:bel bg:bul bs:bos ca:cat cs:cze cy:wel da:dan de:ger el:gre en:eng eo:epo es:spa et:est eu:baq',
                   ' fa:per fi:fin fr:fre ga:gle gd:gla gl:glg he:heb hi:hin hr:hrv hu:hun hy:arm id:ind is:ice it:ita ja:jpn',
                   ' ka:geo ko:kor la:lat lb:ltz lt:lit lv:lav mk:mac mn:mon mt:mlt nb:nob nl:dut nn:nno no:nor pl:pol pt:por',
                   ' ro:rum ru:rus sa:san sk:slo sl:slv sq:alb sr:srp sv:swe th:tha tr:tur uk:ukr vi:vie yi:yid zh:chi',
                   ' bod:tib ces:cze cym:wel deu:ger ell:gre eus:baq fas:per fra:fre hye:arm isl:ice kat:geo mkd:mac mri:mao',
                   ' msa:may mya:bur nld:dut ron:rum slk:slo sqi:alb zho:chi ')"/>

  <xsl:template name="three-letters">
    <xsl:param name="of"/>
    <xsl:variable name="code" select="substring-before(concat(translate($of, '_', '-'), '-'), '-')"/>
    <xsl:variable name="key" select="concat(' ', $code, ':')"/>
    <xsl:choose>
      <xsl:when test="contains($codes, $key)">
        <xsl:value-of select="substring(substring-after($codes, $key), 1, 3)"/>
      </xsl:when>
      <xsl:when test="string-length($code) = 3 and translate($code, 'abcdefghijklmnopqrstuvwxyz', '') = ''">
        <xsl:value-of select="$code"/>
      </xsl:when>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
