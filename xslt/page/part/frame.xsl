<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The parts of every page: head, navigation, choice of the language; and templates for times and addresses. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="o p">
  <xsl:variable name="page" select="/page"/>
  <xsl:variable name="root" select="concat($page/@mount, '/browse')"/>
  <!-- The argument by which links keep the chosen language: as the first one of an address, or as a further one. -->
  <xsl:variable name="only" select="string($page/@only)"/>
  <xsl:variable name="also" select="string($page/@also)"/>

  <!-- A datestamp in a readable form. -->
  <xsl:template name="time">
    <xsl:param name="t"/>
    <time datetime="{$t}"><xsl:value-of select="p:time($t)"/></time>
  </xsl:template>

  <xsl:template name="list-address">
    <xsl:param name="set" select="''"/>
    <xsl:param name="from" select="''"/>
    <xsl:param name="until" select="''"/>
    <xsl:param name="prefix" select="''"/>
    <xsl:param name="more" select="''"/>
    <xsl:value-of select="concat($root, '/list?set=', p:encode($set))"/>
    <xsl:if test="$from != ''">&amp;from=<xsl:value-of select="$from"/></xsl:if>
    <xsl:if test="$until != ''">&amp;until=<xsl:value-of select="$until"/></xsl:if>
    <xsl:if test="$prefix != '' and $prefix != 'oai_dc'">&amp;metadataPrefix=<xsl:value-of select="p:encode($prefix)"/></xsl:if>
    <xsl:value-of select="concat($more, $also)"/>
  </xsl:template>

  <xsl:template name="keep-language">
    <xsl:if test="$page/@keep != ''"><input type="hidden" name="lang" value="{$page/@keep}"/></xsl:if>
  </xsl:template>

  <!-- The errors of a request: the code and, where there are several cases of it, the case in the reader's language; below
       them what harvesters get. -->
  <xsl:template name="errors">
    <xsl:for-each select="error">
      <div class="error" role="alert">
        <p><strong><xsl:value-of select="p:say(concat('error.', @code))"/></strong><xsl:text> </xsl:text>
          <bdi><xsl:value-of select="p:say(concat('error.', @code, '.', @kind), @one, @two)"/></bdi></p>
        <p class="aside" lang="en" dir="auto"><code><xsl:value-of select="@code"/></code>: <xsl:value-of select="@message"/></p>
      </div>
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

  <!-- The button is hidden until the script, without which it cannot copy, shows it. -->
  <xsl:template name="copy">
    <xsl:param name="id"/>
    <xsl:param name="what" select="''"/>
    <button type="button" class="copy" data-copy="{$id}" data-done="{p:say('copied')}" hidden="hidden">
      <xsl:value-of select="p:say('copy')"/>
      <xsl:if test="$what != ''"><span class="aside"><xsl:text> </xsl:text><xsl:value-of select="$what"/></span></xsl:if>
    </button>
  </xsl:template>

  <xsl:template name="place">
    <xsl:param name="kind"/>
    <xsl:param name="path"/>
    <li><a href="{$root}{$path}{$only}">
      <xsl:if test="$page/@kind = $kind"><xsl:attribute name="aria-current">page</xsl:attribute></xsl:if>
      <xsl:value-of select="p:say(concat('nav.', $kind))"/>
    </a></li>
  </xsl:template>

  <xsl:template match="page" name="frame">
    <html lang="{@lang}" dir="{@dir}">
      <head>
        <meta charset="UTF-8"/>
        <title><xsl:apply-templates select="." mode="title"/> · <xsl:value-of select="@repository"/></title>
        <meta name="viewport" content="width=device-width, initial-scale=1"/>
        <meta name="color-scheme" content="light dark"/>
        <link rel="stylesheet" href="{$root}/file/style.css?v={@style}"/>
        <link rel="icon" type="image/svg+xml" href="{$root}/file/icon.svg?v={@icon}"/>
        <script src="{$root}/file/script.js?v={@script}" defer="defer"></script>
        <xsl:for-each select="language">
          <link rel="alternate" hreflang="{@tag}"><xsl:attribute name="href"><xsl:call-template name="in-language"/></xsl:attribute></link>
        </xsl:for-each>
        <xsl:apply-templates select="." mode="head"/>
      </head>
      <body>
        <a class="skip" href="#main"><xsl:value-of select="p:say('skip')"/></a>
        <header>
          <div>
            <p class="repository" dir="auto"><a href="{$root}{$only}">
              <xsl:if test="@logo != ''"><img class="logo" src="{$root}/file/logo?v={@logo}" alt=""/></xsl:if>
              <span><xsl:value-of select="@repository"/></span></a></p>
            <xsl:call-template name="languages"/>
          </div>
          <div>
            <nav aria-label="{p:say('nav')}">
              <ul>
                <xsl:call-template name="place"><xsl:with-param name="kind" select="'home'"/></xsl:call-template>
                <xsl:call-template name="place"><xsl:with-param name="kind" select="'list'"/><xsl:with-param name="path" select="'/list'"/></xsl:call-template>
                <xsl:if test="@sets"><xsl:call-template name="place"><xsl:with-param name="kind" select="'sets'"/><xsl:with-param name="path" select="'/sets'"/></xsl:call-template></xsl:if>
                <xsl:call-template name="place"><xsl:with-param name="kind" select="'formats'"/><xsl:with-param name="path" select="'/formats'"/></xsl:call-template>
                <xsl:call-template name="place"><xsl:with-param name="kind" select="'explore'"/><xsl:with-param name="path" select="'/explore'"/></xsl:call-template>
              </ul>
            </nav>
            <!-- The first page has the box in its middle. -->
            <xsl:if test="@kind != 'home'"><xsl:call-template name="search-box"/></xsl:if>
          </div>
        </header>
        <main id="main" tabindex="-1"><xsl:apply-templates select="." mode="main"/></main>
        <footer>
          <p><xsl:value-of select="p:say('footer')"/><xsl:text> </xsl:text>
            <code dir="ltr"><xsl:value-of select="@base"/></code></p>
          <p class="aside" role="status" id="said"></p>
        </footer>
      </body>
    </html>
  </xsl:template>

  <xsl:template name="languages">
    <xsl:if test="count(language) &gt; 1">
      <nav class="languages" aria-label="{p:say('languages')}">
        <ul>
          <xsl:for-each select="language">
            <li><a lang="{@tag}" hreflang="{@tag}"><xsl:attribute name="href"><xsl:call-template name="in-language"/></xsl:attribute>
              <xsl:if test="@tag = $page/@lang"><xsl:attribute name="aria-current">true</xsl:attribute></xsl:if>
              <xsl:value-of select="@name"/></a></li>
          </xsl:for-each>
        </ul>
      </nav>
    </xsl:if>
  </xsl:template>

  <xsl:template name="in-language">
    <xsl:value-of select="$page/@here"/>
    <xsl:choose><xsl:when test="contains($page/@here, '?')">&amp;</xsl:when><xsl:otherwise>?</xsl:otherwise></xsl:choose>
    <xsl:text>lang=</xsl:text><xsl:value-of select="@tag"/>
  </xsl:template>

  <xsl:template match="page" mode="head"><meta name="robots" content="noindex, follow"/></xsl:template>
</xsl:stylesheet>
