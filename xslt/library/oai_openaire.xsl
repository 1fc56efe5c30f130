<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- OpenAIRE Guidelines for Literature Repository Managers, version 4, of an item (model library). Mandatory are title,
     date of issue, resource type, access right and an identifier by which the item is found; hence what this format
     requires. Resource types and access rights are COAR's. Web captures are no research literature, so the model webarchiv does not have this format. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="oai_openaire" schema="https://www.openaire.eu/schema/repo-lit/4.0/openaire.xsd"
            namespace="http://namespace.openaire.eu/schema/oaire/" requires="title year landing_page"/>

  <xsl:template match="record">
    <resource xmlns="http://namespace.openaire.eu/schema/oaire/"
              xmlns:datacite="http://datacite.org/schema/kernel-4"
              xmlns:dc="http://purl.org/dc/elements/1.1/"
              xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
              xsi:schemaLocation="http://namespace.openaire.eu/schema/oaire/ https://www.openaire.eu/schema/repo-lit/4.0/openaire.xsd">
      <datacite:titles>
        <xsl:for-each select="title">
          <xsl:choose>
            <xsl:when test="@lang"><datacite:title xml:lang="{@lang}"><xsl:value-of select="."/></datacite:title></xsl:when>
            <xsl:otherwise><datacite:title><xsl:value-of select="."/></datacite:title></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
      </datacite:titles>
      <xsl:if test="creator">
        <datacite:creators>
          <xsl:for-each select="creator">
            <datacite:creator><datacite:creatorName><xsl:value-of select="."/></datacite:creatorName></datacite:creator>
          </xsl:for-each>
        </datacite:creators>
      </xsl:if>
      <xsl:if test="contributor">
        <datacite:contributors>
          <xsl:for-each select="contributor">
            <datacite:contributor contributorType="Other">
              <datacite:contributorName><xsl:value-of select="."/></datacite:contributorName>
            </datacite:contributor>
          </xsl:for-each>
        </datacite:contributors>
      </xsl:if>
      <xsl:if test="issn">
        <datacite:relatedIdentifiers>
          <xsl:for-each select="issn">
            <datacite:relatedIdentifier relatedIdentifierType="ISSN" relationType="IsPartOf"><xsl:value-of select="."/></datacite:relatedIdentifier>
          </xsl:for-each>
        </datacite:relatedIdentifiers>
      </xsl:if>
      <xsl:if test="isbn or @doi">
        <datacite:alternateIdentifiers>
          <xsl:if test="@doi">
            <datacite:alternateIdentifier alternateIdentifierType="URL"><xsl:value-of select="@landing_page"/></datacite:alternateIdentifier>
          </xsl:if>
          <xsl:for-each select="isbn">
            <datacite:alternateIdentifier alternateIdentifierType="ISBN"><xsl:value-of select="."/></datacite:alternateIdentifier>
          </xsl:for-each>
        </datacite:alternateIdentifiers>
      </xsl:if>
      <datacite:dates>
        <datacite:date dateType="Issued"><xsl:value-of select="@year"/></datacite:date>
      </datacite:dates>
      <xsl:for-each select="language"><dc:language><xsl:value-of select="."/></dc:language></xsl:for-each>
      <xsl:for-each select="publisher"><dc:publisher><xsl:value-of select="."/></dc:publisher></xsl:for-each>
      <xsl:choose>
        <xsl:when test="@kind = 'article'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_6501">journal article</resourceType></xsl:when>
        <xsl:when test="@kind = 'book'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_2f33">book</resourceType></xsl:when>
        <xsl:when test="@kind = 'book:part'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_3248">book part</resourceType></xsl:when>
        <xsl:when test="@kind = 'conference'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_5794">conference paper</resourceType></xsl:when>
        <xsl:when test="@kind = 'dataset'"
          ><resourceType resourceTypeGeneral="dataset" uri="http://purl.org/coar/resource_type/c_ddb1">dataset</resourceType></xsl:when>
        <xsl:when test="@kind = 'image'"
          ><resourceType resourceTypeGeneral="other research product" uri="http://purl.org/coar/resource_type/c_c513">image</resourceType></xsl:when>
        <xsl:when test="@kind = 'journal'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_0640">journal</resourceType></xsl:when>
        <xsl:when test="@kind = 'lecture'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_8544">lecture</resourceType></xsl:when>
        <xsl:when test="@kind = 'manuscript'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_18cf">text</resourceType></xsl:when>
        <xsl:when test="@kind = 'map'"
          ><resourceType resourceTypeGeneral="other research product" uri="http://purl.org/coar/resource_type/c_12cd">map</resourceType></xsl:when>
        <xsl:when test="@kind = 'music'"
          ><resourceType resourceTypeGeneral="other research product" uri="http://purl.org/coar/resource_type/c_18cw">musical notation</resourceType></xsl:when>
        <xsl:when test="@kind = 'patent'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_15cd">patent</resourceType></xsl:when>
        <xsl:when test="@kind = 'preprint'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_816b">preprint</resourceType></xsl:when>
        <xsl:when test="@kind = 'report'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_93fc">report</resourceType></xsl:when>
        <xsl:when test="@kind = 'review'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_efa0">review</resourceType></xsl:when>
        <xsl:when test="@kind = 'software'"
          ><resourceType resourceTypeGeneral="software" uri="http://purl.org/coar/resource_type/c_5ce6">software</resourceType></xsl:when>
        <xsl:when test="@kind = 'sound'"
          ><resourceType resourceTypeGeneral="other research product" uri="http://purl.org/coar/resource_type/c_18cc">sound</resourceType></xsl:when>
        <xsl:when test="@kind = 'thesis:bachelor'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_7a1f">bachelor thesis</resourceType></xsl:when>
        <xsl:when test="@kind = 'thesis:master'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_bdcc">master thesis</resourceType></xsl:when>
        <xsl:when test="@kind = 'thesis:doctoral'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_db06">doctoral thesis</resourceType></xsl:when>
        <xsl:when test="@kind = 'thesis'"
          ><resourceType resourceTypeGeneral="literature" uri="http://purl.org/coar/resource_type/c_46ec">thesis</resourceType></xsl:when>
        <xsl:when test="@kind = 'video'"
          ><resourceType resourceTypeGeneral="other research product" uri="http://purl.org/coar/resource_type/c_12ce">video</resourceType></xsl:when>
        <xsl:when test="@kind = 'website'"
          ><resourceType resourceTypeGeneral="other research product" uri="http://purl.org/coar/resource_type/c_7ad9">website</resourceType></xsl:when>
        <xsl:otherwise><resourceType resourceTypeGeneral="other research product" uri="http://purl.org/coar/resource_type/c_1843">other</resourceType></xsl:otherwise>
      </xsl:choose>
      <xsl:for-each select="description">
        <xsl:choose>
          <xsl:when test="@lang"><dc:description xml:lang="{@lang}"><xsl:value-of select="."/></dc:description></xsl:when>
          <xsl:otherwise><dc:description><xsl:value-of select="."/></dc:description></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="format"><dc:format><xsl:value-of select="."/></dc:format></xsl:for-each>
      <xsl:choose>
        <xsl:when test="@doi"
          ><datacite:identifier identifierType="DOI"><xsl:value-of select="@doi"/></datacite:identifier></xsl:when>
        <xsl:when test="@urn"
          ><datacite:identifier identifierType="URN"><xsl:value-of select="@urn"/></datacite:identifier></xsl:when>
        <xsl:otherwise><datacite:identifier identifierType="URL"><xsl:value-of select="@landing_page"/></datacite:identifier></xsl:otherwise>
      </xsl:choose>
      <!-- The access right is one of COAR's four. It is what the item's access says today, else it follows from its rights, else
           from a Creative Commons licence; if the item has none of these, it is known only that the metadata are accessible. -->
      <xsl:choose>
        <xsl:when test="@access = 'open'"
          ><datacite:rights rightsURI="http://purl.org/coar/access_right/c_abf2">open access</datacite:rights></xsl:when>
        <xsl:when test="@access = 'embargoed'"
          ><datacite:rights rightsURI="http://purl.org/coar/access_right/c_f1cf">embargoed access</datacite:rights></xsl:when>
        <xsl:when test="@access = 'restricted'"
          ><datacite:rights rightsURI="http://purl.org/coar/access_right/c_16ec">restricted access</datacite:rights></xsl:when>
        <xsl:when test="@access = 'closed'"
          ><datacite:rights rightsURI="http://purl.org/coar/access_right/c_14cb">metadata only access</datacite:rights></xsl:when>
        <xsl:when test="rights[contains(., 'openAccess') or contains(., 'c_abf2')]"
          ><datacite:rights rightsURI="http://purl.org/coar/access_right/c_abf2">open access</datacite:rights></xsl:when>
        <xsl:when test="rights[contains(., 'embargoedAccess') or contains(., 'c_f1cf')]"
          ><datacite:rights rightsURI="http://purl.org/coar/access_right/c_f1cf">embargoed access</datacite:rights></xsl:when>
        <xsl:when test="rights[contains(., 'restrictedAccess') or contains(., 'c_16ec')]"
          ><datacite:rights rightsURI="http://purl.org/coar/access_right/c_16ec">restricted access</datacite:rights></xsl:when>
        <xsl:when test="rights[contains(., 'closedAccess') or contains(., 'c_14cb')]"
          ><datacite:rights rightsURI="http://purl.org/coar/access_right/c_14cb">metadata only access</datacite:rights></xsl:when>
        <xsl:when test="contains(@licence, '://creativecommons.org/')"
          ><datacite:rights rightsURI="http://purl.org/coar/access_right/c_abf2">open access</datacite:rights></xsl:when>
        <xsl:otherwise><datacite:rights rightsURI="http://purl.org/coar/access_right/c_14cb">metadata only access</datacite:rights></xsl:otherwise>
      </xsl:choose>
      <xsl:if test="subject">
        <datacite:subjects>
          <xsl:for-each select="subject">
            <xsl:choose>
              <xsl:when test="@lang"><datacite:subject xml:lang="{@lang}"><xsl:value-of select="."/></datacite:subject></xsl:when>
              <xsl:otherwise><datacite:subject><xsl:value-of select="."/></datacite:subject></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
        </datacite:subjects>
      </xsl:if>
      <xsl:for-each select="@licence"><licenseCondition uri="{.}"><xsl:value-of select="."/></licenseCondition></xsl:for-each>
      <xsl:for-each select="coverage">
        <xsl:choose>
          <xsl:when test="@lang"><dc:coverage xml:lang="{@lang}"><xsl:value-of select="."/></dc:coverage></xsl:when>
          <xsl:otherwise><dc:coverage><xsl:value-of select="."/></dc:coverage></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="source">
        <xsl:choose>
          <xsl:when test="@lang"><dc:source xml:lang="{@lang}"><xsl:value-of select="."/></dc:source></xsl:when>
          <xsl:otherwise><dc:source><xsl:value-of select="."/></dc:source></xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
    </resource>
  </xsl:template>
</xsl:stylesheet>
