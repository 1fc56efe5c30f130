<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- UKETD_DC 2.0, the metadata of EThOS, the British Library's theses service, of a thesis (model library): qualified
     Dublin Core with terms for the institution, the advisor and the qualification. EThOS wants title, author,
     institution and year of award. Languages are the three letters of ISO 639-2. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="part/language.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="uketd_dc" schema="http://naca.central.cranfield.ac.uk/ethos-oai/2.0/uketd_dc.xsd"
            namespace="http://naca.central.cranfield.ac.uk/ethos-oai/2.0/"
            requires="thesis title creator publisher year"/>

  <xsl:template match="record">
    <uketd_dc:uketddc xmlns:uketd_dc="http://naca.central.cranfield.ac.uk/ethos-oai/2.0/"
                      xmlns:dc="http://purl.org/dc/elements/1.1/"
                      xmlns:dcterms="http://purl.org/dc/terms/"
                      xmlns:uketdterms="http://naca.central.cranfield.ac.uk/ethos-oai/terms/"
                      xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                      xsi:schemaLocation="http://naca.central.cranfield.ac.uk/ethos-oai/2.0/ http://naca.central.cranfield.ac.uk/ethos-oai/2.0/uketd_dc.xsd">
      <dc:title><xsl:value-of select="title"/></dc:title>
      <xsl:for-each select="title[position() &gt; 1]">
        <dcterms:alternative><xsl:value-of select="."/></dcterms:alternative>
      </xsl:for-each>
      <xsl:for-each select="creator"><dc:creator><xsl:value-of select="."/></dc:creator></xsl:for-each>
      <!-- EThOS knows contributors as advisors only. -->
      <xsl:for-each select="contributor">
        <uketdterms:advisor><xsl:value-of select="."/></uketdterms:advisor>
      </xsl:for-each>
      <xsl:for-each select="description">
        <xsl:choose>
          <xsl:when test="@lang"><dcterms:abstract xml:lang="{@lang}"><xsl:value-of select="."/></dcterms:abstract></xsl:when>
          <xsl:otherwise><dcterms:abstract><xsl:value-of select="."/></dcterms:abstract></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="publisher">
        <uketdterms:institution><xsl:value-of select="."/></uketdterms:institution>
      </xsl:for-each>
      <dcterms:issued><xsl:value-of select="@year"/></dcterms:issued>
      <dc:type>Thesis or Dissertation</dc:type>
      <xsl:choose>
        <xsl:when test="@thesis = 'thesis:doctoral'"
          ><uketdterms:qualificationlevel>doctoral</uketdterms:qualificationlevel></xsl:when>
        <xsl:when test="@thesis = 'thesis:master'"
          ><uketdterms:qualificationlevel>masters</uketdterms:qualificationlevel></xsl:when>
        <xsl:when test="@thesis = 'thesis:bachelor'"
          ><uketdterms:qualificationlevel>undergraduate</uketdterms:qualificationlevel></xsl:when>
      </xsl:choose>
      <xsl:for-each select="language">
        <xsl:variable name="code">
          <xsl:call-template name="three-letters"><xsl:with-param name="of" select="."/></xsl:call-template>
        </xsl:variable>
        <xsl:if test="$code != ''">
          <dc:language xsi:type="dcterms:ISO639-2"><xsl:value-of select="$code"/></dc:language>
        </xsl:if>
      </xsl:for-each>
      <xsl:for-each select="@landing_page">
        <dcterms:isReferencedBy><xsl:value-of select="."/></dcterms:isReferencedBy>
      </xsl:for-each>
      <xsl:for-each select="@doi"><dc:identifier>https://doi.org/<xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="@urn"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="format"><dc:format><xsl:value-of select="."/></dc:format></xsl:for-each>
      <xsl:for-each select="rights">
        <xsl:choose>
          <xsl:when test="@lang"><dc:rights xml:lang="{@lang}"><xsl:value-of select="."/></dc:rights></xsl:when>
          <xsl:otherwise><dc:rights><xsl:value-of select="."/></dc:rights></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="@licence"><dcterms:license><xsl:value-of select="."/></dcterms:license></xsl:for-each>
      <xsl:for-each select="subject">
        <xsl:choose>
          <xsl:when test="@lang"><dc:subject xml:lang="{@lang}"><xsl:value-of select="."/></dc:subject></xsl:when>
          <xsl:otherwise><dc:subject><xsl:value-of select="."/></dc:subject></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="coverage">
        <xsl:choose>
          <xsl:when test="@lang"><dc:coverage xml:lang="{@lang}"><xsl:value-of select="."/></dc:coverage></xsl:when>
          <xsl:otherwise><dc:coverage><xsl:value-of select="."/></dc:coverage></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
    </uketd_dc:uketddc>
  </xsl:template>
</xsl:stylesheet>
