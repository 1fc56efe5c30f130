<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Formats and their schemas. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page"
                exclude-result-prefixes="p">
  <xsl:template match="page[@kind = 'formats']" mode="title"><xsl:value-of select="p:say('formats.title')"/></xsl:template>

  <xsl:template match="page[@kind = 'formats']" mode="main">
    <h1><xsl:value-of select="p:say('formats.title')"/></h1>
    <p><xsl:value-of select="p:say('formats.what')"/></p>
    <xsl:for-each select="formats/format">
      <section aria-labelledby="{@prefix}">
        <h2 id="{@prefix}"><xsl:value-of select="@prefix"/></h2>
        <dl class="facts">
          <xsl:if test="@aliases != ''"><dt><xsl:value-of select="p:say('format.aliases')"/></dt><dd><xsl:value-of select="@aliases"/></dd></xsl:if>
          <dt><xsl:value-of select="p:say('format.namespace')"/></dt><dd><code><xsl:value-of select="@namespace"/></code></dd>
          <dt><xsl:value-of select="p:say('format.schema')"/></dt><dd><xsl:call-template name="web-address"><xsl:with-param name="address" select="@schema"/></xsl:call-template></dd>
          <dt><xsl:value-of select="p:say('format.for')"/></dt>
          <dd><xsl:choose>
            <xsl:when test="@requires = ''"><xsl:value-of select="p:say('format.all')"/></xsl:when>
            <xsl:otherwise><xsl:value-of select="p:say('format.requires', @requires)"/></xsl:otherwise>
          </xsl:choose></dd>
          <xsl:if test="@since != ''"><dt><xsl:value-of select="p:say('format.since')"/></dt><dd><xsl:call-template name="time"><xsl:with-param name="t" select="@since"/></xsl:call-template></dd></xsl:if>
        </dl>
        <p><a><xsl:attribute name="href"><xsl:call-template name="list-address"><xsl:with-param name="prefix" select="@prefix"/></xsl:call-template></xsl:attribute>
          <xsl:value-of select="p:say('format.list', @prefix)"/></a></p>
      </section>
    </xsl:for-each>
  </xsl:template>

  <!-- A link if the address begins with http, or else plain text. -->
  <xsl:template name="web-address">
    <xsl:param name="address"/>
    <xsl:choose>
      <xsl:when test="starts-with($address, 'http://') or starts-with($address, 'https://')"><a href="{p:address($address)}" rel="nofollow noopener" dir="ltr"><xsl:value-of select="$address"/></a></xsl:when>
      <xsl:otherwise><span dir="auto"><xsl:value-of select="$address"/></span></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
