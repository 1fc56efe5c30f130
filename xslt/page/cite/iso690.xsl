<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page">
  <xsl:import href="../part/citation.xsl"/>
  <xsl:import href="../part/iso690.xsl"/>
  <p:file title="ISO 690" suffix=".txt" type="text/plain"/>
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:variable name="text"><xsl:apply-templates select="$citation" mode="iso690"/></xsl:variable>
    <xsl:value-of select="concat(normalize-space($text), '&#10;')"/>
  </xsl:template>
</xsl:stylesheet>
