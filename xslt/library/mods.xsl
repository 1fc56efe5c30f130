<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- MODS 3 of an item (model library): the item's own record where there is one, given out as it is; else one of
     version 3.8 made from its Dublin Core. Names are given as they are, without a guess at what is a person. A format
     with a slash is a media type, any other an extent. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="part/language.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="mods" alias="oai_mods" schema="http://www.loc.gov/standards/mods/v3/mods-3-8.xsd"
            namespace="http://www.loc.gov/mods/v3"/>

  <xsl:template match="record">
    <xsl:choose>
      <xsl:when test="mods/*"><xsl:copy-of select="mods/*"/></xsl:when>
      <xsl:otherwise>
        <mods xmlns="http://www.loc.gov/mods/v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.8"
              xsi:schemaLocation="http://www.loc.gov/mods/v3 http://www.loc.gov/standards/mods/v3/mods-3-8.xsd">
          <xsl:for-each select="title[1]">
            <titleInfo>
              <xsl:choose>
                <xsl:when test="@lang"><title xml:lang="{@lang}"><xsl:value-of select="."/></title></xsl:when>
                <xsl:otherwise><title><xsl:value-of select="."/></title></xsl:otherwise>
              </xsl:choose>
            </titleInfo>
          </xsl:for-each>
          <xsl:if test="not(title)"><titleInfo><title>[Title not available]</title></titleInfo></xsl:if>
          <xsl:for-each select="title[position() &gt; 1]">
            <titleInfo type="alternative">
              <xsl:choose>
                <xsl:when test="@lang"><title xml:lang="{@lang}"><xsl:value-of select="."/></title></xsl:when>
                <xsl:otherwise><title><xsl:value-of select="."/></title></xsl:otherwise>
              </xsl:choose>
            </titleInfo>
          </xsl:for-each>
          <xsl:for-each select="creator">
            <name>
              <namePart><xsl:value-of select="."/></namePart>
              <role><roleTerm type="code" authority="marcrelator">cre</roleTerm></role>
            </name>
          </xsl:for-each>
          <xsl:for-each select="contributor">
            <name>
              <namePart><xsl:value-of select="."/></namePart>
              <role><roleTerm type="code" authority="marcrelator">ctb</roleTerm></role>
            </name>
          </xsl:for-each>
          <xsl:choose>
            <xsl:when test="@kind = 'image'"><typeOfResource>still image</typeOfResource></xsl:when>
            <xsl:when test="@kind = 'map'"><typeOfResource>cartographic</typeOfResource></xsl:when>
            <xsl:when test="@kind = 'music'"><typeOfResource>notated music</typeOfResource></xsl:when>
            <xsl:when test="@kind = 'sound'"><typeOfResource>sound recording</typeOfResource></xsl:when>
            <xsl:when test="@kind = 'video'"><typeOfResource>moving image</typeOfResource></xsl:when>
            <xsl:when test="@kind = 'dataset' or @kind = 'software' or @kind = 'website'"
              ><typeOfResource>software, multimedia</typeOfResource></xsl:when>
            <xsl:otherwise><typeOfResource>text</typeOfResource></xsl:otherwise>
          </xsl:choose>
          <xsl:for-each select="type">
            <xsl:choose>
              <xsl:when test="@lang"><genre xml:lang="{@lang}"><xsl:value-of select="."/></genre></xsl:when>
              <xsl:otherwise><genre><xsl:value-of select="."/></genre></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:if test="publisher or date or @year">
            <originInfo>
              <xsl:for-each select="publisher"><publisher><xsl:value-of select="."/></publisher></xsl:for-each>
              <xsl:if test="@year">
                <dateIssued encoding="w3cdtf" keyDate="yes">
                  <xsl:value-of select="@year"/>
                </dateIssued>
              </xsl:if>
              <xsl:for-each select="date"><dateOther><xsl:value-of select="."/></dateOther></xsl:for-each>
            </originInfo>
          </xsl:if>
          <xsl:for-each select="language">
            <xsl:variable name="code">
              <xsl:call-template name="three-letters"><xsl:with-param name="of" select="."/></xsl:call-template>
            </xsl:variable>
            <language>
              <xsl:choose>
                <xsl:when test="$code != ''">
                  <languageTerm type="code" authority="iso639-2b"><xsl:value-of select="$code"/></languageTerm>
                </xsl:when>
                <xsl:otherwise><languageTerm type="text"><xsl:value-of select="."/></languageTerm></xsl:otherwise>
              </xsl:choose>
            </language>
          </xsl:for-each>
          <xsl:if test="format">
            <physicalDescription>
              <xsl:for-each select="format">
                <xsl:choose>
                  <xsl:when test="contains(., '/') and not(contains(., ' '))"><internetMediaType><xsl:value-of select="."/></internetMediaType></xsl:when>
                  <xsl:otherwise><extent><xsl:value-of select="."/></extent></xsl:otherwise>
                </xsl:choose>
              </xsl:for-each>
            </physicalDescription>
          </xsl:if>
          <xsl:for-each select="description">
            <xsl:choose>
              <xsl:when test="@lang"><abstract xml:lang="{@lang}"><xsl:value-of select="."/></abstract></xsl:when>
              <xsl:otherwise><abstract><xsl:value-of select="."/></abstract></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="coverage"><note type="coverage"><xsl:value-of select="."/></note></xsl:for-each>
          <xsl:for-each select="subject">
            <subject>
              <xsl:choose>
                <xsl:when test="@lang"><topic xml:lang="{@lang}"><xsl:value-of select="."/></topic></xsl:when>
                <xsl:otherwise><topic><xsl:value-of select="."/></topic></xsl:otherwise>
              </xsl:choose>
            </subject>
          </xsl:for-each>
          <xsl:for-each select="collections">
            <relatedItem type="host"><titleInfo><title><xsl:value-of select="."/></title></titleInfo></relatedItem>
          </xsl:for-each>
          <xsl:for-each select="issn">
            <relatedItem type="host"><identifier type="issn"><xsl:value-of select="."/></identifier></relatedItem>
          </xsl:for-each>
          <xsl:for-each select="source">
            <relatedItem type="original"><note><xsl:value-of select="."/></note></relatedItem>
          </xsl:for-each>
          <xsl:for-each select="relation">
            <relatedItem><note><xsl:value-of select="."/></note></relatedItem>
          </xsl:for-each>
          <xsl:for-each select="@doi"><identifier type="doi"><xsl:value-of select="."/></identifier></xsl:for-each>
          <xsl:for-each select="@urn"><identifier type="urn"><xsl:value-of select="."/></identifier></xsl:for-each>
          <xsl:for-each select="isbn"><identifier type="isbn"><xsl:value-of select="."/></identifier></xsl:for-each>
          <xsl:for-each select="identifier"><identifier type="local"><xsl:value-of select="."/></identifier></xsl:for-each>
          <xsl:for-each select="@landing_page">
            <location><url usage="primary display" access="object in context"><xsl:value-of select="."/></url></location>
          </xsl:for-each>
          <xsl:for-each select="rights">
            <xsl:choose>
              <xsl:when test="@lang"><accessCondition type="use and reproduction" xml:lang="{@lang}"><xsl:value-of select="."/></accessCondition></xsl:when>
              <xsl:otherwise><accessCondition type="use and reproduction"><xsl:value-of select="."/></accessCondition></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="@licence">
            <accessCondition type="use and reproduction"><xsl:value-of select="."/></accessCondition>
          </xsl:for-each>
          <recordInfo>
            <recordChangeDate encoding="w3cdtf"><xsl:value-of select="@datestamp"/></recordChangeDate>
            <recordIdentifier><xsl:value-of select="@identifier"/></recordIdentifier>
            <recordOrigin>Made from Dublin Core.</recordOrigin>
          </recordInfo>
        </mods>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
