<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The explorer: a request by a form, the answer as harvesters get it, what is to be said of it; and the conformance report. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="o p">
  <xsl:template match="page[@kind = 'explore']" mode="title"><xsl:value-of select="p:say('explore.title')"/></xsl:template>
  <xsl:template match="page[@kind = 'conformance']" mode="title"><xsl:value-of select="p:say('conformance.title')"/></xsl:template>

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

  <xsl:template match="judgement">
    <section aria-labelledby="judgement">
      <h2 id="judgement"><xsl:value-of select="p:say('explore.judgement')"/></h2>
      <xsl:if test="@errors != ''"><p><xsl:value-of select="p:say('explore.error', @errors)"/></p></xsl:if>
      <p><xsl:value-of select="p:say(concat('explore.valid.', @valid))"/></p>
      <xsl:choose>
        <xsl:when test="broken">
          <ul>
            <xsl:for-each select="broken">
              <li><strong class="verdict-{@verdict}"><xsl:value-of select="p:say(concat('verdict.', @verdict))"/></strong><xsl:text>: </xsl:text>
                <span lang="en"><xsl:value-of select="concat(@title, ' (', @section, ')')"/>: <bdi><xsl:value-of select="@why"/></bdi></span></li>
            </xsl:for-each>
          </ul>
        </xsl:when>
        <xsl:otherwise><p><xsl:value-of select="p:say('explore.no-rule')"/></p></xsl:otherwise>
      </xsl:choose>
    </section>
  </xsl:template>

  <xsl:template match="answer">
    <section aria-labelledby="answer">
      <h2 id="answer"><xsl:value-of select="p:say('explore.answer')"/></h2>
      <p class="aside"><xsl:value-of select="p:say('explore.facts', @status, @bytes)"/></p>
      <pre dir="ltr" tabindex="0" role="region" aria-label="{p:say('explore.headers')}"><xsl:for-each select="header"><xsl:value-of select="concat(@name, ': ', @value, '&#10;')"/></xsl:for-each></pre>
      <xsl:choose>
        <xsl:when test="text"><pre dir="auto" tabindex="0" role="region" aria-label="{p:say('explore.answer')}"><xsl:value-of select="text"/></pre></xsl:when>
        <xsl:when test="too-long"><p><xsl:value-of select="p:say('explore.too-long')"/></p></xsl:when>
        <xsl:otherwise>
          <xsl:call-template name="pretty-xml"><xsl:with-param name="id" select="'xml-answer'"/><xsl:with-param name="element" select="*[not(self::header)]"/></xsl:call-template>
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
    <xsl:apply-templates select="judgement"/>
    <xsl:apply-templates select="answer"/>
    <xsl:if test="next">
      <nav class="pages" aria-label="{p:say('pages')}">
        <a rel="next nofollow" href="{$root}/explore?verb={next/@verb}&amp;resumptionToken={p:encode(next/@token)}{$also}"><xsl:value-of select="p:say('next')"/></a>
      </nav>
    </xsl:if>
    <p><a href="{$root}/explore/conformance{$only}"><xsl:value-of select="p:say('conformance.title')"/></a></p>
  </xsl:template>

  <xsl:template match="page[@kind = 'conformance']" mode="main">
    <h1><xsl:apply-templates select="." mode="title"/></h1>
    <xsl:choose>
      <xsl:when test="report"><xsl:apply-templates select="report"/></xsl:when>
      <xsl:otherwise><p role="status"><xsl:value-of select="p:say('conformance.wait')"/></p></xsl:otherwise>
    </xsl:choose>
    <p><a href="{$root}/explore{$only}"><xsl:value-of select="p:say('explore.title')"/></a></p>
  </xsl:template>

  <xsl:template match="report">
    <p><xsl:value-of select="p:say('conformance.what')"/><xsl:text> </xsl:text><xsl:call-template name="time"><xsl:with-param name="t" select="@made"/></xsl:call-template></p>
    <dl class="facts">
      <xsl:call-template name="fact"><xsl:with-param name="id" select="'verdict.pass'"/><xsl:with-param name="value"><xsl:value-of select="@passed"/></xsl:with-param></xsl:call-template>
      <xsl:call-template name="fact"><xsl:with-param name="id" select="'verdict.fail'"/><xsl:with-param name="value"><xsl:value-of select="@failed"/></xsl:with-param></xsl:call-template>
      <xsl:call-template name="fact"><xsl:with-param name="id" select="'verdict.warn'"/><xsl:with-param name="value"><xsl:value-of select="@warned"/></xsl:with-param></xsl:call-template>
      <xsl:call-template name="fact"><xsl:with-param name="id" select="'verdict.skip'"/><xsl:with-param name="value"><xsl:value-of select="@skipped"/></xsl:with-param></xsl:call-template>
    </dl>
    <xsl:for-each select="group">
      <section aria-labelledby="group-{position()}">
        <h2 id="group-{position()}" lang="en"><xsl:value-of select="@name"/></h2>
        <ul>
          <xsl:for-each select="check">
            <li><strong class="verdict-{@verdict}"><xsl:value-of select="p:say(concat('verdict.', @verdict))"/></strong><xsl:text>: </xsl:text>
              <span lang="en"><xsl:value-of select="concat(@title, ' (', @section, ')')"/>
                <xsl:if test="why">: <bdi><xsl:value-of select="why"/></bdi></xsl:if></span>
              <xsl:if test="request"><br/><code dir="ltr"><xsl:value-of select="request"/></code></xsl:if></li>
          </xsl:for-each>
        </ul>
      </section>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
