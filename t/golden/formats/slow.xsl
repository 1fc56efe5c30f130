<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- A stylesheet that takes milliseconds for each record: a template that calls itself some thousand times. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format">
  <f:format prefix="slow" visible="no"
            schema="http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
            namespace="http://www.openarchives.org/OAI/2.0/oai_dc/"/>
  <xsl:template match="record">
    <xsl:call-template name="spend"><xsl:with-param name="left" select="400"/></xsl:call-template>
    <xsl:call-template name="spend"><xsl:with-param name="left" select="400"/></xsl:call-template>
    <xsl:call-template name="spend"><xsl:with-param name="left" select="400"/></xsl:call-template>
    <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
               xmlns:dc="http://purl.org/dc/elements/1.1/"
               xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
               xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
      <dc:identifier><xsl:value-of select="@url"/></dc:identifier>
    </oai_dc:dc>
  </xsl:template>
  <xsl:template name="spend">
    <xsl:param name="left"/>
    <xsl:if test="$left &gt; 0">
      <xsl:call-template name="spend"><xsl:with-param name="left" select="$left - 1"/></xsl:call-template>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
