<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- DCAT-AP 3, the European Union's profile for catalogues of data, of an item (model library), as RDF/XML: a
     dcat:Resource, and a dcat:Dataset, too, where its kind says so. Title and description are mandatory, and a resource
     needs an address; hence what this format requires. There is no XML Schema of DCAT; schema/dcat-ap.xsd says that the root is rdf:RDF with descriptions in it, and no more. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="part/coar.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="dcat_ap" alias="dcat" schema="schema/dcat-ap.xsd" namespace="http://www.w3.org/ns/dcat#"
            root-namespace="http://www.w3.org/1999/02/22-rdf-syntax-ns#" requires="title description landing_page"/>

  <xsl:template match="record">
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcat="http://www.w3.org/ns/dcat#"
             xmlns:dct="http://purl.org/dc/terms/" xmlns:foaf="http://xmlns.com/foaf/0.1/">
      <dcat:Resource rdf:about="{@landing_page}">
        <xsl:if test="@kind = 'dataset'"><rdf:type rdf:resource="http://www.w3.org/ns/dcat#Dataset"/></xsl:if>
        <xsl:variable name="type"><xsl:call-template name="coar-type"/></xsl:variable>
        <xsl:variable name="access"><xsl:call-template name="coar-access"/></xsl:variable>
        <xsl:for-each select="title">
          <xsl:choose>
            <xsl:when test="@lang"><dct:title xml:lang="{@lang}"><xsl:value-of select="."/></dct:title></xsl:when>
            <xsl:otherwise><dct:title><xsl:value-of select="."/></dct:title></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:for-each select="description">
          <xsl:choose>
            <xsl:when test="@lang"><dct:description xml:lang="{@lang}"><xsl:value-of select="."/></dct:description></xsl:when>
            <xsl:otherwise><dct:description><xsl:value-of select="."/></dct:description></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <dct:identifier><xsl:value-of select="@identifier"/></dct:identifier>
        <xsl:if test="@doi"><dct:identifier>https://doi.org/<xsl:value-of select="@doi"/></dct:identifier></xsl:if>
        <xsl:for-each select="subject">
          <xsl:choose>
            <xsl:when test="@lang"><dcat:keyword xml:lang="{@lang}"><xsl:value-of select="."/></dcat:keyword></xsl:when>
            <xsl:otherwise><dcat:keyword><xsl:value-of select="."/></dcat:keyword></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:for-each select="creator">
          <dct:creator><foaf:Agent><foaf:name><xsl:value-of select="."/></foaf:name></foaf:Agent></dct:creator>
        </xsl:for-each>
        <xsl:for-each select="publisher[1]">
          <dct:publisher><foaf:Agent><foaf:name><xsl:value-of select="."/></foaf:name></foaf:Agent></dct:publisher>
        </xsl:for-each>
        <xsl:if test="@year">
          <dct:issued rdf:datatype="http://www.w3.org/2001/XMLSchema#gYear">
            <xsl:value-of select="substring(concat('000', @year), string-length(@year))"/>
          </dct:issued>
        </xsl:if>
        <dct:modified rdf:datatype="http://www.w3.org/2001/XMLSchema#dateTime"><xsl:value-of select="@datestamp"/></dct:modified>
        <dct:type rdf:resource="{$type}"/>
        <dct:accessRights rdf:resource="{$access}"/>
        <dcat:landingPage rdf:resource="{@landing_page}"/>
        <xsl:choose>
          <xsl:when test="@kind = 'dataset'">
            <dcat:distribution>
              <dcat:Distribution>
                <dcat:accessURL rdf:resource="{@landing_page}"/>
                <xsl:for-each select="@licence"><dct:license rdf:resource="{.}"/></xsl:for-each>
              </dcat:Distribution>
            </dcat:distribution>
          </xsl:when>
          <xsl:otherwise><xsl:for-each select="@licence"><dct:license rdf:resource="{.}"/></xsl:for-each></xsl:otherwise>
        </xsl:choose>
      </dcat:Resource>
    </rdf:RDF>
  </xsl:template>
</xsl:stylesheet>
