<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The explorer: a request by a form, the answer as harvesters get it, and the next page of a list. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="o p">
  <xsl:template match="page[@kind = 'explore']" mode="title"><xsl:value-of select="p:say('explore.title')"/></xsl:template>

  <xsl:template name="verb-option">
    <xsl:param name="verb"/>
    <option value="{$verb}">
      <xsl:if test="$page/asked/@verb = $verb"><xsl:attribute name="selected">selected</xsl:attribute></xsl:if>
      <xsl:value-of select="$verb"/>
    </option>
  </xsl:template>

  <!-- The arguments have the names that the protocol gives them, in every language. -->
  <xsl:template match="asked" mode="form">
    <form class="filters many" action="{$root}/explore" method="get">
      <p><label for="verb">verb</label>
        <select id="verb" name="verb" lang="en">
          <xsl:call-template name="verb-option"><xsl:with-param name="verb" select="'Identify'"/></xsl:call-template>
          <xsl:call-template name="verb-option"><xsl:with-param name="verb" select="'ListMetadataFormats'"/></xsl:call-template>
          <xsl:call-template name="verb-option"><xsl:with-param name="verb" select="'ListSets'"/></xsl:call-template>
          <xsl:call-template name="verb-option"><xsl:with-param name="verb" select="'ListIdentifiers'"/></xsl:call-template>
          <xsl:call-template name="verb-option"><xsl:with-param name="verb" select="'ListRecords'"/></xsl:call-template>
          <xsl:call-template name="verb-option"><xsl:with-param name="verb" select="'GetRecord'"/></xsl:call-template>
        </select></p>
      <xsl:for-each select="field">
        <p><label for="{@name}"><xsl:value-of select="@name"/></label>
          <input id="{@name}" name="{@name}" type="text" value="{@value}" autocomplete="off" spellcheck="false" dir="ltr"/></p>
      </xsl:for-each>
      <xsl:call-template name="keep-language"/>
      <p><button type="submit"><xsl:value-of select="p:say('explore.send')"/></button></p>
    </form>
  </xsl:template>

  <xsl:template match="answer">
    <section aria-labelledby="answer">
      <h2 id="answer"><xsl:value-of select="p:say('explore.answer')"/></h2>
      <xsl:call-template name="errors"/>
      <p class="aside"><xsl:value-of select="p:say('explore.facts', p:number(@bytes))"/></p>
      <xsl:choose>
        <xsl:when test="too-long"><p><xsl:value-of select="p:say('explore.too-long')"/></p></xsl:when>
        <xsl:otherwise>
          <xsl:call-template name="pretty-xml"><xsl:with-param name="id" select="'xml-answer'"/><xsl:with-param name="element" select="*[not(self::error)]"/></xsl:call-template>
          <xsl:call-template name="copy"><xsl:with-param name="id" select="'xml-answer'"/></xsl:call-template>
        </xsl:otherwise>
      </xsl:choose>
    </section>
  </xsl:template>

  <xsl:template match="page[@kind = 'explore']" mode="main">
    <h1><xsl:apply-templates select="." mode="title"/></h1>
    <p><xsl:value-of select="p:say('explore.what')"/></p>
    <xsl:apply-templates select="asked" mode="form"/>
    <xsl:if test="query">
      <section aria-labelledby="request">
        <h2 id="request"><xsl:value-of select="p:say('explore.request')"/></h2>
        <p><a rel="nofollow" href="{@mount}?{query}"><code dir="ltr"><xsl:value-of select="concat(@base, '?', query)"/></code></a></p>
      </section>
    </xsl:if>
    <xsl:apply-templates select="answer"/>
    <xsl:if test="next">
      <nav class="pages" aria-label="{p:say('pages')}">
        <a rel="next nofollow" href="{$root}/explore?verb={p:encode(asked/@verb)}&amp;resumptionToken={p:encode(next/@token)}{$also}"><xsl:value-of select="p:say('next')"/></a>
      </nav>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
