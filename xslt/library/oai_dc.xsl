<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Simple Dublin Core of a bibliographic item (model library): the fifteen elements as they are, in the language they are
     written in, and what the item's own columns know beyond them. -->
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
      <!-- The item's own first, then what the description has beyond them. The OAI identifier stands in the header anyway;
           it is repeated where there is no other. -->
      <xsl:for-each select="@landing_page"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="@doi"><dc:identifier>https://doi.org/<xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="@urn"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="identifier">
        <xsl:if test="not(. = ../@landing_page or . = ../@urn or (../@doi and contains(., ../@doi)))">
          <dc:identifier><xsl:value-of select="."/></dc:identifier>
        </xsl:if>
      </xsl:for-each>
      <xsl:if test="not(identifier or @landing_page or @doi or @urn)">
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
      <xsl:if test="@licence and not(rights = @licence)">
        <dc:rights><xsl:value-of select="@licence"/></dc:rights>
      </xsl:if>
    </oai_dc:dc>
  </xsl:template>
</xsl:stylesheet>
