<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- CSL-JSON (citeproc), an array of one item. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page">
  <xsl:import href="../part/citation.xsl"/>
  <p:file title="CSL-JSON" suffix=".json" type="application/vnd.citationstyles.csl+json"/>
  <xsl:output method="text"/>
  <xsl:variable name="types" select="' page:webpage book:book chapter:chapter article:article-journal conference:paper-conference thesis:thesis report:report journal:periodical dataset:dataset software:software image:graphic video:motion_picture sound:song map:map score:musical_score other:document '"/>
  <xsl:variable name="names" select="' title:title container:container-title place:publisher-place publisher:publisher degree:genre language:language isbn:ISBN issn:ISSN doi:DOI abstract:abstract note:note url:URL '"/>

  <xsl:template name="member">
    <xsl:param name="name"/>
    <xsl:param name="json"/>
    <xsl:value-of select="concat(',&#10;    &quot;', $name, '&quot;: ', $json)"/>
  </xsl:template>

  <xsl:template match="/"><xsl:apply-templates select="$citation"/></xsl:template>

  <xsl:template match="citation">
    <xsl:value-of select="concat('[&#10;  {&#10;    &quot;id&quot;: ', p:json($item/@identifier))"/>
    <xsl:call-template name="member"><xsl:with-param name="name" select="'type'"/><xsl:with-param name="json" select="p:json(substring-before(substring-after($types, concat(' ', @work, ':')), ' '))"/></xsl:call-template>
    <xsl:apply-templates select="*[. != '' or self::issued]" mode="member"/>
    <xsl:if test="@captured != ''"><xsl:call-template name="member"><xsl:with-param name="name" select="'archive_location'"/><xsl:with-param name="json" select="p:json(url)"/></xsl:call-template></xsl:if>
    <xsl:text>&#10;  }&#10;]&#10;</xsl:text>
  </xsl:template>

  <xsl:template match="*" mode="member">
    <xsl:call-template name="member"><xsl:with-param name="name" select="substring-before(substring-after($names, concat(' ', local-name(), ':')), ' ')"/><xsl:with-param name="json" select="p:json(.)"/></xsl:call-template>
  </xsl:template>
  <xsl:template match="identifier" mode="member"/>
  <xsl:template match="repository" mode="member">
    <xsl:call-template name="member"><xsl:with-param name="name"><xsl:choose><xsl:when test="../@captured != ''">archive</xsl:when><xsl:otherwise>source</xsl:otherwise></xsl:choose></xsl:with-param><xsl:with-param name="json" select="p:json(.)"/></xsl:call-template>
  </xsl:template>
  <!-- All creators are one member, and so are all subjects. -->
  <xsl:template match="creator[preceding-sibling::creator] | subject[preceding-sibling::subject]" mode="member"/>
  <xsl:template match="creator" mode="member">
    <xsl:call-template name="member"><xsl:with-param name="name" select="'author'"/><xsl:with-param name="json"><xsl:text>[</xsl:text><xsl:for-each select="../creator">
      <xsl:if test="position() &gt; 1">, </xsl:if>
      <xsl:choose>
        <xsl:when test="@given"><xsl:value-of select="concat('{&quot;family&quot;: ', p:json(@family), ', &quot;given&quot;: ', p:json(@given), '}')"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="concat('{&quot;literal&quot;: ', p:json(.), '}')"/></xsl:otherwise>
      </xsl:choose></xsl:for-each>]</xsl:with-param></xsl:call-template>
  </xsl:template>
  <xsl:template match="subject" mode="member">
    <xsl:variable name="all"><xsl:for-each select="../subject"><xsl:if test="position() &gt; 1">, </xsl:if><xsl:value-of select="."/></xsl:for-each></xsl:variable>
    <xsl:call-template name="member"><xsl:with-param name="name" select="'keyword'"/><xsl:with-param name="json" select="p:json(string($all))"/></xsl:call-template>
  </xsl:template>
  <xsl:template match="issued" mode="member">
    <xsl:call-template name="member"><xsl:with-param name="name" select="'issued'"/><xsl:with-param name="json"><xsl:choose>
      <xsl:when test="@words"><xsl:value-of select="concat('{&quot;literal&quot;: ', p:json(@words), '}')"/></xsl:when>
      <xsl:otherwise>{"date-parts": [[<xsl:for-each select="@year | @month | @day"><xsl:if test="position() &gt; 1">, </xsl:if><xsl:value-of select="number(.)"/></xsl:for-each>]]}</xsl:otherwise>
    </xsl:choose></xsl:with-param></xsl:call-template>
  </xsl:template>
  <xsl:template match="seen" mode="member">
    <xsl:call-template name="member"><xsl:with-param name="name" select="'accessed'"/><xsl:with-param name="json" select="concat('{&quot;date-parts&quot;: [[', number(substring(., 1, 4)), ', ', number(substring(., 6, 2)), ', ', number(substring(., 9, 2)), ']]}')"/></xsl:call-template>
  </xsl:template>
</xsl:stylesheet>
