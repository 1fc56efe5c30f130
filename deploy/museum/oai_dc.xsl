<!-- SPDX-License-Identifier: MIT
     oai_dc, which OAI-PMH demands, is the first file in the formats directory of a repository by museum.sql. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
                xmlns:f="urn:oai-fcgi:format" exclude-result-prefixes="f">
  <f:format prefix="oai_dc" schema="http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
            namespace="http://www.openarchives.org/OAI/2.0/oai_dc/"/>
  <xsl:template match="record">
    <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
        xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
      <dc:title><xsl:value-of select="@label"/></dc:title>
      <xsl:for-each select="@maker"><dc:creator><xsl:value-of select="."/></dc:creator></xsl:for-each>
      <xsl:for-each select="@year"><dc:date><xsl:value-of select="."/></dc:date></xsl:for-each>
    </oai_dc:dc>
  </xsl:template>
</xsl:stylesheet>
