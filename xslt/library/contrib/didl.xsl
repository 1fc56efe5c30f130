<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- MPEG-21 DIDL of an item (model library): one Item with its persistent identifier, its Dublin Core (what oai_dc.xsl,
     which stands beside this file and is needed, says) and its landing page as a component, as aggregators of national
     repositories read it. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="oai_dc.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="didl" schema="http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/didl.xsd"
            namespace="urn:mpeg:mpeg21:2002:02-DIDL-NS"/>

  <xsl:template match="record">
    <didl:DIDL xmlns:didl="urn:mpeg:mpeg21:2002:02-DIDL-NS" xmlns:dii="urn:mpeg:mpeg21:2002:01-DII-NS"
               xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
               xsi:schemaLocation="urn:mpeg:mpeg21:2002:02-DIDL-NS http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/did/didl.xsd urn:mpeg:mpeg21:2002:01-DII-NS http://standards.iso.org/ittf/PubliclyAvailableStandards/MPEG-21_schema_files/dii/dii.xsd">
      <didl:Item>
        <didl:Descriptor>
          <didl:Statement mimeType="application/xml">
            <xsl:choose>
              <xsl:when test="@urn"><dii:Identifier><xsl:value-of select="@urn"/></dii:Identifier></xsl:when>
              <xsl:when test="@doi"><dii:Identifier>https://doi.org/<xsl:value-of select="@doi"/></dii:Identifier></xsl:when>
              <xsl:otherwise><dii:Identifier><xsl:value-of select="@identifier"/></dii:Identifier></xsl:otherwise>
            </xsl:choose>
          </didl:Statement>
        </didl:Descriptor>
        <didl:Descriptor>
          <didl:Statement mimeType="application/xml"><xsl:apply-imports/></didl:Statement>
        </didl:Descriptor>
        <xsl:for-each select="@landing_page">
          <didl:Component><didl:Resource mimeType="text/html" ref="{.}"/></didl:Component>
        </xsl:for-each>
      </didl:Item>
    </didl:DIDL>
  </xsl:template>
</xsl:stylesheet>
