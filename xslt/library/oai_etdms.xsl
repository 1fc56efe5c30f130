<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- ETD-MS 1.0, the metadata of the Networked Digital Library of Theses and Dissertations, of a thesis (model library).
     Its schema demands a creator, a subject and a date, so a thesis that lacks one is not disseminated in this format;
     nor is any other item. The date is the year, since the item's date may be any text. The publisher is taken for the
     grantor of the degree. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="oai_etdms" alias="etdms"
            schema="http://www.ndltd.org/standards/metadata/etdms/1.0/etdms.xsd"
            namespace="http://www.ndltd.org/standards/metadata/etdms/1.0/"
            requires="thesis title creator subject year"/>

  <xsl:template match="record">
    <thesis xmlns="http://www.ndltd.org/standards/metadata/etdms/1.0/"
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
            xsi:schemaLocation="http://www.ndltd.org/standards/metadata/etdms/1.0/ http://www.ndltd.org/standards/metadata/etdms/1.0/etdms.xsd">
      <xsl:for-each select="title">
        <xsl:choose>
          <xsl:when test="position() = 1">
            <xsl:choose>
              <xsl:when test="@lang"><title xml:lang="{@lang}"><xsl:value-of select="."/></title></xsl:when>
              <xsl:otherwise><title><xsl:value-of select="."/></title></xsl:otherwise>
            </xsl:choose>
          </xsl:when>
          <xsl:otherwise>
            <xsl:choose>
              <xsl:when test="@lang"><alternativeTitle xml:lang="{@lang}"><xsl:value-of select="."/></alternativeTitle></xsl:when>
              <xsl:otherwise><alternativeTitle><xsl:value-of select="."/></alternativeTitle></xsl:otherwise>
            </xsl:choose>
          </xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="creator"><creator><xsl:value-of select="."/></creator></xsl:for-each>
      <xsl:for-each select="subject">
        <xsl:choose>
          <xsl:when test="@lang"><subject xml:lang="{@lang}"><xsl:value-of select="."/></subject></xsl:when>
          <xsl:otherwise><subject><xsl:value-of select="."/></subject></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="description">
        <xsl:choose>
          <xsl:when test="@lang"><description xml:lang="{@lang}"><xsl:value-of select="."/></description></xsl:when>
          <xsl:otherwise><description><xsl:value-of select="."/></description></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="publisher"><publisher><xsl:value-of select="."/></publisher></xsl:for-each>
      <xsl:for-each select="contributor"><contributor><xsl:value-of select="."/></contributor></xsl:for-each>
      <date><xsl:value-of select="@year"/></date>
      <type>Electronic Thesis or Dissertation</type>
      <xsl:for-each select="format"><format><xsl:value-of select="."/></format></xsl:for-each>
      <xsl:for-each select="@landing_page"><identifier><xsl:value-of select="."/></identifier></xsl:for-each>
      <xsl:for-each select="@doi"><identifier>https://doi.org/<xsl:value-of select="."/></identifier></xsl:for-each>
      <xsl:for-each select="@urn"><identifier><xsl:value-of select="."/></identifier></xsl:for-each>
      <xsl:if test="not(@landing_page or @doi or @urn)"><identifier><xsl:value-of select="@identifier"/></identifier></xsl:if>
      <xsl:for-each select="language"><language><xsl:value-of select="."/></language></xsl:for-each>
      <xsl:for-each select="coverage">
        <xsl:choose>
          <xsl:when test="@lang"><coverage xml:lang="{@lang}"><xsl:value-of select="."/></coverage></xsl:when>
          <xsl:otherwise><coverage><xsl:value-of select="."/></coverage></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="rights">
        <xsl:choose>
          <xsl:when test="@lang"><rights xml:lang="{@lang}"><xsl:value-of select="."/></rights></xsl:when>
          <xsl:otherwise><rights><xsl:value-of select="."/></rights></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="@licence"><rights><xsl:value-of select="."/></rights></xsl:for-each>
      <degree>
        <xsl:choose>
          <xsl:when test="@thesis = 'thesis:doctoral'"><level>doctoral</level></xsl:when>
          <xsl:when test="@thesis = 'thesis:master'"><level>masters</level></xsl:when>
          <xsl:when test="@thesis = 'thesis:bachelor'"><level>undergraduate</level></xsl:when>
        </xsl:choose>
        <xsl:if test="publisher"><grantor><xsl:value-of select="publisher"/></grantor></xsl:if>
      </degree>
    </thesis>
  </xsl:template>
</xsl:stylesheet>
