<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- DataCite in the envelope of DataCite's own OAI-PMH service (model library), as OpenAIRE's guidelines for data archives
     want it: what datacite.xsl, which stands beside this file and is needed, says about the record, and whose it is.
     datacentreSymbol is the account with DataCite (ALLOCATOR.CENTRE); the repository's identifier namespace stands in.
     Write yours in its place if you have one. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="datacite.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="oai_datacite" schema="http://schema.datacite.org/oai/oai-1.1/oai.xsd"
            namespace="http://schema.datacite.org/oai/oai-1.1/" requires="year"/>

  <xsl:template match="record">
    <oai_datacite xmlns="http://schema.datacite.org/oai/oai-1.1/"
                  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                  xsi:schemaLocation="http://schema.datacite.org/oai/oai-1.1/ http://schema.datacite.org/oai/oai-1.1/oai.xsd">
      <schemaVersion>4.6</schemaVersion>
      <datacentreSymbol>
        <xsl:value-of select="substring-before(substring-after(@identifier, ':'), ':')"/>
      </datacentreSymbol>
      <payload><xsl:apply-imports/></payload>
    </oai_datacite>
  </xsl:template>
</xsl:stylesheet>
