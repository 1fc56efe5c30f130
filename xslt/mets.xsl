<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- METS of an archived document (model webarchiv): its Dublin Core (what oai_dc.xsl, which stands beside this file and
     is needed, says), the file at its address and a structure of one division.
     IDs hold the record's number, because they must be unique in the whole OAI-PMH response. The digest is not repeated as
     CHECKSUM, which readers take for hexadecimal; archives write base 32. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="oai_dc.xsl"/>
  <xsl:import href="part/address.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="mets" schema="http://www.loc.gov/standards/mets/mets.xsd" namespace="http://www.loc.gov/METS/"/>

  <xsl:template match="record">
    <mets xmlns="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink"
          xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" OBJID="{@identifier}" TYPE="web capture"
          xsi:schemaLocation="http://www.loc.gov/METS/ http://www.loc.gov/standards/mets/mets.xsd">
      <metsHdr LASTMODDATE="{@datestamp}"/>
      <dmdSec ID="dmd-{@id}">
        <mdWrap MDTYPE="DC" MIMETYPE="text/xml"><xmlData><xsl:apply-imports/></xmlData></mdWrap>
      </dmdSec>
      <xsl:choose>
        <xsl:when test="@url">
          <xsl:variable name="address"><xsl:call-template name="address"/></xsl:variable>
          <fileSec>
            <fileGrp USE="capture">
              <xsl:choose>
                <xsl:when test="@mimetype and @archived_time">
                  <file ID="file-{@id}" MIMETYPE="{@mimetype}" CREATED="{@archived_time}">
                    <FLocat LOCTYPE="URL" xlink:href="{$address}"/>
                  </file>
                </xsl:when>
                <xsl:otherwise>
                  <file ID="file-{@id}"><FLocat LOCTYPE="URL" xlink:href="{$address}"/></file>
                </xsl:otherwise>
              </xsl:choose>
            </fileGrp>
          </fileSec>
          <structMap TYPE="physical">
            <div TYPE="web capture" DMDID="dmd-{@id}"><fptr FILEID="file-{@id}"/></div>
          </structMap>
        </xsl:when>
        <xsl:otherwise>
          <structMap TYPE="physical"><div TYPE="web capture" DMDID="dmd-{@id}"/></structMap>
        </xsl:otherwise>
      </xsl:choose>
    </mets>
  </xsl:template>
</xsl:stylesheet>
