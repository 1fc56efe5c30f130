<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- A list of records with its filters, and links to the first and the next page. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="o p">
  <xsl:template match="page[@kind = 'list']" mode="title">
    <xsl:value-of select="p:say('list.title')"/>
    <xsl:for-each select="path/set[last()]">: <xsl:call-template name="set-name"/></xsl:for-each>
  </xsl:template>

  <xsl:template name="this-list">
    <xsl:param name="more" select="''"/>
    <xsl:call-template name="list-address">
      <xsl:with-param name="set" select="$page/asked/@set"/>
      <xsl:with-param name="from" select="$page/asked/@from"/>
      <xsl:with-param name="until" select="$page/asked/@until"/>
      <xsl:with-param name="prefix" select="$page/asked/@prefix"/>
      <xsl:with-param name="more" select="$more"/>
    </xsl:call-template>
  </xsl:template>

  <!-- The value of a field for a day; a browser refuses what is none. -->
  <xsl:template name="day">
    <xsl:param name="name"/>
    <xsl:variable name="t" select="asked/@*[name() = $name]"/>
    <xsl:variable name="day" select="substring($t, 1, 10)"/>
    <xsl:if test="translate($day, '123456789', '000000000') = '0000-00-00' and not(error[@kind = 'date' and @one = $name])"><xsl:attribute name="value"><xsl:value-of select="$day"/></xsl:attribute></xsl:if>
  </xsl:template>

  <xsl:template name="filters">
    <!-- Folded, so that the first record is seen at once. -->
    <details class="narrow"><xsl:if test="error"><xsl:attribute name="open">open</xsl:attribute></xsl:if>
    <summary><xsl:value-of select="p:say('list.narrow')"/></summary>
    <form class="filters" action="{$root}/list" method="get">
      <p><label for="set"><xsl:value-of select="p:say('set')"/></label>
        <input id="set" name="set" type="text" value="{asked/@set}" autocomplete="off" spellcheck="false" dir="ltr"/></p>
      <p><label for="from"><xsl:value-of select="p:say('from')"/></label>
        <input id="from" name="from" type="date"><xsl:call-template name="day"><xsl:with-param name="name" select="'from'"/></xsl:call-template></input></p>
      <p><label for="until"><xsl:value-of select="p:say('until')"/></label>
        <input id="until" name="until" type="date"><xsl:call-template name="day"><xsl:with-param name="name" select="'until'"/></xsl:call-template></input></p>
      <p><label for="format"><xsl:value-of select="p:say('format')"/></label>
        <select id="format" name="metadataPrefix">
          <xsl:for-each select="formats/format">
            <option value="{@prefix}"><xsl:if test="@prefix = $page/asked/@prefix"><xsl:attribute name="selected">selected</xsl:attribute></xsl:if><xsl:value-of select="@prefix"/></option>
          </xsl:for-each>
        </select></p>
      <xsl:call-template name="keep-language"/>
      <p><button type="submit"><xsl:value-of select="p:say('filter')"/></button></p>
    </form>
    </details>
  </xsl:template>

  <xsl:template match="page[@kind = 'list']" mode="main">
    <xsl:variable name="records" select="o:OAI-PMH/o:ListRecords/o:record"/>
    <h1 dir="auto"><xsl:apply-templates select="." mode="title"/></h1>
    <xsl:if test="path/set">
      <nav aria-label="{p:say('path')}"><ol class="path">
        <xsl:for-each select="path/set"><li dir="auto"><a href="{$set}{p:encode(@spec)}{$also}"><xsl:call-template name="set-name"/></a></li></xsl:for-each>
      </ol></nav>
    </xsl:if>
    <xsl:call-template name="filters"/>
    <xsl:call-template name="errors"/>
    <xsl:if test="$records">
      <section aria-labelledby="found">
        <h2 id="found">
          <xsl:value-of select="p:number(asked/@n + 1)"/>–<xsl:value-of select="p:number(asked/@n + count($records))"/>
          <xsl:variable name="token" select="o:OAI-PMH/o:ListRecords/o:resumptionToken"/>
          <xsl:variable name="size">
            <xsl:choose>
              <xsl:when test="$token/@completeListSize"><xsl:value-of select="$token/@completeListSize"/></xsl:when>
              <xsl:when test="not(next)"><xsl:value-of select="asked/@n + count($records)"/></xsl:when>
              <xsl:when test="path/set and asked/@from = '' and asked/@until = '' and formats/format[@prefix = $page/asked/@prefix]/@requires = ''"><xsl:value-of select="path/set[last()]/@records"/></xsl:when>
            </xsl:choose>
          </xsl:variable>
          <xsl:if test="$size != ''"><xsl:text> </xsl:text><xsl:value-of select="p:say('of')"/><xsl:text> </xsl:text><xsl:value-of select="p:count('of-records', $size)"/></xsl:if>
        </h2>
        <ol class="records"><xsl:apply-templates select="$records" mode="line"/></ol>
      </section>
    </xsl:if>
    <xsl:if test="next or asked/@n &gt; 0">
      <nav class="pages" aria-label="{p:say('pages')}">
        <xsl:if test="asked/@n &gt; 0">
          <a><xsl:attribute name="href"><xsl:call-template name="this-list"/></xsl:attribute><xsl:value-of select="p:say('first')"/></a>
        </xsl:if>
        <xsl:if test="next">
          <a rel="next"><xsl:attribute name="href"><xsl:call-template name="this-list"><xsl:with-param name="more" select="concat('&amp;after=', next/@after, '&amp;n=', next/@n)"/></xsl:call-template></xsl:attribute><xsl:value-of select="p:say('next')"/></a>
        </xsl:if>
      </nav>
    </xsl:if>
    <section aria-labelledby="harvest">
      <h2 id="harvest"><xsl:value-of select="p:say('harvest.this')"/></h2>
      <xsl:call-template name="copied-command">
        <xsl:with-param name="id" select="'command-list'"/>
        <xsl:with-param name="command">curl '<xsl:value-of select="concat(@base, '?verb=ListRecords&amp;metadataPrefix=', p:encode(asked/@prefix))"/><xsl:if test="asked/@set != ''">&amp;set=<xsl:value-of select="p:encode(asked/@set)"/></xsl:if><xsl:if test="asked/@from != ''">&amp;from=<xsl:value-of select="asked/@from"/></xsl:if><xsl:if test="asked/@until != ''">&amp;until=<xsl:value-of select="asked/@until"/></xsl:if>'</xsl:with-param>
      </xsl:call-template>
    </section>
  </xsl:template>
</xsl:stylesheet>
