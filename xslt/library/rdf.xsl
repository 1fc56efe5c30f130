<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Dublin Core as RDF of an item (model library), in the profile that repositories have offered under this prefix for
     twenty years: RDF in OAI's own namespace, one ow:Publication of the OntoWeb ontology in it, which is about the record
     and has Dublin Core properties. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="rdf" schema="http://www.openarchives.org/OAI/2.0/rdf.xsd"
            namespace="http://www.openarchives.org/OAI/2.0/rdf/"/>

  <xsl:template match="record">
    <rdf:RDF xmlns:rdf="http://www.openarchives.org/OAI/2.0/rdf/"
             xmlns:ow="http://www.ontoweb.org/ontology/1#"
             xmlns:dc="http://purl.org/dc/elements/1.1/"
             xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
             xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/rdf/ http://www.openarchives.org/OAI/2.0/rdf.xsd">
      <ow:Publication rdf:about="{@identifier}">
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
        <xsl:for-each select="identifier"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
        <xsl:for-each select="@landing_page">
          <xsl:if test="not(../identifier = string(.))"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:if>
        </xsl:for-each>
        <xsl:if test="not(identifier or @landing_page)">
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
        <xsl:for-each select="@licence"><dc:rights><xsl:value-of select="."/></dc:rights></xsl:for-each>
      </ow:Publication>
    </rdf:RDF>
  </xsl:template>
</xsl:stylesheet>
