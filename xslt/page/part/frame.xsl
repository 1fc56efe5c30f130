<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- What every page has: head, navigation, languages; texts, numbers and addresses. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:str="http://exslt.org/strings" exclude-result-prefixes="o str">
  <xsl:key name="t" match="t" use="@id"/>
  <xsl:variable name="page" select="/page"/>
  <xsl:variable name="texts" select="/page/texts"/>
  <xsl:variable name="root" select="concat($page/@mount, '/browse')"/>
  <!-- A chosen language goes along, behind an address without a query and behind one that has one. -->
  <xsl:variable name="only"><xsl:if test="$page/@keep != ''">?lang=<xsl:value-of select="$page/@keep"/></xsl:if></xsl:variable>
  <xsl:variable name="also"><xsl:if test="$page/@keep != ''">&amp;lang=<xsl:value-of select="$page/@keep"/></xsl:if></xsl:variable>

  <!-- A text of the catalogue; {1} and {2} in it become values. -->
  <xsl:template name="say">
    <xsl:param name="id"/>
    <xsl:param name="one" select="''"/>
    <xsl:param name="two" select="''"/>
    <xsl:variable name="text" select="string(key('t', $id))"/>
    <xsl:choose>
      <xsl:when test="contains($text, '{1}')">
        <xsl:value-of select="substring-before($text, '{1}')"/>
        <xsl:value-of select="$one"/>
        <xsl:variable name="rest" select="substring-after($text, '{1}')"/>
        <xsl:choose>
          <xsl:when test="contains($rest, '{2}')">
            <xsl:value-of select="concat(substring-before($rest, '{2}'), $two, substring-after($rest, '{2}'))"/>
          </xsl:when>
          <xsl:otherwise><xsl:value-of select="$rest"/></xsl:otherwise>
        </xsl:choose>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="number">
    <xsl:param name="n"/>
    <xsl:value-of select="translate(format-number($n, '#,##0'), ',', $texts/@group)"/>
  </xsl:template>

  <!-- "3 records": the language's form for the number. -->
  <xsl:template name="count">
    <xsl:param name="id"/>
    <xsl:param name="n"/>
    <xsl:call-template name="number"><xsl:with-param name="n" select="$n"/></xsl:call-template>
    <xsl:text>&#160;</xsl:text>
    <xsl:variable name="forms" select="key('t', $id)"/>
    <xsl:choose>
      <xsl:when test="$n = 1"><xsl:value-of select="$forms/@one"/></xsl:when>
      <xsl:when test="$n &gt; 1 and $n &lt;= $texts/@few"><xsl:value-of select="$forms/@few"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="$forms/@many"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- A datestamp for eyes. -->
  <xsl:template name="time">
    <xsl:param name="t"/>
    <time datetime="{$t}"><xsl:value-of select="translate(translate($t, 'T', ' '), 'Z', '')"/></time>
  </xsl:template>

  <xsl:template name="record-address">
    <xsl:param name="identifier"/>
    <xsl:value-of select="concat($root, '/record/')"/>
    <!-- As a rule nothing in it needs encoding, and the functions for that cost as much as all the rest of a record. -->
    <xsl:choose>
      <xsl:when test="translate($identifier, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/:', '') = ''"><xsl:value-of select="$identifier"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="str:replace(str:replace(str:encode-uri($identifier, true()), '%2F', '/'), '%3A', ':')"/></xsl:otherwise>
    </xsl:choose>
    <xsl:value-of select="$only"/>
  </xsl:template>

  <xsl:template name="list-address">
    <xsl:param name="set" select="''"/>
    <xsl:param name="from" select="''"/>
    <xsl:param name="until" select="''"/>
    <xsl:param name="prefix" select="''"/>
    <xsl:param name="more" select="''"/>
    <xsl:value-of select="concat($root, '/list?set=', str:encode-uri($set, true()))"/>
    <xsl:if test="$from != ''">&amp;from=<xsl:value-of select="$from"/></xsl:if>
    <xsl:if test="$until != ''">&amp;until=<xsl:value-of select="$until"/></xsl:if>
    <xsl:if test="$prefix != '' and $prefix != 'oai_dc'">&amp;metadataPrefix=<xsl:value-of select="str:encode-uri($prefix, true())"/></xsl:if>
    <xsl:value-of select="concat($more, $also)"/>
  </xsl:template>

  <xsl:template name="keep-language">
    <xsl:if test="$page/@keep != ''"><input type="hidden" name="lang" value="{$page/@keep}"/></xsl:if>
  </xsl:template>

  <xsl:template name="find-record">
    <form class="find" action="{$root}/record" method="get" role="search">
      <label for="find"><xsl:value-of select="key('t', 'find')"/></label>
      <input id="find" name="identifier" type="text" required="required" autocomplete="off" spellcheck="false" dir="ltr"/>
      <xsl:call-template name="keep-language"/>
      <button type="submit"><xsl:value-of select="key('t', 'find.go')"/></button>
    </form>
  </xsl:template>

  <xsl:template name="errors">
    <xsl:for-each select="error">
      <p class="error" role="alert"><strong><xsl:value-of select="key('t', concat('error.', current()/@code))"/></strong>
        <xsl:text> </xsl:text><span lang="en" dir="auto"><xsl:value-of select="@message"/></span></p>
    </xsl:for-each>
  </xsl:template>

  <xsl:template name="copied-command">
    <xsl:param name="id"/>
    <xsl:param name="command"/>
    <div class="command">
      <pre id="{$id}" dir="ltr"><xsl:value-of select="$command"/></pre>
      <xsl:call-template name="copy"><xsl:with-param name="id" select="$id"/></xsl:call-template>
    </div>
  </xsl:template>

  <!-- Shown by the script, for which there is nothing to do without one. -->
  <xsl:template name="copy">
    <xsl:param name="id"/>
    <xsl:param name="what" select="''"/>
    <button type="button" class="copy" data-copy="{$id}" data-done="{key('t', 'copied')}" hidden="hidden">
      <xsl:value-of select="key('t', 'copy')"/>
      <xsl:if test="$what != ''"><span class="aside"><xsl:text> </xsl:text><xsl:value-of select="$what"/></span></xsl:if>
    </button>
  </xsl:template>

  <xsl:template name="place">
    <xsl:param name="kind"/>
    <xsl:param name="path"/>
    <li><a href="{$root}{$path}{$only}">
      <xsl:if test="$page/@kind = $kind"><xsl:attribute name="aria-current">page</xsl:attribute></xsl:if>
      <xsl:value-of select="key('t', concat('nav.', $kind))"/>
    </a></li>
  </xsl:template>

  <xsl:template match="page" name="frame">
    <html lang="{@lang}" dir="{texts/@dir}">
      <head>
        <title><xsl:apply-templates select="." mode="title"/> · <xsl:value-of select="@repository"/></title>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <link rel="stylesheet" href="{$root}/file/style.css?v={@style}"/>
        <script src="{$root}/file/script.js?v={@script}" defer="defer"></script>
        <xsl:for-each select="language">
          <link rel="alternate" hreflang="{@tag}"><xsl:attribute name="href"><xsl:call-template name="in-language"/></xsl:attribute></link>
        </xsl:for-each>
        <xsl:apply-templates select="." mode="head"/>
      </head>
      <body>
        <a class="skip" href="#main"><xsl:value-of select="key('t', 'skip')"/></a>
        <header>
          <p class="repository" dir="auto"><a href="{$root}{$only}"><xsl:value-of select="@repository"/></a></p>
          <nav aria-label="{key('t', 'nav')}">
            <ul>
              <xsl:call-template name="place"><xsl:with-param name="kind" select="'home'"/></xsl:call-template>
              <xsl:call-template name="place"><xsl:with-param name="kind" select="'list'"/><xsl:with-param name="path" select="'/list'"/></xsl:call-template>
              <xsl:if test="@sets"><xsl:call-template name="place"><xsl:with-param name="kind" select="'sets'"/><xsl:with-param name="path" select="'/sets'"/></xsl:call-template></xsl:if>
              <xsl:call-template name="place"><xsl:with-param name="kind" select="'formats'"/><xsl:with-param name="path" select="'/formats'"/></xsl:call-template>
              <xsl:call-template name="place"><xsl:with-param name="kind" select="'explore'"/><xsl:with-param name="path" select="'/explore'"/></xsl:call-template>
            </ul>
          </nav>
        </header>
        <main id="main" tabindex="-1"><xsl:apply-templates select="." mode="main"/></main>
        <footer>
          <p><xsl:call-template name="say"><xsl:with-param name="id" select="'footer'"/></xsl:call-template><xsl:text> </xsl:text>
            <code dir="ltr"><xsl:value-of select="@base"/></code></p>
          <xsl:if test="count(language) &gt; 1">
            <nav aria-label="{key('t', 'languages')}">
              <ul>
                <xsl:for-each select="language">
                  <li><a lang="{@tag}" hreflang="{@tag}"><xsl:attribute name="href"><xsl:call-template name="in-language"/></xsl:attribute>
                    <xsl:if test="@tag = $page/@lang"><xsl:attribute name="aria-current">true</xsl:attribute></xsl:if>
                    <xsl:value-of select="@name"/></a></li>
                </xsl:for-each>
              </ul>
            </nav>
          </xsl:if>
          <p class="aside" role="status" id="said"></p>
        </footer>
      </body>
    </html>
  </xsl:template>

  <xsl:template name="in-language">
    <xsl:value-of select="$page/@here"/>
    <xsl:choose><xsl:when test="contains($page/@here, '?')">&amp;</xsl:when><xsl:otherwise>?</xsl:otherwise></xsl:choose>
    <xsl:text>lang=</xsl:text><xsl:value-of select="@tag"/>
  </xsl:template>

  <xsl:template match="page" mode="head"><meta name="robots" content="noindex, follow"/></xsl:template>
</xsl:stylesheet>
