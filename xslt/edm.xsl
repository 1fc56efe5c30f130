<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Europeana Data Model of an archived document (model webarchiv): the capture as a provided object, an aggregation
     that says who shows it where, and the web resource itself. Documents of EDM are RDF/XML: the format is known by
     EDM's namespace and begins with rdf:RDF.
     Europeana demands what an archive's index does not hold. Before you register, write here
       edm:dataProvider, edm:provider  the names agreed with Europeana; the repository's identifier namespace stands in
       edm:rights                      the statement that holds; CNE says that nobody has yet evaluated the copyright
       edm:isShownAt                   a prefix of your replay service before the address, which alone is the live web
     dc:language is mandatory for text; where the document does not say its language, the code und means that it is not
     determined.
     The address stands in attributes that must be URIs by EDM; part/address.xsl makes it one. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="part/address.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="edm" schema="http://www.europeana.eu/schemas/edm/EDM.xsd"
            namespace="http://www.europeana.eu/schemas/edm/"
            root-namespace="http://www.w3.org/1999/02/22-rdf-syntax-ns#" requires="url"/>

  <xsl:template match="record">
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
             xmlns:edm="http://www.europeana.eu/schemas/edm/"
             xmlns:ore="http://www.openarchives.org/ore/terms/"
             xmlns:dc="http://purl.org/dc/elements/1.1/"
             xmlns:dcterms="http://purl.org/dc/terms/"
             xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
             xsi:schemaLocation="http://www.w3.org/1999/02/22-rdf-syntax-ns# http://www.europeana.eu/schemas/edm/EDM.xsd">
      <edm:ProvidedCHO rdf:about="{@identifier}">
        <xsl:for-each select="@description"><dc:description><xsl:value-of select="."/></dc:description></xsl:for-each>
        <xsl:for-each select="@mimetype"><dc:format><xsl:value-of select="."/></dc:format></xsl:for-each>
        <dc:identifier><xsl:value-of select="@url"/></dc:identifier>
        <xsl:choose>
          <xsl:when test="@language"><dc:language><xsl:value-of select="@language"/></dc:language></xsl:when>
          <xsl:otherwise><dc:language>und</dc:language></xsl:otherwise>
        </xsl:choose>
        <xsl:for-each select="@domain"><dc:publisher><xsl:value-of select="."/></dc:publisher></xsl:for-each>
        <xsl:choose>
          <xsl:when test="@title"><dc:title><xsl:value-of select="@title"/></dc:title></xsl:when>
          <xsl:otherwise><dc:title><xsl:value-of select="@url"/></dc:title></xsl:otherwise>
        </xsl:choose>
        <dc:type>web capture</dc:type>
        <xsl:for-each select="@archived_time">
          <dcterms:created><xsl:value-of select="."/></dcterms:created>
        </xsl:for-each>
        <xsl:for-each select="collections">
          <dcterms:isPartOf><xsl:value-of select="."/></dcterms:isPartOf>
        </xsl:for-each>
        <xsl:choose>
          <xsl:when test="starts-with(@mimetype, 'image/')"><edm:type>IMAGE</edm:type></xsl:when>
          <xsl:when test="starts-with(@mimetype, 'video/')"><edm:type>VIDEO</edm:type></xsl:when>
          <xsl:when test="starts-with(@mimetype, 'audio/')"><edm:type>SOUND</edm:type></xsl:when>
          <!-- edm:type has five values; most of what a web archive holds besides is text. -->
          <xsl:otherwise><edm:type>TEXT</edm:type></xsl:otherwise>
        </xsl:choose>
      </edm:ProvidedCHO>
      <xsl:variable name="address"><xsl:call-template name="address"/></xsl:variable>
      <edm:WebResource rdf:about="{$address}">
        <xsl:for-each select="@mimetype"><dc:format><xsl:value-of select="."/></dc:format></xsl:for-each>
      </edm:WebResource>
      <ore:Aggregation rdf:about="{@identifier}#aggregation">
        <edm:aggregatedCHO rdf:resource="{@identifier}"/>
        <edm:dataProvider>
          <xsl:value-of select="substring-before(substring-after(@identifier, ':'), ':')"/>
        </edm:dataProvider>
        <edm:isShownAt rdf:resource="{$address}"/>
        <edm:provider>
          <xsl:value-of select="substring-before(substring-after(@identifier, ':'), ':')"/>
        </edm:provider>
        <edm:rights rdf:resource="http://rightsstatements.org/vocab/CNE/1.0/"/>
      </ore:Aggregation>
    </rdf:RDF>
  </xsl:template>
</xsl:stylesheet>
