<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- All links of a record's page as a linkset (RFC 9264, 4.2), and those that lead back to the page: from each description
     (describes) and each item (collection). -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page">
  <xsl:import href="../part/links.xsl"/>
  <p:file type="application/linkset+json"/>
  <xsl:output method="text"/>

  <xsl:template match="/">
    <xsl:text>{&#10;  "linkset": [&#10;    {&#10;      "anchor": </xsl:text><xsl:value-of select="p:json($item/@url)"/>
    <xsl:for-each select="$links[not(@rel = preceding-sibling::link/@rel)]">
      <xsl:value-of select="concat(',&#10;      &quot;', @rel, '&quot;: [')"/>
      <xsl:apply-templates select="$links[@rel = current()/@rel]" mode="target"/>
      <xsl:text>&#10;      ]</xsl:text>
    </xsl:for-each>
    <xsl:text>&#10;    }</xsl:text>
    <xsl:for-each select="$links[@rel = 'describedby' or @rel = 'item']">
      <xsl:value-of select="concat(',&#10;    {&#10;      &quot;anchor&quot;: ', p:json(@href), ',&#10;      &quot;', substring('describescollection', 1 + 9 * (@rel = 'item'), 9 + (@rel = 'item')))"/>
      <xsl:value-of select="concat('&quot;: [{&quot;href&quot;: ', p:json($item/@url), ', &quot;type&quot;: &quot;text/html&quot;}]&#10;    }')"/>
    </xsl:for-each>
    <xsl:text>&#10;  ]&#10;}&#10;</xsl:text>
  </xsl:template>

  <!-- What RFC 9264 does not name is an array (4.2.4.3). -->
  <xsl:template match="link" mode="target">
    <xsl:if test="position() &gt; 1">,</xsl:if>
    <xsl:value-of select="concat('&#10;        {&quot;href&quot;: ', p:json(@href))"/>
    <xsl:if test="@type != ''"><xsl:value-of select="concat(', &quot;type&quot;: ', p:json(@type))"/></xsl:if>
    <xsl:if test="@profile != ''"><xsl:value-of select="concat(', &quot;profile&quot;: [', p:json(@profile), ']')"/></xsl:if>
    <xsl:text>}</xsl:text>
  </xsl:template>
</xsl:stylesheet>
