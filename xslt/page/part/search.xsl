<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The search: the box of every page, and the page of what was found. Captures of URLs: captures.xsl. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="p">
  <xsl:variable name="search" select="concat($root, '/search')"/>

  <!-- In the frame of every page. -->
  <xsl:template name="search-box">
    <form class="find" action="{$search}" method="get" role="search" aria-label="{p:say('search')}">
      <label for="q"><xsl:value-of select="p:say('search')"/></label>
      <input id="q" name="q" type="search" value="{$page/asked/@q}" maxlength="4000" autocomplete="off" autocapitalize="none" spellcheck="false" dir="auto">
        <xsl:if test="$page/@kind = 'home'"><xsl:attribute name="aria-describedby">q-hint</xsl:attribute></xsl:if>
      </input>
      <xsl:call-template name="keep-language"/>
      <button type="submit"><xsl:value-of select="p:say('search.go')"/></button>
    </form>
  </xsl:template>

  <!-- The address of a search. -->
  <xsl:template name="search-address">
    <xsl:param name="q" select="$page/asked/@q"/>
    <xsl:param name="more" select="''"/>
    <xsl:value-of select="concat($search, '?q=', p:encode($q), $more, $also)"/>
  </xsl:template>

  <xsl:template name="search-link">
    <xsl:param name="q"/>
    <xsl:param name="text" select="$q"/>
    <a dir="auto"><xsl:attribute name="href"><xsl:call-template name="search-address"><xsl:with-param name="q" select="$q"/></xsl:call-template></xsl:attribute><xsl:value-of select="$text"/></a>
  </xsl:template>

  <!-- To the captures of an address, or to a host. -->
  <xsl:template name="address-link">
    <xsl:param name="address"/>
    <a dir="auto"><xsl:attribute name="href"><xsl:call-template name="search-address"><xsl:with-param name="q" select="$address"/></xsl:call-template></xsl:attribute><xsl:value-of select="$address"/></a>
    
  </xsl:template>

  <xsl:template match="page[@kind = 'search']" mode="title">
    <xsl:value-of select="p:say('search.title')"/>
    <xsl:if test="asked/@q != ''">: <xsl:value-of select="asked/@q"/></xsl:if>
  </xsl:template>

  <!-- What may be typed, of what this repository can be asked. -->
  <xsl:template name="search-help">
    <ul class="help">
      <xsl:if test="asked/@words"><li><xsl:choose>
        <xsl:when test="asked/@captures"><xsl:value-of select="p:say('search.help.titles')"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="p:say('search.help.words')"/></xsl:otherwise>
      </xsl:choose></li></xsl:if>
      <xsl:if test="asked/@captures"><li><xsl:value-of select="p:say('search.help.url')"/></li></xsl:if>
      <li><xsl:value-of select="p:say('search.help.identifier', string(/page/@identifiers))"/></li>
    </ul>
  </xsl:template>

  <!-- What was looked for without a match; below it stands how to widen it. -->
  <xsl:template name="search-none">
    <p><xsl:value-of select="p:say(concat('search.none.', asked/@kind))"/><xsl:text> </xsl:text><q dir="auto"><xsl:value-of select="asked/@q"/></q></p>
  </xsl:template>

  <xsl:template name="search-widen"><h2><xsl:value-of select="p:say('search.widen')"/></h2></xsl:template>

  <xsl:template name="search-further">
    <xsl:param name="more" select="''"/>
    <xsl:if test="next or asked/@after != ''">
      <nav class="pages" aria-label="{p:say('pages')}">
        <xsl:if test="asked/@after != ''"><a><xsl:attribute name="href"><xsl:call-template name="search-address"><xsl:with-param name="more" select="$more"/></xsl:call-template></xsl:attribute><xsl:value-of select="p:say('first')"/></a></xsl:if>
        <xsl:if test="next"><a rel="next"><xsl:attribute name="href"><xsl:call-template name="search-address"><xsl:with-param name="more" select="concat($more, '&amp;after=', p:encode(next/@after))"/></xsl:call-template></xsl:attribute><xsl:value-of select="p:say('next')"/></a></xsl:if>
      </nav>
    </xsl:if>
  </xsl:template>

  <xsl:template match="page[@kind = 'search']" mode="main">
    <h1 dir="auto"><xsl:apply-templates select="." mode="title"/></h1>
    <xsl:if test="slow"><p class="error" role="alert"><xsl:value-of select="p:say('search.slow')"/></p></xsl:if>
    <xsl:choose>
      <xsl:when test="asked/@kind = 'empty'"><p><xsl:value-of select="p:say('search.what')"/></p><xsl:call-template name="search-help"/></xsl:when>
      <xsl:when test="asked/@kind = 'too-long'"><p class="error" role="alert"><xsl:value-of select="p:say('search.too-long')"/></p><xsl:call-template name="search-help"/></xsl:when>
      <xsl:when test="asked/@kind = 'identifier'"><xsl:call-template name="search-none"/><xsl:call-template name="search-widen"/><xsl:call-template name="search-help"/></xsl:when>
      <xsl:when test="asked/@kind = 'words'"><xsl:call-template name="search-words"/></xsl:when>
      <xsl:otherwise><xsl:apply-templates select="." mode="captures"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The filters that are on, as the end of an address; without the one of that name. -->
  <xsl:template name="filters-address">
    <xsl:param name="but" select="''"/>
    <xsl:for-each select="$page/filter[@name != $but]">&amp;<xsl:value-of select="concat(@name, '=', p:encode(@value))"/></xsl:for-each>
  </xsl:template>

  <xsl:template name="search-words">
    <xsl:variable name="filters"><xsl:call-template name="filters-address"/></xsl:variable>
    <xsl:if test="filter">
      <ul class="filters-on" aria-label="{p:say('search.filters')}">
        <xsl:for-each select="filter">
          <xsl:variable name="rest"><xsl:call-template name="filters-address"><xsl:with-param name="but" select="@name"/></xsl:call-template></xsl:variable>
          <xsl:variable name="own" select="$page/matches/facet[@name = current()/@name and @value = current()/@value]"/>
          <li><xsl:value-of select="p:say(concat('facet.', @name))"/>: <bdi><xsl:choose>
            <xsl:when test="$own"><xsl:for-each select="$own"><xsl:call-template name="facet-label"/></xsl:for-each></xsl:when>
            <!-- A set above those that are counted: "thesis" of "type:thesis". -->
            <xsl:when test="contains(@value, ':')"><xsl:call-template name="facet-label"><xsl:with-param name="label" select="substring-after(@value, ':')"/></xsl:call-template></xsl:when>
            <xsl:otherwise><xsl:call-template name="facet-label"><xsl:with-param name="label" select="string(@value)"/></xsl:call-template></xsl:otherwise>
          </xsl:choose></bdi><xsl:text> </xsl:text>
            <a><xsl:attribute name="href"><xsl:call-template name="search-address"><xsl:with-param name="more" select="$rest"/></xsl:call-template></xsl:attribute><xsl:value-of select="p:say('search.without')"/></a></li>
        </xsl:for-each>
      </ul>
    </xsl:if>
    <xsl:choose>
      <xsl:when test="matches/match">
        <p role="status">
          <xsl:choose>
            <xsl:when test="matches/@extent = 'newest'"><xsl:value-of select="p:say('search.newest', p:count('records', matches/@looked), p:number(matches/@found))"/></xsl:when>
            <xsl:when test="matches/@extent = 'capped'"><xsl:value-of select="p:say('search.capped', p:number(matches/@found))"/></xsl:when>
            <xsl:otherwise><xsl:value-of select="p:say('search.all', p:count('records', matches/@found))"/></xsl:otherwise>
          </xsl:choose>
          <xsl:if test="matches/facet"><xsl:text> </xsl:text><a class="down" href="#facets"><xsl:value-of select="p:say('search.narrow')"/></a></xsl:if>
        </p>
        <xsl:call-template name="search-behind"/>
        <div class="results">
          <ol class="records">
            <xsl:for-each select="matches/match">
              <xsl:variable name="kind"><xsl:call-template name="kind"><xsl:with-param name="values" select="@kind"/></xsl:call-template></xsl:variable>
              <li class="kind-{$kind}">
                <a dir="auto" href="{$root}/{@path}{$only}"><xsl:value-of select="string(@title)"/><xsl:if test="@title = ''"><xsl:value-of select="@path"/></xsl:if></a>
                <span class="meta">
                  <xsl:for-each select="@creator | @date | @kind | @address">
                    <xsl:if test=". != ''">
                      <bdi class="{name()}"><xsl:choose>
                        <xsl:when test="name() = 'address' and $page/asked/@captures"><xsl:call-template name="address-link"><xsl:with-param name="address" select="string(.)"/></xsl:call-template></xsl:when>
                        <xsl:when test="name() = 'kind' and $kind != 'item'"><xsl:value-of select="p:say(concat('kind.', $kind))"/></xsl:when>
                        <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
                      </xsl:choose></bdi><xsl:text> </xsl:text>
                    </xsl:if>
                  </xsl:for-each>
                </span>
              </li>
            </xsl:for-each>
          </ol>
          <xsl:call-template name="facets"/>
        </div>
        <xsl:call-template name="search-further"><xsl:with-param name="more" select="$filters"/></xsl:call-template>
      </xsl:when>
      <xsl:when test="matches/@extent = 'nothing'"><p><xsl:value-of select="p:say('search.nothing')"/></p><xsl:call-template name="search-help"/></xsl:when>
      <xsl:when test="asked/@words">
        <xsl:call-template name="search-none"/>
        <xsl:call-template name="search-behind"/>
        <xsl:call-template name="search-widen"/>
        <ul class="help">
          <xsl:if test="filter"><li><xsl:call-template name="search-link"><xsl:with-param name="q" select="asked/@q"/><xsl:with-param name="text" select="p:say('search.widen.filters')"/></xsl:call-template></li></xsl:if>
          <xsl:if test="contains(asked/@q, ' ')"><li><xsl:call-template name="search-link"><xsl:with-param name="q" select="substring-before(asked/@q, ' ')"/></xsl:call-template></li></xsl:if>
          <xsl:if test="string-length(asked/@q) &gt; 3 and not(contains(asked/@q, ' ')) and not(contains(asked/@q, '*'))"><li><xsl:call-template name="search-link"><xsl:with-param name="q" select="concat(substring(asked/@q, 1, string-length(asked/@q) - 1), '*')"/></xsl:call-template></li></xsl:if>
        </ul>
        <xsl:call-template name="search-help"/>
      </xsl:when>
      <xsl:when test="not(slow)"><p><xsl:value-of select="p:say('search.no-words')"/></p><xsl:call-template name="search-help"/></xsl:when>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="search-behind">
    <xsl:if test="matches/@behind &gt; 0"><p class="aside"><xsl:value-of select="p:say('search.behind', p:number(matches/@behind))"/></p></xsl:if>
  </xsl:template>

  <xsl:template name="facets">
    <xsl:if test="matches/facet">
      <section class="facets" aria-labelledby="facets">
        <h2 id="facets"><xsl:value-of select="p:say('search.narrow')"/></h2>
        <xsl:call-template name="facet"><xsl:with-param name="name" select="'kind'"/></xsl:call-template>
        <xsl:call-template name="facet"><xsl:with-param name="name" select="'language'"/></xsl:call-template>
        <xsl:call-template name="facet"><xsl:with-param name="name" select="'year'"/></xsl:call-template>
        <xsl:call-template name="facet"><xsl:with-param name="name" select="'collection'"/></xsl:call-template>
      </section>
    </xsl:if>
  </xsl:template>

  <!-- The name of the set; of a media type also what such files are. The context node: facet, or filter. -->
  <xsl:template name="facet-label">
    <xsl:param name="label" select="string(@label)"/>
    <xsl:variable name="kind"><xsl:if test="starts-with(@value, 'mim:') and contains($label, '/')"><xsl:call-template name="kind"><xsl:with-param name="values" select="@label"/></xsl:call-template></xsl:if></xsl:variable>
    <xsl:choose>
      <xsl:when test="$kind != '' and $kind != 'item'"><xsl:value-of select="concat(p:say(concat('kind.', $kind)), ' (', $label, ')')"/></xsl:when>
      <xsl:when test="@name = 'language' and not(contains(@value, ':'))"><xsl:value-of select="p:language(@value)"/></xsl:when>
      <xsl:otherwise><xsl:call-template name="set-name"><xsl:with-param name="spec" select="string(@value)"/><xsl:with-param name="name" select="$label"/></xsl:call-template></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="facet">
    <xsl:param name="name"/>
    <xsl:variable name="rest"><xsl:call-template name="filters-address"><xsl:with-param name="but" select="$name"/></xsl:call-template></xsl:variable>
    <xsl:if test="matches/facet[@name = $name]">
      <h3><xsl:value-of select="p:say(concat('facet.', $name))"/></h3>
      <ul>
        <xsl:for-each select="matches/facet[@name = $name]">
          <li><a><xsl:attribute name="href"><xsl:call-template name="search-address"><xsl:with-param name="more" select="concat($rest, '&amp;', $name, '=', p:encode(@value))"/></xsl:call-template></xsl:attribute>
            <bdi><xsl:call-template name="facet-label"/></bdi></a><xsl:text> </xsl:text><span class="number"><xsl:value-of select="p:number(@records)"/></span></li>
        </xsl:for-each>
      </ul>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
