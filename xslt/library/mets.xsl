<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- METS of an item (model library): its MODS if the item has that payload, else its Dublin Core (what oai_dc.xsl, which
     stands beside this file and is needed, says), its landing page as the one file known, and a structure of one
     division. IDs hold the record's number, because they must be unique in the whole OAI-PMH response. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="oai_dc.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="mets" schema="http://www.loc.gov/standards/mets/mets.xsd" namespace="http://www.loc.gov/METS/"/>

  <xsl:template match="record">
    <mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"
          xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" OBJID="{@identifier}"
          xsi:schemaLocation="http://www.loc.gov/METS/ http://www.loc.gov/standards/mets/mets.xsd">
      <metsHdr LASTMODDATE="{@datestamp}"/>
      <dmdSec ID="dmd-{@id}">
        <xsl:choose>
          <xsl:when test="mods/*">
            <mdWrap MDTYPE="MODS" MIMETYPE="text/xml"><xmlData><xsl:copy-of select="mods/*"/></xmlData></mdWrap>
          </xsl:when>
          <xsl:otherwise>
            <mdWrap MDTYPE="DC" MIMETYPE="text/xml"><xmlData><xsl:apply-imports/></xmlData></mdWrap>
          </xsl:otherwise>
        </xsl:choose>
      </dmdSec>
      <xsl:choose>
        <xsl:when test="@landing_page">
          <fileSec>
            <fileGrp USE="landing page">
              <file ID="file-{@id}" MIMETYPE="text/html"><FLocat LOCTYPE="URL" xlink:href="{@landing_page}"/></file>
            </fileGrp>
          </fileSec>
          <structMap><div DMDID="dmd-{@id}"><fptr FILEID="file-{@id}"/></div></structMap>
        </xsl:when>
        <xsl:otherwise><structMap><div DMDID="dmd-{@id}"/></structMap></xsl:otherwise>
      </xsl:choose>
    </mets>
  </xsl:template>
</xsl:stylesheet>
