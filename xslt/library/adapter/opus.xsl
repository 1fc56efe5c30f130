<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- An adapter: an item (model library) as the Opus_Document that the stylesheets of OPUS 4 expect, as far as the item says
     what is in one. An author's name is taken apart at its first comma. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:template match="record">
    <Opus_Document Id="{@id}" Language="{language}" PublishedYear="{@year}" frontdoorurl="{@landing_page}" PublisherName="{publisher}">
      <xsl:attribute name="Type">
        <xsl:choose>
          <xsl:when test="@kind = 'thesis:doctoral'">doctoralthesis</xsl:when>
          <xsl:when test="@kind = 'thesis:master'">masterthesis</xsl:when>
          <xsl:when test="@kind = 'thesis:bachelor'">bachelorthesis</xsl:when>
          <xsl:when test="@kind = 'book:part'">bookpart</xsl:when>
          <xsl:when test="@kind"><xsl:value-of select="@kind"/></xsl:when>
          <xsl:otherwise>other</xsl:otherwise>
        </xsl:choose>
      </xsl:attribute>
      <xsl:for-each select="title[1]"><TitleMain Language="{../language}" Value="{.}"/></xsl:for-each>
      <xsl:for-each select="title[position() &gt; 1]"><TitleAdditional Language="{../language}" Value="{.}"/></xsl:for-each>
      <xsl:for-each select="description"><TitleAbstract Language="{../language}" Value="{.}"/></xsl:for-each>
      <xsl:for-each select="creator">
        <PersonAuthor Role="author" FirstName="{normalize-space(substring-after(., ','))}" LastName="{substring-before(concat(., ','), ',')}"/>
      </xsl:for-each>
      <xsl:for-each select="contributor">
        <PersonContributor Role="contributor" FirstName="{normalize-space(substring-after(., ','))}" LastName="{substring-before(concat(., ','), ',')}"/>
      </xsl:for-each>
      <xsl:for-each select="subject"><Subject Type="uncontrolled" Language="{../language}" Value="{.}"/></xsl:for-each>
      <xsl:for-each select="@urn"><Identifier Type="urn" Value="{.}"/></xsl:for-each>
      <xsl:for-each select="@doi"><Identifier Type="doi" Value="{.}"/></xsl:for-each>
      <xsl:for-each select="isbn"><Identifier Type="isbn" Value="{.}"/></xsl:for-each>
      <xsl:for-each select="issn"><Identifier Type="issn" Value="{.}"/></xsl:for-each>
      <xsl:for-each select="source[1]"><TitleParent Language="{../language}" Value="{.}"/></xsl:for-each>
      <xsl:for-each select="@licence"><Licence NameLong="{.}" LinkLicence="{.}"/></xsl:for-each>
      <ServerDatePublished Year="{substring(@datestamp, 1, 4)}" Month="{substring(@datestamp, 6, 2)}" Day="{substring(@datestamp, 9, 2)}"/>
    </Opus_Document>
  </xsl:template>
</xsl:stylesheet>
