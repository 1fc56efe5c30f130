<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Simple Dublin Core of a bibliographic item (model library): the fifteen elements as they are, with their languages,
     and what only the item's columns have. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="oai_dc" schema="http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
            namespace="http://www.openarchives.org/OAI/2.0/oai_dc/"/>

  <xsl:template match="record">
    <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
               xmlns:dc="http://purl.org/dc/elements/1.1/"
               xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
               xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
      <xsl:for-each select="title">
        <xsl:choose>
          <xsl:when test="@lang"><dc:title xml:lang="{@lang}"><xsl:value-of select="."/></dc:title></xsl:when>
          <xsl:otherwise><dc:title><xsl:value-of select="."/></dc:title></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="creator">
        <xsl:choose>
          <xsl:when test="@lang"><dc:creator xml:lang="{@lang}"><xsl:value-of select="."/></dc:creator></xsl:when>
          <xsl:otherwise><dc:creator><xsl:value-of select="."/></dc:creator></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="subject">
        <xsl:choose>
          <xsl:when test="@lang"><dc:subject xml:lang="{@lang}"><xsl:value-of select="."/></dc:subject></xsl:when>
          <xsl:otherwise><dc:subject><xsl:value-of select="."/></dc:subject></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="description">
        <xsl:choose>
          <xsl:when test="@lang"><dc:description xml:lang="{@lang}"><xsl:value-of select="."/></dc:description></xsl:when>
          <xsl:otherwise><dc:description><xsl:value-of select="."/></dc:description></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="publisher">
        <xsl:choose>
          <xsl:when test="@lang"><dc:publisher xml:lang="{@lang}"><xsl:value-of select="."/></dc:publisher></xsl:when>
          <xsl:otherwise><dc:publisher><xsl:value-of select="."/></dc:publisher></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="contributor">
        <xsl:choose>
          <xsl:when test="@lang"><dc:contributor xml:lang="{@lang}"><xsl:value-of select="."/></dc:contributor></xsl:when>
          <xsl:otherwise><dc:contributor><xsl:value-of select="."/></dc:contributor></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="date"><dc:date><xsl:value-of select="."/></dc:date></xsl:for-each>
      <xsl:for-each select="type">
        <xsl:choose>
          <xsl:when test="@lang"><dc:type xml:lang="{@lang}"><xsl:value-of select="."/></dc:type></xsl:when>
          <xsl:otherwise><dc:type><xsl:value-of select="."/></dc:type></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="format"><dc:format><xsl:value-of select="."/></dc:format></xsl:for-each>
      <!-- First the identifiers in the item's columns, then those that only the description has. The OAI identifier stands in
           the header anyway; it is repeated if there is no other. -->
      <xsl:for-each select="@landing_page"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="@doi"><dc:identifier>https://doi.org/<xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="@urn"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="identifier">
        <xsl:if test="not(. = string(../@landing_page) or . = string(../@urn) or (../@doi and contains(., ../@doi)))">
          <dc:identifier><xsl:value-of select="."/></dc:identifier>
        </xsl:if>
      </xsl:for-each>
      <xsl:if test="not(identifier or @landing_page or @doi or @urn)">
        <dc:identifier><xsl:value-of select="@identifier"/></dc:identifier>
      </xsl:if>
      <xsl:for-each select="source">
        <xsl:choose>
          <xsl:when test="@lang"><dc:source xml:lang="{@lang}"><xsl:value-of select="."/></dc:source></xsl:when>
          <xsl:otherwise><dc:source><xsl:value-of select="."/></dc:source></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="language"><dc:language><xsl:value-of select="."/></dc:language></xsl:for-each>
      <xsl:for-each select="relation">
        <xsl:choose>
          <xsl:when test="@lang"><dc:relation xml:lang="{@lang}"><xsl:value-of select="."/></dc:relation></xsl:when>
          <xsl:otherwise><dc:relation><xsl:value-of select="."/></dc:relation></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="coverage">
        <xsl:choose>
          <xsl:when test="@lang"><dc:coverage xml:lang="{@lang}"><xsl:value-of select="."/></dc:coverage></xsl:when>
          <xsl:otherwise><dc:coverage><xsl:value-of select="."/></dc:coverage></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="rights">
        <xsl:choose>
          <xsl:when test="@lang"><dc:rights xml:lang="{@lang}"><xsl:value-of select="."/></dc:rights></xsl:when>
          <xsl:otherwise><dc:rights><xsl:value-of select="."/></dc:rights></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:if test="@licence and not(rights = string(@licence))">
        <dc:rights><xsl:value-of select="@licence"/></dc:rights>
      </xsl:if>
    </oai_dc:dc>
  </xsl:template>
</xsl:stylesheet>
