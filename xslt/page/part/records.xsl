<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Records of a list, whatever their format: a title where one can be found, the identifier, the datestamp. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                exclude-result-prefixes="o">
  <!-- Of an o:record; "" if there is none. -->
  <xsl:template name="title-of">
    <xsl:variable name="own" select="(o:metadata//*[local-name() = 'title'][not(*)])[1]"/>
    <xsl:variable name="marc" select="o:metadata//*[local-name() = 'datafield'][@tag = '245'][1]/*[@code = 'a']"/>
    <xsl:choose>
      <xsl:when test="normalize-space($own) != ''"><xsl:value-of select="normalize-space($own)"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="normalize-space($marc)"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="records">
    <xsl:param name="records"/>
    <xsl:param name="order" select="'ascending'"/>
    <ol class="records">
      <xsl:for-each select="$records">
        <xsl:sort select="position()" data-type="number" order="{$order}"/>
        <xsl:variable name="title"><xsl:call-template name="title-of"/></xsl:variable>
        <li>
          <a dir="auto"><xsl:attribute name="href"><xsl:call-template name="record-address"><xsl:with-param name="identifier" select="o:header/o:identifier"/></xsl:call-template></xsl:attribute>
            <xsl:choose>
              <xsl:when test="$title != ''"><xsl:value-of select="$title"/></xsl:when>
              <xsl:otherwise><xsl:value-of select="o:header/o:identifier"/></xsl:otherwise>
            </xsl:choose>
          </a>
          <xsl:if test="o:header/@status = 'deleted'"><xsl:text> </xsl:text><strong class="deleted"><xsl:value-of select="key('t', 'deleted')"/></strong></xsl:if>
          <span class="meta"><span dir="ltr"><xsl:value-of select="o:header/o:identifier"/></span><xsl:text> </xsl:text>
            <xsl:call-template name="time"><xsl:with-param name="t" select="o:header/o:datestamp"/></xsl:call-template></span>
        </li>
      </xsl:for-each>
    </ol>
  </xsl:template>
</xsl:stylesheet>
