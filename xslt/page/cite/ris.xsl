<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- RIS, one reference: lines "TY  - BOOK" that end in CR LF. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page">
  <xsl:import href="../part/citation.xsl"/>
  <p:file title="RIS" suffix=".ris" type="application/x-research-info-systems"/>
  <xsl:output method="text"/>
  <xsl:variable name="types" select="' page:ELEC book:BOOK chapter:CHAP article:JOUR conference:CPAPER thesis:THES report:RPRT journal:JFULL dataset:DATA software:COMP image:FIGURE video:VIDEO sound:SOUND map:MAP score:MUSIC other:GEN '"/>
  <xsl:variable name="tags" select="' title:TI creator:AU container:T2 place:CY publisher:PB degree:M3 language:LA isbn:SN issn:SN doi:DO abstract:AB subject:KW note:N1 url:UR seen:Y2 identifier:AN repository:DB '"/>

  <xsl:template name="line">
    <xsl:param name="tag"/>
    <xsl:param name="value"/>
    <xsl:if test="$value != ''"><xsl:value-of select="concat($tag, '  - ', $value, '&#13;&#10;')"/></xsl:if>
  </xsl:template>

  <xsl:template match="/">
    <xsl:for-each select="$citation">
      <xsl:call-template name="line"><xsl:with-param name="tag" select="'TY'"/><xsl:with-param name="value" select="substring-before(substring-after($types, concat(' ', @work, ':')), ' ')"/></xsl:call-template>
      <xsl:apply-templates select="*" mode="line"/>
      <xsl:text>ER  - &#13;&#10;</xsl:text>
    </xsl:for-each>
  </xsl:template>

  <xsl:template match="*" mode="line">
    <xsl:call-template name="line"><xsl:with-param name="tag" select="substring-before(substring-after($tags, concat(' ', local-name(), ':')), ' ')"/><xsl:with-param name="value" select="."/></xsl:call-template>
  </xsl:template>
  <xsl:template match="issn[../isbn != '']" mode="line"/>
  <xsl:template match="seen" mode="line"><xsl:call-template name="line"><xsl:with-param name="tag" select="'Y2'"/><xsl:with-param name="value" select="translate(., '-', '/')"/></xsl:call-template></xsl:template>
  <xsl:template match="issued" mode="line">
    <xsl:call-template name="line"><xsl:with-param name="tag" select="'PY'"/><xsl:with-param name="value" select="string(@year)"/></xsl:call-template>
    <xsl:if test="@month"><xsl:call-template name="line"><xsl:with-param name="tag" select="'DA'"/><xsl:with-param name="value" select="concat(@year, '/', @month, '/', @day)"/></xsl:call-template></xsl:if>
  </xsl:template>
</xsl:stylesheet>
