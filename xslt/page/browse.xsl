<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The pages for people. The server makes the source document, an element page that contains the answers that harvesters get,
     and provides the functions p:.... Every value becomes text or an attribute of the result, never markup.
     An address from metadata becomes a link only if it begins with http. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="o p">
  <xsl:import href="part/frame.xsl"/>
  <xsl:import href="part/kind.xsl"/>
  <xsl:import href="part/records.xsl"/>
  <xsl:import href="part/xml.xsl"/>
  <xsl:import href="part/home.xsl"/>
  <xsl:import href="part/formats.xsl"/>
  <xsl:import href="part/sets.xsl"/>
  <xsl:import href="part/list.xsl"/>
  <xsl:import href="part/citation.xsl"/>
  <xsl:import href="part/iso690.xsl"/>
  <xsl:import href="part/json-ld.xsl"/>
  <xsl:import href="part/record.xsl"/>
  <xsl:import href="part/explore.xsl"/>
  <xsl:import href="part/search.xsl"/>
  <xsl:import href="part/captures.xsl"/>
  <xsl:output method="html" encoding="UTF-8" doctype-system="about:legacy-compat" indent="no"/>

  <xsl:template match="/">
    <xsl:apply-templates select="page"/>
  </xsl:template>

  <xsl:template match="page[@kind = 'missing']" mode="title"><xsl:value-of select="p:say('missing')"/></xsl:template>
  <xsl:template match="page[@kind = 'missing']" mode="main">
    <h1><xsl:apply-templates select="." mode="title"/></h1>
    <p><xsl:value-of select="p:say('missing.why')"/></p>
    <p><a href="{$root}{$only}"><xsl:value-of select="p:say('nav.home')"/></a></p>
  </xsl:template>

  <xsl:template match="page[@kind = 'refused']" mode="title"><xsl:value-of select="p:say('refused')"/></xsl:template>
  <xsl:template match="page[@kind = 'refused']" mode="main">
    <h1><xsl:apply-templates select="." mode="title"/></h1>
    <xsl:call-template name="errors"/>
    <xsl:choose>
      <xsl:when test="asked/@q != ''"><p><xsl:call-template name="search-link"><xsl:with-param name="q" select="asked/@q"/><xsl:with-param name="text" select="p:say('captures.all-times')"/></xsl:call-template></p></xsl:when>
      <xsl:when test="asked"><xsl:call-template name="filters"/></xsl:when>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
