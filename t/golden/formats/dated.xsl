<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- A stylesheet that was changed: every record is at least as new as that. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format">
  <f:format prefix="dated" since="2021-06-01T00:00:00Z"
            schema="http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
            namespace="http://www.openarchives.org/OAI/2.0/oai_dc/"/>
  <xsl:template match="record">
    <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
               xmlns:dc="http://purl.org/dc/elements/1.1/"
               xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
               xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
      <dc:identifier><xsl:value-of select="@url"/></dc:identifier>
    </oai_dc:dc>
  </xsl:template>
</xsl:stylesheet>
