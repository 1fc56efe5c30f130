<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- A site's own: what it has a digest of, in one format alone. Fails on some records. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format">
  <f:about schema="http://archive.example.org/oai/-/schema/fixity.xsd" namespace="urn:example:fixity" formats="oai_dc"/>
  <xsl:template match="record">
    <xsl:if test="contains(@url, 'broken')">
      <xsl:message terminate="yes">this record is broken</xsl:message>
    </xsl:if>
    <xsl:for-each select="@digest">
      <x:fixity xmlns:x="urn:example:fixity" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xsi:schemaLocation="urn:example:fixity http://archive.example.org/oai/-/schema/fixity.xsd">
        <xsl:value-of select="."/>
      </x:fixity>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
