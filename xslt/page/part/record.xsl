<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- One record: its Dublin Core, its sets, its datestamps, and all formats side by side. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="o oai_dc dc p">
  <xsl:template match="page[@kind = 'record']" mode="title">
    <xsl:variable name="title" select="p:title(disseminated[1]/o:OAI-PMH/o:GetRecord/o:record/o:metadata)"/>
    <xsl:choose>
      <xsl:when test="$title != ''"><xsl:value-of select="$title"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="item/@identifier"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="page[@kind = 'record']" mode="head">
    <link rel="canonical" href="{@base}/browse/{item/@path}"/>
    <xsl:if test="item/@deleted"><meta name="robots" content="noindex"/></xsl:if>
    <link rel="schema.DC" href="http://purl.org/dc/elements/1.1/"/>
    <xsl:for-each select="disseminated[@prefix = 'oai_dc']//dc:*">
      <meta name="DC.{local-name()}" content="{.}"><xsl:if test="@xml:lang"><xsl:attribute name="lang"><xsl:value-of select="@xml:lang"/></xsl:attribute></xsl:if></meta>
    </xsl:for-each>
    <xsl:if test="json-ld"><script type="application/ld+json"><xsl:value-of select="json-ld"/></script></xsl:if>
  </xsl:template>

  <!-- Says why a format is not shown whole, and where to get it. The context node: disseminated. -->
  <xsl:template name="whole-record">
    <xsl:param name="why"/>
    <p class="aside"><xsl:value-of select="$why"/><xsl:text> </xsl:text><a rel="nofollow" href="{/page/@mount}?verb=GetRecord&amp;metadataPrefix={@prefix}&amp;identifier={p:encode(/page/item/@identifier)}"><xsl:value-of select="p:say('record.whole')"/></a></p>
  </xsl:template>

  <xsl:template match="page[@kind = 'record']" mode="main">
    <h1 dir="auto"><xsl:apply-templates select="." mode="title"/></h1>
    <xsl:if test="item/@deleted"><p class="error"><strong class="deleted"><xsl:value-of select="p:say('deleted')"/></strong><xsl:text> </xsl:text><xsl:value-of select="p:say('deleted.what')"/></p></xsl:if>
    <xsl:if test="item/@replay != ''"><p><a class="button" href="{p:address(item/@replay)}" rel="noopener"><xsl:value-of select="p:say('replay')"/></a></p></xsl:if>
    <dl class="facts">
      <dt><xsl:value-of select="p:say('identifier')"/></dt>
      <dd><code id="identifier" dir="ltr"><xsl:value-of select="item/@identifier"/></code><xsl:text> </xsl:text><xsl:call-template name="copy"><xsl:with-param name="id" select="'identifier'"/><xsl:with-param name="what" select="p:say('identifier')"/></xsl:call-template></dd>
      <xsl:for-each select="disseminated[@prefix = 'oai_dc']//dc:*[string(.) != '']">
        <xsl:variable name="element" select="local-name()"/>
        <xsl:if test="not(preceding-sibling::dc:*[local-name() = $element])"><dt><xsl:value-of select="p:say(concat('dc.', $element))"/></dt></xsl:if>
        <dd dir="auto"><xsl:if test="@xml:lang"><xsl:attribute name="lang"><xsl:value-of select="@xml:lang"/></xsl:attribute></xsl:if>
          <xsl:call-template name="web-address"><xsl:with-param name="address" select="string(.)"/></xsl:call-template></dd>
      </xsl:for-each>
    </dl>
    <xsl:for-each select="disseminated[@prefix = 'oai_dc'][@removed &gt; 0]"><xsl:call-template name="whole-record"><xsl:with-param name="why" select="p:say('record.removed', p:number(@removed))"/></xsl:call-template></xsl:for-each>
    <xsl:if test="sets/set">
      <section aria-labelledby="in-sets">
        <h2 id="in-sets"><xsl:value-of select="p:say('record.sets')"/></h2>
        <ul>
          <xsl:for-each select="sets/set">
            <li><a dir="auto" href="{$set}{p:encode(@spec)}{$also}"><xsl:value-of select="@name"/></a>
              <xsl:text> </xsl:text><code dir="ltr"><xsl:value-of select="@spec"/></code></li>
          </xsl:for-each>
        </ul>
      </section>
    </xsl:if>
    <section aria-labelledby="datestamps">
      <h2 id="datestamps"><xsl:value-of select="p:say('record.history')"/></h2>
      <p>
        <xsl:call-template name="time"><xsl:with-param name="t" select="item/@datestamp"/></xsl:call-template><xsl:text> </xsl:text>
        <xsl:value-of select="p:say(concat('record.published', substring('-deleted', 1, 8 * boolean(item/@deleted))), item/@number)"/>
      </p>
      <xsl:variable name="others" select="disseminated[o:OAI-PMH/o:GetRecord/o:record/o:header/o:datestamp != $page/item/@datestamp]"/>
      <xsl:if test="$others">
        <ul>
          <xsl:for-each select="$others">
            <li><xsl:call-template name="time"><xsl:with-param name="t" select="o:OAI-PMH/o:GetRecord/o:record/o:header/o:datestamp"/></xsl:call-template><xsl:text> </xsl:text>
              <xsl:value-of select="p:say('record.since', @prefix)"/></li>
          </xsl:for-each>
        </ul>
      </xsl:if>
    </section>
    <xsl:if test="not(item/@deleted)">
      <section aria-labelledby="in-formats">
        <h2 id="in-formats"><xsl:value-of select="p:say('record.formats')"/></h2>
        <div class="side-by-side">
          <xsl:for-each select="disseminated">
            <article aria-labelledby="format-{@prefix}">
              <h3 id="format-{@prefix}"><xsl:value-of select="@prefix"/></h3>
              <xsl:choose>
                <xsl:when test="@failed"><p class="error"><xsl:value-of select="p:say('record.failed')"/></p></xsl:when>
                <xsl:when test="@too-long"><xsl:call-template name="whole-record"><xsl:with-param name="why" select="p:say('record.too-long')"/></xsl:call-template></xsl:when>
                <xsl:otherwise>
                  <xsl:if test="@removed &gt; 0"><xsl:call-template name="whole-record"><xsl:with-param name="why" select="p:say('record.removed', p:number(@removed))"/></xsl:call-template></xsl:if>
                  <xsl:call-template name="copy"><xsl:with-param name="id" select="concat('xml-', @prefix)"/><xsl:with-param name="what" select="@prefix"/></xsl:call-template>
                  <xsl:call-template name="pretty-xml"><xsl:with-param name="id" select="concat('xml-', @prefix)"/><xsl:with-param name="element" select="o:OAI-PMH/o:GetRecord/o:record/o:metadata/*"/></xsl:call-template>
                  <xsl:for-each select="o:OAI-PMH/o:GetRecord/o:record/o:about">
                    <h4><xsl:value-of select="p:say('record.about')"/></h4>
                    <xsl:call-template name="pretty-xml"><xsl:with-param name="id" select="concat('about-', ancestor::disseminated/@prefix, '-', position())"/><xsl:with-param name="element" select="*"/></xsl:call-template>
                  </xsl:for-each>
                </xsl:otherwise>
              </xsl:choose>
            </article>
          </xsl:for-each>
        </div>
      </section>
      <section aria-labelledby="harvest">
        <h2 id="harvest"><xsl:value-of select="p:say('record.harvest')"/></h2>
        <xsl:call-template name="copied-command">
          <xsl:with-param name="id" select="'command-record'"/>
          <xsl:with-param name="command">curl '<xsl:value-of select="concat(@base, '?verb=GetRecord&amp;metadataPrefix=oai_dc&amp;identifier=')"/><xsl:value-of select="p:encode(item/@identifier)"/>'</xsl:with-param>
        </xsl:call-template>
      </section>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
