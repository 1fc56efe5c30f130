<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- OAI's own MARC in XML, of the time before MARCXML (model library), made from the item's MARC record; items without
     one are not disseminated. Fixed fields stand in quotation marks, so that their blanks survive; numbers of fields
     have no leading zeros. A new harvester wants marc21. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                xmlns:m="http://www.loc.gov/MARC21/slim"
                exclude-result-prefixes="f m">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="oai_marc" schema="http://www.openarchives.org/OAI/1.1/oai_marc.xsd"
            namespace="http://www.openarchives.org/OAI/1.1/oai_marc" requires="marc"/>

  <xsl:template name="subfields" xmlns="http://www.openarchives.org/OAI/1.1/oai_marc">
    <xsl:for-each select="m:subfield">
      <subfield label="{@code}"><xsl:value-of select="."/></subfield>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="record">
    <xsl:for-each select="marc/m:record">
      <oai_marc xmlns="http://www.openarchives.org/OAI/1.1/oai_marc"
                xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                status="{substring(m:leader, 6, 1)}" type="{substring(m:leader, 7, 1)}" level="{substring(m:leader, 8, 1)}"
                encLvl="{substring(m:leader, 18, 1)}" catForm="{substring(m:leader, 19, 1)}"
                xsi:schemaLocation="http://www.openarchives.org/OAI/1.1/oai_marc http://www.openarchives.org/OAI/1.1/oai_marc.xsd">
        <xsl:for-each select="m:controlfield">
          <fixfield id="{substring-after(@tag, '00')}">"<xsl:value-of select="."/>"</fixfield>
        </xsl:for-each>
        <xsl:for-each select="m:datafield">
          <xsl:choose>
            <xsl:when test="starts-with(@tag, '0')">
              <varfield id="{substring-after(@tag, '0')}" i1="{@ind1}" i2="{@ind2}"><xsl:call-template name="subfields"/></varfield>
            </xsl:when>
            <xsl:otherwise>
              <varfield id="{@tag}" i1="{@ind1}" i2="{@ind2}"><xsl:call-template name="subfields"/></varfield>
            </xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
      </oai_marc>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
