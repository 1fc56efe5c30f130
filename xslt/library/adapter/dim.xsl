<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- An adapter: an item (model library) as DSpace's intermediate metadata, for crosswalks of DSpace called DIM2*.xsl. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common"
                xmlns:dim="http://www.dspace.org/xmlns/dspace/dim" exclude-result-prefixes="exsl">
  <xsl:import href="fields.xsl"/>

  <xsl:template match="record">
    <xsl:variable name="fields"><xsl:call-template name="fields"/></xsl:variable>
    <dim:dim dspaceType="ITEM">
      <xsl:for-each select="exsl:node-set($fields)/field">
        <dim:field mdschema="{@schema}" element="{@element}">
          <xsl:if test="@qualifier != ''"><xsl:attribute name="qualifier"><xsl:value-of select="@qualifier"/></xsl:attribute></xsl:if>
          <xsl:if test="@lang != ''"><xsl:attribute name="lang"><xsl:value-of select="@lang"/></xsl:attribute></xsl:if>
          <xsl:value-of select="."/>
        </dim:field>
      </xsl:for-each>
    </dim:dim>
  </xsl:template>
</xsl:stylesheet>
