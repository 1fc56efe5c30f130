<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- What a web archive has of a URL, of a host, and of URLs that begin alike. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="p">
  <xsl:template match="page" mode="captures">
    <xsl:variable name="times"><xsl:if test="asked/@from != ''">&amp;from=<xsl:value-of select="p:encode(asked/@from)"/></xsl:if><xsl:if test="asked/@to != ''">&amp;to=<xsl:value-of select="p:encode(asked/@to)"/></xsl:if></xsl:variable>
    <xsl:variable name="bare" select="substring-after(asked/@url, '://')"/>
    <xsl:variable name="host"><xsl:value-of select="substring-before(concat($bare, '/'), '/')"/></xsl:variable>
    <xsl:variable name="one" select="asked/@kind = 'url' or asked/@kind = 'host'"/>
    <xsl:variable name="listed" select="urls/url or path/set"/>
    <xsl:variable name="none" select="not(slow) and not(calendar) and not(captures/capture) and not(next) and ($one or (not($listed) and asked/@after = ''))"/>
    <xsl:if test="$none and not(asked/@kind = 'host' and $listed)"><xsl:call-template name="search-none"/></xsl:if>
    <xsl:apply-templates select="calendar"/>
    <xsl:call-template name="capture-hosts"/>
    <xsl:call-template name="capture-list"><xsl:with-param name="times" select="$times"/></xsl:call-template>
    <xsl:if test="captures"><xsl:call-template name="search-further"><xsl:with-param name="more" select="$times"/></xsl:call-template></xsl:if>
    <xsl:call-template name="capture-urls"/>
    <!-- Of a host whose home page alone was not captured, there is something to show. -->
    <xsl:if test="$none and asked/@kind = 'host' and $listed"><p class="aside"><xsl:value-of select="p:say('search.none.url')"/><xsl:text> </xsl:text><q dir="auto"><xsl:value-of select="asked/@url"/></q></p></xsl:if>
    <xsl:if test="not(captures)"><xsl:call-template name="search-further"/></xsl:if>
    <xsl:if test="$none and not(asked/@kind = 'host' and $listed)">
      <xsl:call-template name="search-widen"/>
      <xsl:if test="asked/@kind != 'host' and $host != ''">
        <ul class="help">
          <xsl:if test="asked/@kind = 'url' and not($listed)"><li><xsl:call-template name="search-link"><xsl:with-param name="q" select="concat($bare, '*')"/></xsl:call-template></li></xsl:if>
          <li><xsl:call-template name="search-link"><xsl:with-param name="q" select="$host"/></xsl:call-template></li>
        </ul>
      </xsl:if>
      <xsl:call-template name="search-help"/>
    </xsl:if>
    <xsl:call-template name="captures-for-programs"><xsl:with-param name="times" select="$times"/></xsl:call-template>
  </xsl:template>

  <!-- Where programs get the captures of what is shown. -->
  <xsl:template name="captures-for-programs">
    <xsl:param name="times"/>
    <xsl:variable name="match"><xsl:if test="asked/@kind = 'host' and not(calendar)">&amp;matchType=host</xsl:if><xsl:if test="calendar"><xsl:value-of select="$times"/></xsl:if></xsl:variable>
    <xsl:if test="calendar or captures/capture or urls/url">
      <p class="aside"><xsl:value-of select="p:say('captures.json')"/><xsl:text> </xsl:text>
        <code dir="ltr"><a href="{$root}/captures?url={p:encode(asked/@q)}{$match}"><xsl:value-of select="concat(@base, '/browse/captures?url=', p:encode(asked/@q), $match)"/></a></code></p>
    </xsl:if>
  </xsl:template>

  <!-- Years, the newest first, by months, and the days of the month that is looked at: each number leads to its captures. -->
  <xsl:template match="calendar">
    <section aria-labelledby="calendar">
      <h2 id="calendar"><xsl:value-of select="p:count('captures', @captures)"/></h2>
      <xsl:if test="@capped"><p class="aside"><xsl:value-of select="p:say('captures.capped', p:number(@captures))"/><xsl:text> </xsl:text>
        <a><xsl:attribute name="href"><xsl:call-template name="search-address"><xsl:with-param name="more" select="concat('&amp;to=', format-number(year[last()]/@year, '0000'), format-number(year[last()]/month[@captures &gt; 0][1]/@month, '00'))"/></xsl:call-template></xsl:attribute><xsl:value-of select="p:say('captures.earlier')"/></a></p></xsl:if>
      <div class="scroll" tabindex="0" role="group" aria-labelledby="calendar">
        <table class="calendar">
          <thead><tr><th scope="col"><xsl:value-of select="p:say('captures.year')"/></th>
            <xsl:for-each select="year[1]/month"><th scope="col"><xsl:value-of select="@month"/></th></xsl:for-each>
            <th scope="col"><xsl:value-of select="p:say('captures.in-all')"/></th></tr></thead>
          <tbody>
            <xsl:for-each select="year">
              <tr>
                <th scope="row"><xsl:call-template name="capture-count"><xsl:with-param name="time" select="format-number(@year, '0000')"/><xsl:with-param name="text" select="@year"/></xsl:call-template></th>
                <xsl:for-each select="month">
                  <td><xsl:if test="@captures &gt; 0"><xsl:attribute name="class">some</xsl:attribute><xsl:call-template name="capture-count">
                    <xsl:with-param name="time" select="concat(format-number(../@year, '0000'), format-number(@month, '00'))"/>
                    <xsl:with-param name="text" select="p:number(@captures)"/></xsl:call-template></xsl:if></td>
                </xsl:for-each>
                <td><xsl:value-of select="p:number(@captures)"/></td>
              </tr>
            </xsl:for-each>
          </tbody>
        </table>
      </div>
      <xsl:if test="day">
        <xsl:variable name="month" select="substring($page/asked/@from, 1, 6)"/>
        <div class="scroll" tabindex="0" role="group" aria-labelledby="calendar">
          <table class="calendar days">
            <thead><tr><th scope="col"><xsl:call-template name="date-of-digits"><xsl:with-param name="digits" select="$month"/></xsl:call-template></th>
              <xsl:for-each select="day"><th scope="col"><xsl:value-of select="@day"/></th></xsl:for-each></tr></thead>
            <tbody><tr><th scope="row"><xsl:call-template name="capture-count"><xsl:with-param name="time" select="$month"/><xsl:with-param name="text" select="p:count('captures', sum(day/@captures))"/></xsl:call-template></th>
              <xsl:for-each select="day"><td class="some"><xsl:call-template name="capture-count">
                <xsl:with-param name="time" select="concat($month, format-number(@day, '00'))"/>
                <xsl:with-param name="text" select="p:number(@captures)"/></xsl:call-template></td></xsl:for-each></tr></tbody>
          </table>
        </div>
      </xsl:if>
    </section>
  </xsl:template>

  <xsl:template name="capture-count">
    <xsl:param name="time"/>
    <xsl:param name="text"/>
    <a><xsl:attribute name="href"><xsl:call-template name="search-address"><xsl:with-param name="more" select="concat('&amp;from=', $time, '&amp;to=', $time)"/></xsl:call-template></xsl:attribute>
      <xsl:if test="$page/asked/@from = $time and $page/asked/@to = $time"><xsl:attribute name="aria-current">true</xsl:attribute></xsl:if>
      <xsl:value-of select="$text"/></a>
  </xsl:template>

  <!-- "2010-03" of "201003", which the links of the calendar have. -->
  <xsl:template name="date-of-digits">
    <xsl:param name="digits"/>
    <xsl:choose>
      <xsl:when test="contains($digits, '-') or string-length($digits) &gt; 8"><xsl:value-of select="$digits"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="substring($digits, 1, 4)"/><xsl:if test="substring($digits, 5) != ''">-<xsl:value-of select="substring($digits, 5, 2)"/></xsl:if><xsl:if test="substring($digits, 7) != ''">-<xsl:value-of select="substring($digits, 7)"/></xsl:if></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="capture-list">
    <xsl:param name="times"/>
    <xsl:if test="captures/capture">
      <section aria-labelledby="captures">
        <h2 id="captures"><xsl:value-of select="p:say('captures.list')"/><xsl:if test="$times != ''">: <xsl:call-template name="date-of-digits"><xsl:with-param name="digits" select="string(asked/@from)"/></xsl:call-template><xsl:if test="string(asked/@to) != string(asked/@from)">–<xsl:call-template name="date-of-digits"><xsl:with-param name="digits" select="string(asked/@to)"/></xsl:call-template></xsl:if></xsl:if></h2>
        <xsl:if test="$times != ''"><p><xsl:call-template name="search-link"><xsl:with-param name="q" select="asked/@q"/><xsl:with-param name="text" select="p:say('captures.all-times')"/></xsl:call-template></p></xsl:if>
        <ol class="records">
          <xsl:for-each select="captures/capture">
            <xsl:variable name="kind"><xsl:call-template name="kind"><xsl:with-param name="values" select="@type"/></xsl:call-template></xsl:variable>
            <!-- What is to be seen comes first. -->
            <xsl:variable name="seen" select="starts-with(@replay, 'http')"/>
            <li class="kind-{$kind}"><a href="{$root}/{@path}{$only}"><xsl:if test="$seen"><xsl:attribute name="href"><xsl:value-of select="p:address(@replay)"/></xsl:attribute></xsl:if><xsl:call-template name="time"><xsl:with-param name="t" select="@time"/></xsl:call-template></a>
              <xsl:if test="$seen"><xsl:text> · </xsl:text><a href="{$root}/{@path}{$only}"><xsl:value-of select="p:say('captures.record')"/></a></xsl:if>
              <span class="meta"><xsl:if test="@status &gt; 0"><xsl:value-of select="@status"/><xsl:text> · </xsl:text></xsl:if><xsl:if test="@type != ''"><xsl:value-of select="@type"/><xsl:text> · </xsl:text></xsl:if><span dir="ltr"><xsl:value-of select="string(@url)"/></span></span></li>
          </xsl:for-each>
        </ol>
      </section>
    </xsl:if>
    <xsl:choose>
      <xsl:when test="captures/capture"/>
      <xsl:when test="captures and next"><p><xsl:value-of select="p:say('captures.further')"/></p></xsl:when>
      <xsl:when test="captures and $times != ''"><p><xsl:value-of select="p:say('captures.none-then')"/><xsl:text> </xsl:text>
        <xsl:call-template name="search-link"><xsl:with-param name="q" select="asked/@q"/><xsl:with-param name="text" select="p:say('captures.all-times')"/></xsl:call-template></p></xsl:when>
    </xsl:choose>
  </xsl:template>

  <!-- The set of the host, below which those within it are. -->
  <xsl:template name="capture-hosts">
    <xsl:for-each select="path/set[last()]">
      <section aria-labelledby="hosts">
        <h2 id="hosts"><xsl:value-of select="p:say('captures.hosts')"/></h2>
        <ul class="cards"><li><a dir="auto" href="{$set}{p:encode(@spec)}{$also}"><xsl:call-template name="set-name"/></a><xsl:text> </xsl:text>
          <span class="number"><xsl:value-of select="p:count('records', @records)"/></span></li></ul>
      </section>
    </xsl:for-each>
  </xsl:template>

  <xsl:template name="capture-urls">
    <xsl:if test="urls/url">
      <section aria-labelledby="urls">
        <h2 id="urls"><xsl:value-of select="p:say('captures.urls')"/></h2>
        <ol class="records">
          <xsl:for-each select="urls/url">
            <li><xsl:call-template name="address-link"><xsl:with-param name="address" select="string(@url)"/></xsl:call-template>
              <span class="meta"><xsl:choose>
                <xsl:when test="@capped"><xsl:value-of select="p:say('captures.at-least', p:count('captures', @captures))"/></xsl:when>
                <xsl:otherwise><xsl:value-of select="p:count('captures', @captures)"/></xsl:otherwise></xsl:choose>
                <xsl:text>, </xsl:text><xsl:value-of select="p:say('captures.latest')"/><xsl:text> </xsl:text><xsl:call-template name="time"><xsl:with-param name="t" select="@latest"/></xsl:call-template></span></li>
          </xsl:for-each>
        </ol>
        <xsl:if test="asked/@kind != 'prefix'"><p><xsl:call-template name="search-link">
          <xsl:with-param name="q" select="concat(substring-after(asked/@url, '://'), '*')"/><xsl:with-param name="text" select="p:say('captures.all-urls')"/></xsl:call-template></p></xsl:if>
      </section>
    </xsl:if>
    <xsl:if test="urls and not(urls/url) and next"><p><xsl:value-of select="p:say('captures.further')"/></p></xsl:if>
  </xsl:template>
</xsl:stylesheet>
