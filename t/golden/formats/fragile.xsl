<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- A stylesheet that fails on some records. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format">
  <f:format prefix="fragile"
            schema="http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
            namespace="http://www.openarchives.org/OAI/2.0/oai_dc/"/>
  <xsl:template match="record">
    <xsl:if test="contains(@url, 'broken')">
      <xsl:message terminate="yes">this record is broken</xsl:message>
    </xsl:if>
    <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
               xmlns:dc="http://purl.org/dc/elements/1.1/"
               xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
               xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
      <dc:identifier><xsl:value-of select="@url"/></dc:identifier>
    </oai_dc:dc>
  </xsl:template>
</xsl:stylesheet>
