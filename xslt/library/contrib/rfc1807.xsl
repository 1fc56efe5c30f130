<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- RFC 1807, bibliographic records of technical reports, of an item (model library), as the first OAI repositories
     exchanged them: the fields in the RFC's order, the id as ORGANIZATION//NUMBER of the OAI identifier, the entry as
     "Month DD, YYYY". The date is the year, since the item's date may be any text. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="rfc1807" schema="http://www.openarchives.org/OAI/1.1/rfc1807.xsd"
            namespace="http://info.internet.isi.edu:80/in-notes/rfc/files/rfc1807.txt" requires="title"/>

  <xsl:template match="record">
    <rfc1807 xmlns="http://info.internet.isi.edu:80/in-notes/rfc/files/rfc1807.txt"
             xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
             xsi:schemaLocation="http://info.internet.isi.edu:80/in-notes/rfc/files/rfc1807.txt http://www.openarchives.org/OAI/1.1/rfc1807.xsd">
      <bib-version>v2</bib-version>
      <id><xsl:value-of select="substring-before(substring-after(@identifier, ':'), ':')"/>//<xsl:value-of select="substring-after(substring-after(@identifier, ':'), ':')"/></id>
      <entry>
        <xsl:choose>
          <xsl:when test="contains(@datestamp, '-01-')">January</xsl:when>
          <xsl:when test="contains(@datestamp, '-02-')">February</xsl:when>
          <xsl:when test="contains(@datestamp, '-03-')">March</xsl:when>
          <xsl:when test="contains(@datestamp, '-04-')">April</xsl:when>
          <xsl:when test="contains(@datestamp, '-05-')">May</xsl:when>
          <xsl:when test="contains(@datestamp, '-06-')">June</xsl:when>
          <xsl:when test="contains(@datestamp, '-07-')">July</xsl:when>
          <xsl:when test="contains(@datestamp, '-08-')">August</xsl:when>
          <xsl:when test="contains(@datestamp, '-09-')">September</xsl:when>
          <xsl:when test="contains(@datestamp, '-10-')">October</xsl:when>
          <xsl:when test="contains(@datestamp, '-11-')">November</xsl:when>
          <xsl:when test="contains(@datestamp, '-12-')">December</xsl:when>
        </xsl:choose>
        <xsl:text> </xsl:text>
        <xsl:value-of select="substring-before(substring-after(substring-after(@datestamp, '-'), '-'), 'T')"/>
        <xsl:text>, </xsl:text>
        <xsl:value-of select="substring-before(@datestamp, '-')"/>
      </entry>
      <xsl:for-each select="publisher"><organization><xsl:value-of select="."/></organization></xsl:for-each>
      <xsl:if test="title"><title><xsl:value-of select="title"/></title></xsl:if>
      <xsl:for-each select="@kind"><type><xsl:value-of select="."/></type></xsl:for-each>
      <xsl:for-each select="creator"><author><xsl:value-of select="."/></author></xsl:for-each>
      <xsl:if test="@year"><date><xsl:value-of select="@year"/></date></xsl:if>
      <xsl:for-each select="rights"><copyright><xsl:value-of select="."/></copyright></xsl:for-each>
      <xsl:for-each select="@landing_page"><other_access>url:<xsl:value-of select="."/></other_access></xsl:for-each>
      <xsl:for-each select="@doi"><other_access>url:https://doi.org/<xsl:value-of select="."/></other_access></xsl:for-each>
      <xsl:for-each select="subject"><keyword><xsl:value-of select="."/></keyword></xsl:for-each>
      <xsl:for-each select="language"><language><xsl:value-of select="."/></language></xsl:for-each>
      <xsl:for-each select="source"><notes><xsl:value-of select="."/></notes></xsl:for-each>
      <xsl:if test="description"><abstract><xsl:value-of select="description"/></abstract></xsl:if>
    </rfc1807>
  </xsl:template>
</xsl:stylesheet>
