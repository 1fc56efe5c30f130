<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The repositories that an aggregator harvests. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page"
                exclude-result-prefixes="p">
  <xsl:template match="page[@kind = 'sources']" mode="title"><xsl:value-of select="p:say('sources.title')"/></xsl:template>

  <xsl:template name="source">
    <li id="{@name}">
      <span class="name" dir="auto">
        <xsl:choose>
          <xsl:when test="@set != ''"><a><xsl:attribute name="href"><xsl:call-template name="list-address"><xsl:with-param name="set" select="@set"/></xsl:call-template></xsl:attribute><xsl:value-of select="@title"/></a></xsl:when>
          <xsl:otherwise><xsl:value-of select="@title"/></xsl:otherwise>
        </xsl:choose>
      </span>
      <xsl:text> </xsl:text><span class="number"><xsl:value-of select="p:count('records', @records)"/></span>
      <span class="meta"><xsl:call-template name="web-address"><xsl:with-param name="address" select="@base"/></xsl:call-template></span>
      <span class="meta">
        <strong><xsl:value-of select="p:say(concat('source.', @state))"/></strong>
        <xsl:if test="@since != ''"><xsl:text> </xsl:text><xsl:value-of select="p:say('source.since')"/><xsl:text> </xsl:text><xsl:call-template name="time"><xsl:with-param name="t" select="@since"/></xsl:call-template></xsl:if>
        <xsl:if test="@succeeded != ''"><xsl:text> · </xsl:text><xsl:value-of select="p:say('source.succeeded')"/><xsl:text> </xsl:text><xsl:call-template name="time"><xsl:with-param name="t" select="@succeeded"/></xsl:call-template></xsl:if>
      </span>
    </li>
  </xsl:template>

  <xsl:template match="page[@kind = 'sources']" mode="main">
    <h1><xsl:value-of select="p:say('sources.title')"/></h1>
    <p><xsl:value-of select="p:say('sources.what')"/></p>
    <xsl:choose>
      <xsl:when test="source"><ol class="records"><xsl:for-each select="source"><xsl:call-template name="source"/></xsl:for-each></ol></xsl:when>
      <xsl:otherwise><p><xsl:value-of select="p:say('sources.none')"/></p></xsl:otherwise>
    </xsl:choose>
    <xsl:if test="next or asked">
      <nav class="pages" aria-label="{p:say('pages')}">
        <xsl:if test="asked"><a href="{$root}/sources{$only}"><xsl:value-of select="p:say('first')"/></a></xsl:if>
        <xsl:if test="next"><a rel="next" href="{$root}/sources?after={p:encode(next/@after)}{$also}"><xsl:value-of select="p:say('next')"/></a></xsl:if>
      </nav>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
