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
          <dc:title>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:title>
        </xsl:for-each>
        <xsl:for-each select="creator">
          <dc:creator>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:creator>
        </xsl:for-each>
        <xsl:for-each select="subject">
          <dc:subject>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:subject>
        </xsl:for-each>
        <xsl:for-each select="description">
          <dc:description>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:description>
        </xsl:for-each>
        <xsl:for-each select="publisher">
          <dc:publisher>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:publisher>
        </xsl:for-each>
        <xsl:for-each select="contributor">
          <dc:contributor>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:contributor>
        </xsl:for-each>
        <xsl:for-each select="date"><dc:date><xsl:value-of select="."/></dc:date></xsl:for-each>
        <xsl:for-each select="type">
          <dc:type>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:type>
        </xsl:for-each>
        <xsl:for-each select="format"><dc:format><xsl:value-of select="."/></dc:format></xsl:for-each>
        <xsl:for-each select="identifier"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
        <xsl:for-each select="@landing_page">
          <xsl:if test="not(../identifier = .)"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:if>
        </xsl:for-each>
        <xsl:if test="not(identifier or @landing_page)">
          <dc:identifier><xsl:value-of select="@identifier"/></dc:identifier>
        </xsl:if>
        <xsl:for-each select="source">
          <dc:source>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:source>
        </xsl:for-each>
        <xsl:for-each select="language"><dc:language><xsl:value-of select="."/></dc:language></xsl:for-each>
        <xsl:for-each select="relation">
          <dc:relation>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:relation>
        </xsl:for-each>
        <xsl:for-each select="coverage">
          <dc:coverage>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:coverage>
        </xsl:for-each>
        <xsl:for-each select="rights">
          <dc:rights>
            <xsl:if test="@lang"><xsl:attribute name="xml:lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
            <xsl:value-of select="."/>
          </dc:rights>
        </xsl:for-each>
        <xsl:for-each select="@licence"><dc:rights><xsl:value-of select="."/></dc:rights></xsl:for-each>
      </ow:Publication>
    </rdf:RDF>
  </xsl:template>
</xsl:stylesheet>
