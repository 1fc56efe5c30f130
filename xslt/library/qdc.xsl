<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Qualified Dublin Core of an item (model library): titles after the first are alternatives, descriptions abstracts,
     the year is that of issue, the kind a term of the DCMI Type Vocabulary, licences and series say what they are.
     The container, qualifieddc, is that of schema/qualifieddc.xsd: DCMI publishes it in no namespace, which OAI-PMH
     forbids, and no schema declares it in that of the DCMI terms, by which harvesters know this format. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="qdc" alias="oai_qdc" schema="schema/qualifieddc.xsd"
            namespace="http://purl.org/dc/terms/" root-namespace="urn:oai-fcgi:qualifieddc"/>

  <xsl:template match="record">
    <qdc:qualifieddc xmlns:qdc="urn:oai-fcgi:qualifieddc" xmlns:dcterms="http://purl.org/dc/terms/"
                     xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
      <xsl:for-each select="title">
        <xsl:choose>
          <xsl:when test="position() = 1">
            <xsl:choose>
              <xsl:when test="@lang"><dc:title xml:lang="{@lang}"><xsl:value-of select="."/></dc:title></xsl:when>
              <xsl:otherwise><dc:title><xsl:value-of select="."/></dc:title></xsl:otherwise>
            </xsl:choose>
          </xsl:when>
          <xsl:otherwise>
            <xsl:choose>
              <xsl:when test="@lang"><dcterms:alternative xml:lang="{@lang}"><xsl:value-of select="."/></dcterms:alternative></xsl:when>
              <xsl:otherwise><dcterms:alternative><xsl:value-of select="."/></dcterms:alternative></xsl:otherwise>
            </xsl:choose>
          </xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="creator"><dc:creator><xsl:value-of select="."/></dc:creator></xsl:for-each>
      <xsl:for-each select="subject">
        <xsl:choose>
          <xsl:when test="@lang"><dc:subject xml:lang="{@lang}"><xsl:value-of select="."/></dc:subject></xsl:when>
          <xsl:otherwise><dc:subject><xsl:value-of select="."/></dc:subject></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="description">
        <xsl:choose>
          <xsl:when test="@lang"><dcterms:abstract xml:lang="{@lang}"><xsl:value-of select="."/></dcterms:abstract></xsl:when>
          <xsl:otherwise><dcterms:abstract><xsl:value-of select="."/></dcterms:abstract></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="publisher"><dc:publisher><xsl:value-of select="."/></dc:publisher></xsl:for-each>
      <xsl:for-each select="contributor"><dc:contributor><xsl:value-of select="."/></dc:contributor></xsl:for-each>
      <xsl:for-each select="date"><dc:date><xsl:value-of select="."/></dc:date></xsl:for-each>
      <xsl:for-each select="@year">
        <dcterms:issued xsi:type="dcterms:W3CDTF">
          <xsl:value-of select="."/>
        </dcterms:issued>
      </xsl:for-each>
      <xsl:choose>
        <xsl:when test="@kind = 'article' or @kind = 'book' or @kind = 'book:part' or @kind = 'journal'
                        or @kind = 'manuscript' or @kind = 'patent' or @kind = 'preprint' or @kind = 'report'
                        or @kind = 'review' or starts-with(@kind, 'thesis')"
          ><dc:type xsi:type="dcterms:DCMIType">Text</dc:type></xsl:when>
        <xsl:when test="@kind = 'dataset'"><dc:type xsi:type="dcterms:DCMIType">Dataset</dc:type></xsl:when>
        <xsl:when test="@kind = 'image' or @kind = 'map'"
          ><dc:type xsi:type="dcterms:DCMIType">Image</dc:type></xsl:when>
        <xsl:when test="@kind = 'software'"><dc:type xsi:type="dcterms:DCMIType">Software</dc:type></xsl:when>
        <xsl:when test="@kind = 'sound' or @kind = 'music'"
          ><dc:type xsi:type="dcterms:DCMIType">Sound</dc:type></xsl:when>
        <xsl:when test="@kind = 'video'"><dc:type xsi:type="dcterms:DCMIType">MovingImage</dc:type></xsl:when>
        <xsl:when test="@kind = 'website'"
          ><dc:type xsi:type="dcterms:DCMIType">InteractiveResource</dc:type></xsl:when>
      </xsl:choose>
      <xsl:for-each select="type">
        <xsl:choose>
          <xsl:when test="@lang"><dc:type xml:lang="{@lang}"><xsl:value-of select="."/></dc:type></xsl:when>
          <xsl:otherwise><dc:type><xsl:value-of select="."/></dc:type></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="format"><dc:format><xsl:value-of select="."/></dc:format></xsl:for-each>
      <xsl:for-each select="@landing_page"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="@doi"><dc:identifier>https://doi.org/<xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="@urn"><dc:identifier><xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:for-each select="isbn"><dc:identifier>urn:isbn:<xsl:value-of select="."/></dc:identifier></xsl:for-each>
      <xsl:if test="not(identifier or @landing_page or @doi or @urn)">
        <dc:identifier><xsl:value-of select="@identifier"/></dc:identifier>
      </xsl:if>
      <!-- The identifiers of the description that are not in the columns above. -->
      <xsl:for-each select="identifier">
        <xsl:if test="not(. = string(../@landing_page) or . = string(../@urn) or (../@doi and contains(., ../@doi)))">
          <dc:identifier><xsl:value-of select="."/></dc:identifier>
        </xsl:if>
      </xsl:for-each>
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
      <xsl:for-each select="issn"><dcterms:isPartOf>urn:issn:<xsl:value-of select="."/></dcterms:isPartOf></xsl:for-each>
      <xsl:for-each select="collections">
        <dcterms:isPartOf><xsl:value-of select="."/></dcterms:isPartOf>
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
      <xsl:for-each select="@licence"><dcterms:license><xsl:value-of select="."/></dcterms:license></xsl:for-each>
    </qdc:qualifieddc>
  </xsl:template>
</xsl:stylesheet>
