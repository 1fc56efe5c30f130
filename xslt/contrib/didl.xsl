<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- MPEG-21 DIDL of an archived document (model webarchiv): one Item with its identifier, its Dublin Core (what
     oai_dc.xsl, which stands beside this file and is needed, says) and the document as a resource by reference.
     A Resource must have a media type; without one it is application/octet-stream, as in HTTP. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="oai_dc.xsl"/>
  <xsl:import href="part/address.xsl"/>
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
            <dii:Identifier><xsl:value-of select="@identifier"/></dii:Identifier>
          </didl:Statement>
        </didl:Descriptor>
        <didl:Descriptor>
          <didl:Statement mimeType="application/xml"><xsl:apply-imports/></didl:Statement>
        </didl:Descriptor>
        <xsl:if test="@url">
          <xsl:variable name="address"><xsl:call-template name="address"/></xsl:variable>
          <didl:Component>
            <xsl:choose>
              <xsl:when test="@mimetype"><didl:Resource mimeType="{@mimetype}" ref="{$address}"/></xsl:when>
              <xsl:otherwise><didl:Resource mimeType="application/octet-stream" ref="{$address}"/></xsl:otherwise>
            </xsl:choose>
          </didl:Component>
        </xsl:if>
      </didl:Item>
    </didl:DIDL>
  </xsl:template>
</xsl:stylesheet>
