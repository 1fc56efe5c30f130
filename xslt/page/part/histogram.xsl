<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Records over time: bars, each a link to the list of its records, beside an axis of numbers, and the same numbers as a table
     for readers who cannot use a picture. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="p">
  <!-- A number of records in words, such as "about 3 records". -->
  <xsl:template name="bin-count">
    <xsl:if test="@about"><xsl:value-of select="p:say('about')"/><xsl:text> </xsl:text></xsl:if>
    <xsl:value-of select="p:count('records', @records)"/>
  </xsl:template>

  <!-- The height of a tick or bin in thousandths of the chart's, and a place from its top in per cent. -->
  <xsl:template name="height"><xsl:value-of select="round(@records * 1000 div ../tick[last()]/@records)"/></xsl:template>
  <xsl:template name="y">
    <xsl:param name="height"><xsl:call-template name="height"/></xsl:param>
    <xsl:value-of select="concat((1000 - $height) div 10, '%')"/>
  </xsl:template>

  <xsl:template name="bars">
    <xsl:param name="from"/>
    <xsl:param name="width"/>
    <svg class="histogram" role="group" aria-labelledby="over-time">
      <xsl:for-each select="tick"><line x2="100%"><xsl:attribute name="y1"><xsl:call-template name="y"/></xsl:attribute><xsl:attribute name="y2"><xsl:call-template name="y"/></xsl:attribute></line></xsl:for-each>
      <xsl:for-each select="bin[@records &gt; 0]">
        <xsl:variable name="x" select="@place * $width"/>
        <!-- A single record is to be seen, too. -->
        <xsl:variable name="exact"><xsl:call-template name="height"/></xsl:variable>
        <xsl:variable name="height" select="$exact * ($exact &gt;= 10) + 10 * ($exact &lt; 10)"/>
        <xsl:variable name="said"><xsl:value-of select="@label"/>: <xsl:call-template name="bin-count"/></xsl:variable>
        <a href="{$from}{@from}&amp;until={@until}" aria-label="{$said}">
          <rect class="ground" x="{$x}%" width="{$width}%" height="100%"/>
          <rect class="bar" x="{$x + $width * .04}%" width="{$width * .92}%" height="{$height div 10}%"><xsl:attribute name="y"><xsl:call-template name="y"><xsl:with-param name="height" select="$height"/></xsl:call-template></xsl:attribute></rect>
          <title><xsl:value-of select="$said"/></title>
        </a>
      </xsl:for-each>
    </svg>
  </xsl:template>

  <!-- The times of up to five bins, of three in a narrow window; of three and two where each has an hour or more beside its day. -->
  <xsl:template name="times">
    <xsl:param name="n"/>
    <xsl:param name="width"/>
    <xsl:variable name="long" select="string-length(bin/@label) &gt; 10"/>
    <svg class="times" aria-hidden="true">
      <xsl:for-each select="bin[@place = 0 or @place = $n - 1 or ($n &gt; 4 and (@place = round($n div 2) or (not($long) and (@place = round($n div 4) or @place = round($n * 3 div 4)))))]">
        <text y="1rem">
          <!-- The first is at the left edge of its bin, the last at the right one, others are in the middle. -->
          <xsl:variable name="at" select=".5 * (position() != 1) + .5 * (position() = last())"/>
          <xsl:attribute name="x"><xsl:value-of select="concat($width * (@place + $at), '%')"/></xsl:attribute>
          <xsl:if test="$at &gt; 0"><xsl:attribute name="text-anchor"><xsl:value-of select="substring('middleend', 1 + 6 * ($at = 1), 6)"/></xsl:attribute></xsl:if>
          <xsl:if test="position() mod 2 = 0 and position() != last()"><xsl:attribute name="class">minor</xsl:attribute></xsl:if>
          <xsl:value-of select="@label"/>
        </text>
      </xsl:for-each>
    </svg>
  </xsl:template>

  <xsl:template match="histogram">
    <xsl:variable name="n" select="count(bin)"/>
    <xsl:variable name="width" select="round(100000 div $n) div 1000"/>
    <!-- The records of a bin are at the address of this list with its `from` and `until`. -->
    <xsl:variable name="list"><xsl:call-template name="list-address"><xsl:with-param name="set" select="$page/asked/@set"/><xsl:with-param name="prefix" select="$page/asked/@prefix"/></xsl:call-template></xsl:variable>
    <xsl:variable name="from" select="concat($list, '&amp;from=')"/>
    <section aria-labelledby="over-time">
      <h2 id="over-time"><xsl:value-of select="p:say('histogram')"/></h2>
      <xsl:if test="$n &gt; 1">
        <div class="chart">
          <svg class="numbers" aria-hidden="true">
            <xsl:for-each select="tick"><text x="100%" text-anchor="end" dominant-baseline="middle"><xsl:attribute name="y"><xsl:call-template name="y"/></xsl:attribute><xsl:value-of select="p:axis(@records)"/></text></xsl:for-each>
          </svg>
          <xsl:call-template name="bars"><xsl:with-param name="from" select="$from"/><xsl:with-param name="width" select="$width"/></xsl:call-template>
          <xsl:call-template name="times"><xsl:with-param name="n" select="$n"/><xsl:with-param name="width" select="$width"/></xsl:call-template>
        </div>
      </xsl:if>
      <details>
        <summary><xsl:value-of select="p:say('histogram.table')"/></summary>
        <table>
          <thead><tr><th scope="col"><xsl:value-of select="p:say('from')"/></th><th scope="col"><xsl:value-of select="p:say('records.head')"/></th></tr></thead>
          <tbody>
            <xsl:for-each select="bin[@records &gt; 0]">
              <tr><th scope="row"><a href="{$from}{@from}&amp;until={@until}"><xsl:value-of select="@label"/></a></th>
                <td><xsl:call-template name="bin-count"/></td></tr>
            </xsl:for-each>
          </tbody>
        </table>
      </details>
      <p class="aside">
        <xsl:value-of select="p:say('histogram.what')"/>
        <xsl:if test="bin[@about]"><xsl:text> </xsl:text><xsl:value-of select="p:say('histogram.about')"/></xsl:if>
        <xsl:if test="$page/formats/format[@prefix = $page/asked/@prefix]/@requires != ''"><xsl:text> </xsl:text><xsl:value-of select="p:say('histogram.requires')"/></xsl:if>
      </p>
    </section>
  </xsl:template>
</xsl:stylesheet>
