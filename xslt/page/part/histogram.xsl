<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Records over time: bars that are links to the list of their stretch of time, and the same as a table for whom a
     picture says nothing. Roots make small bars visible beside large ones. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:math="http://exslt.org/math"
                exclude-result-prefixes="math">
  <xsl:template name="bin-address">
    <xsl:call-template name="list-address">
      <xsl:with-param name="set" select="$page/asked/@set"/>
      <xsl:with-param name="prefix" select="$page/asked/@prefix"/>
      <xsl:with-param name="from" select="@from"/>
      <xsl:with-param name="until" select="@until"/>
    </xsl:call-template>
  </xsl:template>

  <xsl:template name="bin-count">
    <xsl:if test="@about"><xsl:value-of select="key('t', 'about')"/><xsl:text> </xsl:text></xsl:if>
    <xsl:call-template name="count"><xsl:with-param name="id" select="'records'"/><xsl:with-param name="n" select="@records"/></xsl:call-template>
  </xsl:template>

  <xsl:template match="histogram">
    <xsl:variable name="n" select="count(bin)"/>
    <xsl:variable name="width" select="round(96000 div $n) div 100"/>
    <xsl:variable name="most" select="math:sqrt(@most)"/>
    <section aria-labelledby="over-time">
      <h2 id="over-time"><xsl:value-of select="key('t', 'histogram')"/></h2>
      <xsl:if test="$n &gt; 1">
        <svg class="histogram" viewBox="0 0 960 200" role="group" aria-labelledby="over-time">
          <xsl:for-each select="bin[@records &gt; 0]">
            <xsl:variable name="place" select="count(preceding-sibling::bin)"/>
            <xsl:variable name="height" select="2 + 168 * math:sqrt(@records) div $most"/>
            <a>
              <xsl:attribute name="href"><xsl:call-template name="bin-address"/></xsl:attribute>
              <xsl:attribute name="aria-label"><xsl:value-of select="@label"/>: <xsl:call-template name="bin-count"/></xsl:attribute>
              <rect class="ground" x="{$place * $width}" y="0" width="{$width}" height="172"/>
              <rect class="bar" x="{$place * $width + 1}" y="{172 - round(10 * $height) div 10}" width="{$width - 2}" height="{round(10 * $height) div 10}"/>
              <title><xsl:value-of select="@label"/>: <xsl:call-template name="bin-count"/></title>
            </a>
          </xsl:for-each>
          <xsl:for-each select="bin[position() = 1 or position() = last() or position() = round($n div 2)]">
            <text y="194" aria-hidden="true">
              <xsl:attribute name="x"><xsl:choose><xsl:when test="position() = 1">2</xsl:when><xsl:when test="position() = last()">958</xsl:when><xsl:otherwise><xsl:value-of select="count(preceding-sibling::bin) * $width"/></xsl:otherwise></xsl:choose></xsl:attribute>
              <xsl:if test="position() = last() and position() != 1"><xsl:attribute name="text-anchor">end</xsl:attribute></xsl:if>
              <xsl:value-of select="@label"/>
            </text>
          </xsl:for-each>
        </svg>
      </xsl:if>
      <details>
        <summary><xsl:value-of select="key('t', 'histogram.table')"/></summary>
        <table>
          <thead><tr><th scope="col"><xsl:value-of select="key('t', 'from')"/></th><th scope="col"><xsl:value-of select="key('t', 'records.head')"/></th></tr></thead>
          <tbody>
            <xsl:for-each select="bin[@records &gt; 0]">
              <tr><th scope="row"><a><xsl:attribute name="href"><xsl:call-template name="bin-address"/></xsl:attribute><xsl:value-of select="@label"/></a></th>
                <td><xsl:call-template name="bin-count"/></td></tr>
            </xsl:for-each>
          </tbody>
        </table>
      </details>
      <p class="aside">
        <xsl:value-of select="key('t', 'histogram.what')"/>
        <xsl:if test="bin[@about]"><xsl:text> </xsl:text><xsl:value-of select="key('t', 'histogram.about')"/></xsl:if>
        <xsl:if test="$page/formats/format[@prefix = $page/asked/@prefix]/@requires != ''"><xsl:text> </xsl:text><xsl:value-of select="key('t', 'histogram.requires')"/></xsl:if>
      </p>
    </section>
  </xsl:template>
</xsl:stylesheet>
