<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- A capture as web archives know it (model webarchiv): what a replay service or another archive needs to find the
     record in its ARC or WARC file. The schema, schema/warc-capture.xsd beside this file, says what each element means.
     The namespace is the project's own and never changes. The server gives out the schema itself, at
     BASE_URL/-/schema/warc-capture.xsd, and names that address in each record. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="warc" schema="schema/warc-capture.xsd"
            namespace="urn:oai-fcgi:warc-capture" requires="url archived_time"/>

  <xsl:template match="record">
    <capture xmlns="urn:oai-fcgi:warc-capture">
      <url><xsl:value-of select="@url"/></url>
      <time><xsl:value-of select="@archived_time"/></time>
      <xsl:for-each select="@mimetype"><mediaType><xsl:value-of select="."/></mediaType></xsl:for-each>
      <xsl:for-each select="@status"><status><xsl:value-of select="."/></status></xsl:for-each>
      <xsl:for-each select="@digest"><digest><xsl:value-of select="."/></digest></xsl:for-each>
      <xsl:for-each select="@arc"><file><xsl:value-of select="."/></file></xsl:for-each>
      <xsl:for-each select="@arc_offset"><offset><xsl:value-of select="."/></offset></xsl:for-each>
      <xsl:for-each select="@length"><length><xsl:value-of select="."/></length></xsl:for-each>
    </capture>
  </xsl:template>
</xsl:stylesheet>
