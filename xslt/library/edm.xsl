<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Europeana Data Model of an item (model library): the item as a provided object, its landing page as the web
     resource, and an aggregation that says who shows it where. Documents of EDM are RDF/XML: the format is known by EDM's
     namespace and begins with rdf:RDF. edm:rights is the licence where it is one that Europeana knows, Creative Commons'
     or a statement of RightsStatements.org; else CNE, copyright not evaluated. The repository's identifier namespace
     stands in for edm:dataProvider and edm:provider: write the names agreed with Europeana here before you register. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="edm" schema="http://www.europeana.eu/schemas/edm/EDM.xsd"
            namespace="http://www.europeana.eu/schemas/edm/"
            root-namespace="http://www.w3.org/1999/02/22-rdf-syntax-ns#" requires="title landing_page"/>

  <xsl:template match="record">
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
             xmlns:edm="http://www.europeana.eu/schemas/edm/"
             xmlns:ore="http://www.openarchives.org/ore/terms/"
             xmlns:dc="http://purl.org/dc/elements/1.1/"
             xmlns:dcterms="http://purl.org/dc/terms/"
             xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
             xsi:schemaLocation="http://www.w3.org/1999/02/22-rdf-syntax-ns# http://www.europeana.eu/schemas/edm/EDM.xsd">
      <edm:ProvidedCHO rdf:about="{@identifier}">
        <xsl:for-each select="contributor">
          <dc:contributor><xsl:value-of select="."/></dc:contributor>
        </xsl:for-each>
        <xsl:for-each select="coverage">
          <xsl:choose>
            <xsl:when test="@lang"><dc:coverage xml:lang="{@lang}"><xsl:value-of select="."/></dc:coverage></xsl:when>
            <xsl:otherwise><dc:coverage><xsl:value-of select="."/></dc:coverage></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:for-each select="creator"><dc:creator><xsl:value-of select="."/></dc:creator></xsl:for-each>
        <xsl:for-each select="date"><dc:date><xsl:value-of select="."/></dc:date></xsl:for-each>
        <xsl:for-each select="description">
          <xsl:choose>
            <xsl:when test="@lang"><dc:description xml:lang="{@lang}"><xsl:value-of select="."/></dc:description></xsl:when>
            <xsl:otherwise><dc:description><xsl:value-of select="."/></dc:description></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:for-each select="format"><dc:format><xsl:value-of select="."/></dc:format></xsl:for-each>
        <xsl:for-each select="identifier"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
        <xsl:for-each select="language"><dc:language><xsl:value-of select="."/></dc:language></xsl:for-each>
        <!-- Mandatory for text; the code und means that the language is not determined. -->
        <xsl:if test="not(language)"><dc:language>und</dc:language></xsl:if>
        <xsl:for-each select="publisher"><dc:publisher><xsl:value-of select="."/></dc:publisher></xsl:for-each>
        <xsl:for-each select="relation">
          <xsl:choose>
            <xsl:when test="@lang"><dc:relation xml:lang="{@lang}"><xsl:value-of select="."/></dc:relation></xsl:when>
            <xsl:otherwise><dc:relation><xsl:value-of select="."/></dc:relation></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:for-each select="rights">
          <xsl:choose>
            <xsl:when test="@lang"><dc:rights xml:lang="{@lang}"><xsl:value-of select="."/></dc:rights></xsl:when>
            <xsl:otherwise><dc:rights><xsl:value-of select="."/></dc:rights></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:for-each select="source">
          <xsl:choose>
            <xsl:when test="@lang"><dc:source xml:lang="{@lang}"><xsl:value-of select="."/></dc:source></xsl:when>
            <xsl:otherwise><dc:source><xsl:value-of select="."/></dc:source></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:for-each select="subject">
          <xsl:choose>
            <xsl:when test="@lang"><dc:subject xml:lang="{@lang}"><xsl:value-of select="."/></dc:subject></xsl:when>
            <xsl:otherwise><dc:subject><xsl:value-of select="."/></dc:subject></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:for-each select="title">
          <xsl:choose>
            <xsl:when test="@lang"><dc:title xml:lang="{@lang}"><xsl:value-of select="."/></dc:title></xsl:when>
            <xsl:otherwise><dc:title><xsl:value-of select="."/></dc:title></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:for-each select="type">
          <xsl:choose>
            <xsl:when test="@lang"><dc:type xml:lang="{@lang}"><xsl:value-of select="."/></dc:type></xsl:when>
            <xsl:otherwise><dc:type><xsl:value-of select="."/></dc:type></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <!-- Europeana demands a subject, a type, a time or a place. -->
        <xsl:if test="not(type)">
          <xsl:choose>
            <xsl:when test="@kind"><dc:type><xsl:value-of select="@kind"/></dc:type></xsl:when>
            <xsl:otherwise><dc:type>bibliographic item</dc:type></xsl:otherwise>
          </xsl:choose>
        </xsl:if>
        <xsl:for-each select="collections">
          <dcterms:isPartOf><xsl:value-of select="."/></dcterms:isPartOf>
        </xsl:for-each>
        <xsl:for-each select="@year">
          <dcterms:issued><xsl:value-of select="."/></dcterms:issued>
        </xsl:for-each>
        <xsl:choose>
          <xsl:when test="@kind = 'image' or @kind = 'map'"><edm:type>IMAGE</edm:type></xsl:when>
          <xsl:when test="@kind = 'video'"><edm:type>VIDEO</edm:type></xsl:when>
          <xsl:when test="@kind = 'sound'"><edm:type>SOUND</edm:type></xsl:when>
          <xsl:otherwise><edm:type>TEXT</edm:type></xsl:otherwise>
        </xsl:choose>
      </edm:ProvidedCHO>
      <edm:WebResource rdf:about="{@landing_page}"/>
      <ore:Aggregation rdf:about="{@identifier}#aggregation">
        <edm:aggregatedCHO rdf:resource="{@identifier}"/>
        <edm:dataProvider>
          <xsl:value-of select="substring-before(substring-after(@identifier, ':'), ':')"/>
        </edm:dataProvider>
        <edm:isShownAt rdf:resource="{@landing_page}"/>
        <edm:provider>
          <xsl:value-of select="substring-before(substring-after(@identifier, ':'), ':')"/>
        </edm:provider>
        <!-- The URIs of the vocabularies begin with http:, even if that of the item begins with https:. -->
        <xsl:choose>
          <xsl:when test="starts-with(@licence, 'http://creativecommons.org/')
                          or starts-with(@licence, 'http://rightsstatements.org/vocab/')"
            ><edm:rights rdf:resource="{@licence}"/></xsl:when>
          <xsl:when test="starts-with(@licence, 'https://creativecommons.org/')
                          or starts-with(@licence, 'https://rightsstatements.org/vocab/')"
            ><edm:rights rdf:resource="http://{substring-after(@licence, 'https://')}"/></xsl:when>
          <xsl:otherwise><edm:rights rdf:resource="http://rightsstatements.org/vocab/CNE/1.0/"/></xsl:otherwise>
        </xsl:choose>
      </ore:Aggregation>
    </rdf:RDF>
  </xsl:template>
</xsl:stylesheet>
