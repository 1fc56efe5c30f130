<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Dublin Core as RDF of an archived document (model webarchiv), in the profile that repositories have offered under
     this prefix for twenty years: RDF in OAI's own namespace, one ow:Publication of the OntoWeb ontology in it, which
     is about the record and has Dublin Core properties. -->
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
        <xsl:for-each select="@title"><dc:title><xsl:value-of select="."/></dc:title></xsl:for-each>
        <xsl:for-each select="@url">
          <xsl:if test="not(../@title)"><dc:title><xsl:value-of select="."/></dc:title></xsl:if>
        </xsl:for-each>
        <xsl:for-each select="@description"><dc:description><xsl:value-of select="."/></dc:description></xsl:for-each>
        <xsl:for-each select="@language"><dc:language><xsl:value-of select="."/></dc:language></xsl:for-each>
        <xsl:for-each select="@domain"><dc:publisher><xsl:value-of select="."/></dc:publisher></xsl:for-each>
        <xsl:for-each select="@archived_time"><dc:date><xsl:value-of select="."/></dc:date></xsl:for-each>
        <xsl:for-each select="@mimetype"><dc:format><xsl:value-of select="."/></dc:format></xsl:for-each>
        <xsl:for-each select="@url"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
        <xsl:if test="not(@url)"><dc:identifier><xsl:value-of select="@identifier"/></dc:identifier></xsl:if>
        <xsl:for-each select="@arc">
          <dc:source>
            <xsl:value-of select="."/>
            <xsl:for-each select="../@arc_offset">#<xsl:value-of select="."/></xsl:for-each>
          </dc:source>
        </xsl:for-each>
        <xsl:for-each select="collections"><dc:relation><xsl:value-of select="."/></dc:relation></xsl:for-each>
      </ow:Publication>
    </rdf:RDF>
  </xsl:template>
</xsl:stylesheet>
