<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- A record's Dublin Core as JSON-LD in the vocabulary of schema.org, for search engines. Elements that it has no property for are
     left out. p:json() writes no <, > or &, so that HTML cannot take a value for markup. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="p">
  <xsl:variable name="properties" select="' title:name creator:creator contributor:contributor subject:keywords description:description publisher:publisher date:datePublished type:additionalType format:encodingFormat language:inLanguage rights:copyrightNotice source:isBasedOn coverage:spatialCoverage '"/>

  <xsl:template name="json-ld">
    <xsl:value-of select="concat('{&quot;@context&quot;:&quot;https://schema.org&quot;,&quot;@type&quot;:&quot;CreativeWork&quot;,&quot;@id&quot;:', p:json($item/@url), ',&quot;url&quot;:', p:json($item/@url))"/>
    <xsl:value-of select="concat(',&quot;includedInDataCatalog&quot;:{&quot;@type&quot;:&quot;DataCatalog&quot;,&quot;name&quot;:', p:json($item/@repository), '},&quot;identifier&quot;:[', p:json($item/@identifier))"/>
    <xsl:for-each select="$dc[local-name() = 'identifier']"><xsl:value-of select="concat(',', p:json(.))"/></xsl:for-each>
    <xsl:text>]</xsl:text>
    <xsl:for-each select="$dc[contains($properties, concat(' ', local-name(), ':'))][not(local-name() = local-name(preceding-sibling::*[normalize-space()][1]))]">
      <xsl:variable name="name" select="local-name()"/>
      <xsl:if test="not(preceding-sibling::*[local-name() = $name][normalize-space()])">
        <xsl:value-of select="concat(',&quot;', substring-before(substring-after($properties, concat(' ', $name, ':')), ' '), '&quot;:[')"/>
        <xsl:for-each select="$dc[local-name() = $name]"><xsl:if test="position() &gt; 1">,</xsl:if><xsl:value-of select="p:json(.)"/></xsl:for-each>
        <xsl:text>]</xsl:text>
      </xsl:if>
    </xsl:for-each>
    <xsl:text>}</xsl:text>
  </xsl:template>
</xsl:stylesheet>
