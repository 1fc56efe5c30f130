<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The first page: what there is, how much, how old, how to search and how to harvest; the trees of sets, records over time,
     the newest records, formats and the facts of Identify. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:p="urn:oai-fcgi:page" xmlns:dc="http://purl.org/dc/elements/1.1/" exclude-result-prefixes="o p dc">
  <!-- What Identify describes as a dataset of all records, as the description dump.xml does. -->
  <xsl:variable name="dumps" select="/page/o:OAI-PMH/o:Identify/o:description/*[dc:type = 'Dataset' and starts-with(dc:identifier, 'http')]"/>

  <xsl:template match="page[@kind = 'home']" mode="title"><xsl:value-of select="p:say('home.title')"/></xsl:template>

  <xsl:template match="page[@kind = 'home']" mode="head">
    <link rel="canonical" href="{@base}/browse"/>
    <meta name="description" content="{@repository}: {p:count('records', total/@records)}"/>
    <link rel="alternate" type="application/activity+json" href="{@base}/changes"/>
    <link rel="alternate" type="text/turtle" href="{@base}/changes.ttl"/>
    <xsl:for-each select="$dumps"><link rel="alternate" type="application/json" href="{dc:identifier}" title="{dc:title}"/></xsl:for-each>
  </xsl:template>

  <xsl:template name="fact">
    <xsl:param name="id"/>
    <xsl:param name="value"/>
    <dt><xsl:value-of select="p:say($id)"/></dt>
    <dd><xsl:copy-of select="$value"/></dd>
  </xsl:template>

  <xsl:template name="figure">
    <xsl:param name="id"/>
    <xsl:param name="value"/>
    <div><xsl:call-template name="fact"><xsl:with-param name="id" select="$id"/><xsl:with-param name="value" select="$value"/></xsl:call-template></div>
  </xsl:template>

  <!-- What there is, how to search it and harvest it, how much it is and how old. -->
  <xsl:template name="hero">
    <xsl:variable name="identify" select="o:OAI-PMH/o:Identify"/>
    <div class="hero">
      <h1 dir="auto"><xsl:value-of select="@repository"/></h1>
      <xsl:call-template name="search-box"/>
      <p class="aside hint" id="q-hint">
        <xsl:choose>
          <xsl:when test="asked/@captures and asked/@words"><xsl:value-of select="p:say('home.search.pages')"/></xsl:when>
          <xsl:when test="asked/@captures"><xsl:value-of select="p:say('home.search.urls')"/></xsl:when>
          <xsl:when test="asked/@words"><xsl:value-of select="p:say('home.search.words')"/></xsl:when>
          <xsl:otherwise><xsl:value-of select="p:say('search.help.identifier', string(/page/@identifiers))"/></xsl:otherwise>
        </xsl:choose>
        <xsl:text> </xsl:text><a href="{$root}/search{$only}"><xsl:value-of select="p:say('home.search.how')"/></a>
      </p>
      <dl class="figures">
        <xsl:call-template name="figure"><xsl:with-param name="id" select="'records.head'"/><xsl:with-param name="value"><a href="{$root}/list{$only}"><xsl:value-of select="p:number(total/@records)"/></a></xsl:with-param></xsl:call-template>
        <xsl:call-template name="figure"><xsl:with-param name="id" select="'formats.title'"/><xsl:with-param name="value"><a href="{$root}/formats{$only}"><xsl:value-of select="count(formats/format)"/></a></xsl:with-param></xsl:call-template>
        <xsl:call-template name="figure"><xsl:with-param name="id" select="'home.since'"/><xsl:with-param name="value"><time datetime="{$identify/o:earliestDatestamp}"><xsl:value-of select="substring($identify/o:earliestDatestamp, 1, 10)"/></time></xsl:with-param></xsl:call-template>
        <xsl:call-template name="figure"><xsl:with-param name="id" select="'home.until'"/><xsl:with-param name="value"><time datetime="{o:OAI-PMH/o:responseDate}"><xsl:value-of select="substring(o:OAI-PMH/o:responseDate, 1, 10)"/></time></xsl:with-param></xsl:call-template>
      </dl>
      <p><xsl:value-of select="p:say('home.harvest')"/><xsl:text> </xsl:text><code id="base-url" dir="ltr"><xsl:value-of select="$identify/o:baseURL"/></code><xsl:text> </xsl:text>
        <xsl:call-template name="copy"><xsl:with-param name="id" select="'base-url'"/><xsl:with-param name="what" select="p:say('base-url')"/></xsl:call-template><xsl:text> </xsl:text>
        <a href="#harvest"><xsl:value-of select="p:say('home.how')"/></a></p>
    </div>
  </xsl:template>

  <xsl:template match="page[@kind = 'home']" mode="main">
    <xsl:call-template name="hero"/>
    <xsl:if test="roots/set">
      <section aria-labelledby="trees">
        <h2 id="trees"><xsl:value-of select="p:say('home.sets')"/></h2>
        <ul class="cards">
          <xsl:for-each select="roots/set">
            <li><a dir="auto" href="{$set}{p:encode(@spec)}{$also}"><xsl:call-template name="set-name"/></a>
              <span class="number"><xsl:value-of select="p:count('records', @records)"/></span></li>
          </xsl:for-each>
        </ul>
      </section>
    </xsl:if>
    <section aria-labelledby="newest">
      <h2 id="newest"><xsl:value-of select="p:say('newest')"/></h2>
      <ol class="records"><xsl:apply-templates select="newest/o:OAI-PMH/o:ListRecords/o:record" mode="line"><xsl:sort select="position()" data-type="number" order="descending"/></xsl:apply-templates></ol>
      <p><a href="{$root}/list{$only}"><xsl:value-of select="p:say('list.all')"/></a></p>
    </section>
    <section aria-labelledby="harvest">
      <h2 id="harvest"><xsl:value-of select="p:say('harvest')"/></h2>
      <p><xsl:value-of select="p:say('harvest.first')"/></p>
      <xsl:call-template name="copied-command"><xsl:with-param name="id" select="'command-list'"/><xsl:with-param name="command" select="concat(&quot;curl '&quot;, @base, &quot;?verb=ListRecords&amp;metadataPrefix=oai_dc'&quot;)"/></xsl:call-template>
      <p><xsl:value-of select="p:say('harvest.next')"/></p>
      <xsl:call-template name="copied-command"><xsl:with-param name="id" select="'command-next'"/><xsl:with-param name="command" select="concat(&quot;curl '&quot;, @base, &quot;?verb=ListRecords&amp;resumptionToken=TOKEN'&quot;)"/></xsl:call-template>
      <p><xsl:value-of select="p:say('harvest.later')"/></p>
      <xsl:call-template name="copied-command"><xsl:with-param name="id" select="'command-later'"/><xsl:with-param name="command" select="concat(&quot;curl '&quot;, @base, &quot;?verb=ListRecords&amp;metadataPrefix=oai_dc&amp;from=&quot;, o:OAI-PMH/o:responseDate, &quot;'&quot;)"/></xsl:call-template>
      <p><xsl:value-of select="p:say('harvest.program')"/></p>
      <xsl:call-template name="copied-command"><xsl:with-param name="id" select="'command-program'"/><xsl:with-param name="command" select="concat('metha-sync -format oai_dc ', @base)"/></xsl:call-template>
      <p><xsl:value-of select="p:say('harvest.busy')"/></p>
      <p><xsl:value-of select="p:say('harvest.feed')"/><xsl:text> </xsl:text><a href="{@base}/changes"><code dir="ltr"><xsl:value-of select="concat(@base, '/changes')"/></code></a>
        <xsl:for-each select="$dumps"><br/><xsl:value-of select="dc:title"/>: <a href="{dc:identifier}"><code dir="ltr"><xsl:value-of select="dc:identifier"/></code></a></xsl:for-each></p>
    </section>
    <section aria-labelledby="by-format">
      <h2 id="by-format"><xsl:value-of select="p:say('home.formats')"/></h2>
      <ul class="tags"><xsl:for-each select="formats/format"><li><a href="{$root}/formats{$only}#{@prefix}"><xsl:value-of select="@prefix"/></a></li></xsl:for-each></ul>
    </section>
    <xsl:call-template name="about"/>
  </xsl:template>

  <xsl:template name="about">
    <xsl:variable name="identify" select="o:OAI-PMH/o:Identify"/>
    <section aria-labelledby="about">
      <h2 id="about"><xsl:value-of select="p:say('home.about')"/></h2>
      <dl class="facts">
        <xsl:call-template name="fact"><xsl:with-param name="id" select="'contact'"/><xsl:with-param name="value">
          <xsl:for-each select="$identify/o:adminEmail"><xsl:if test="position() &gt; 1">, </xsl:if><a href="mailto:{.}"><xsl:value-of select="."/></a></xsl:for-each></xsl:with-param></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="id" select="'earliest'"/><xsl:with-param name="value"><xsl:call-template name="time"><xsl:with-param name="t" select="$identify/o:earliestDatestamp"/></xsl:call-template></xsl:with-param></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="id" select="'stands'"/><xsl:with-param name="value"><xsl:call-template name="time"><xsl:with-param name="t" select="o:OAI-PMH/o:responseDate"/></xsl:call-template></xsl:with-param></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="id" select="'deletions'"/><xsl:with-param name="value"><xsl:value-of select="p:say(concat('deletions.', $identify/o:deletedRecord))"/></xsl:with-param></xsl:call-template>
      </dl>
    </section>
  </xsl:template>
</xsl:stylesheet>
