<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Where an item was harvested from (model library) in <about>, as OAI's guidelines for provenance want it: the column
     origin holds the <originDescription> of its last harvest in each format, with those of earlier ones nested in it. A
     format in which the item was not harvested is made from another one, so its record is marked as altered. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                xmlns:p="http://www.openarchives.org/OAI/2.0/provenance" exclude-result-prefixes="f p">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:about schema="http://www.openarchives.org/OAI/2.0/provenance.xsd"
           namespace="http://www.openarchives.org/OAI/2.0/provenance" requires="origin"/>

  <xsl:template match="record">
    <provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance"
                xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/provenance http://www.openarchives.org/OAI/2.0/provenance.xsd">
      <xsl:choose>
        <xsl:when test="origin/*[p:metadataNamespace = /records/@metadataNamespace]">
          <xsl:copy-of select="origin/*[p:metadataNamespace = /records/@metadataNamespace]"/>
        </xsl:when>
        <xsl:otherwise>
          <xsl:if test="origin/*">
            <originDescription harvestDate="{origin/p:originDescription[1]/@harvestDate}" altered="true"
              ><xsl:copy-of select="origin/p:originDescription[1]/*"/></originDescription>
          </xsl:if>
        </xsl:otherwise>
      </xsl:choose>
    </provenance>
  </xsl:template>
</xsl:stylesheet>
