<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- MODS 3.8 of an archived document (model webarchiv). MODS has a place of its own for the moment of capture
     (dateCaptured) and for what was born digital. The address is an identifier, and the title of a document that has
     none of its own, but no location/url: that is xs:anyURI, and not every address that a crawler fetches is one; also, it
     would promise that the document is still there. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="mods" alias="oai_mods" schema="http://www.loc.gov/standards/mods/v3/mods-3-8.xsd"
            namespace="http://www.loc.gov/mods/v3"/>

  <xsl:template match="record">
    <mods xmlns="http://www.loc.gov/mods/v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="3.8"
          xsi:schemaLocation="http://www.loc.gov/mods/v3 http://www.loc.gov/standards/mods/v3/mods-3-8.xsd">
      <xsl:for-each select="@title"><titleInfo><title><xsl:value-of select="."/></title></titleInfo></xsl:for-each>
      <xsl:for-each select="@url">
        <xsl:if test="not(../@title)"><titleInfo><title><xsl:value-of select="."/></title></titleInfo></xsl:if>
      </xsl:for-each>
      <xsl:if test="not(@url or @title)"><titleInfo><title><xsl:value-of select="@identifier"/></title></titleInfo></xsl:if>
      <xsl:for-each select="@mimetype">
        <xsl:choose>
          <xsl:when test="starts-with(., 'image/')"><typeOfResource>still image</typeOfResource></xsl:when>
          <xsl:when test="starts-with(., 'video/')"><typeOfResource>moving image</typeOfResource></xsl:when>
          <xsl:when test="starts-with(., 'audio/')"><typeOfResource>sound recording</typeOfResource></xsl:when>
          <xsl:when test=". = 'text/javascript' or . = 'application/javascript' or . = 'application/x-javascript'
                          or . = 'application/java-archive' or . = 'application/wasm'"
            ><typeOfResource>software, multimedia</typeOfResource></xsl:when>
          <xsl:when test="starts-with(., 'text/') or . = 'application/pdf' or . = 'application/xhtml+xml'
                          or . = 'application/msword' or . = 'application/rtf'"
            ><typeOfResource>text</typeOfResource></xsl:when>
        </xsl:choose>
      </xsl:for-each>
      <genre authority="local">web capture</genre>
      <xsl:if test="@domain or @archived_time">
        <originInfo>
          <xsl:for-each select="@domain"><publisher><xsl:value-of select="."/></publisher></xsl:for-each>
          <xsl:for-each select="@archived_time">
            <dateCaptured encoding="w3cdtf"><xsl:value-of select="."/></dateCaptured>
          </xsl:for-each>
        </originInfo>
      </xsl:if>
      <xsl:for-each select="@language">
        <language><languageTerm type="code" authority="rfc5646"><xsl:value-of select="."/></languageTerm></language>
      </xsl:for-each>
      <physicalDescription>
        <form authority="marcform">electronic</form>
        <xsl:for-each select="@mimetype"><internetMediaType><xsl:value-of select="."/></internetMediaType></xsl:for-each>
        <xsl:for-each select="@length"><extent><xsl:value-of select="."/> bytes</extent></xsl:for-each>
        <digitalOrigin>born digital</digitalOrigin>
      </physicalDescription>
      <xsl:for-each select="@description"><abstract><xsl:value-of select="."/></abstract></xsl:for-each>
      <xsl:for-each select="collections">
        <relatedItem type="host"><titleInfo><title><xsl:value-of select="."/></title></titleInfo></relatedItem>
      </xsl:for-each>
      <xsl:for-each select="@url"><identifier type="uri"><xsl:value-of select="."/></identifier></xsl:for-each>
      <xsl:for-each select="@digest"><identifier type="digest"><xsl:value-of select="."/></identifier></xsl:for-each>
      <!-- The archive file and the offset in it are the shelf location of this copy. -->
      <xsl:for-each select="@arc">
        <location>
          <shelfLocator>
            <xsl:value-of select="."/>
            <xsl:for-each select="../@arc_offset">#<xsl:value-of select="."/></xsl:for-each>
          </shelfLocator>
        </location>
      </xsl:for-each>
      <recordInfo>
        <recordChangeDate encoding="w3cdtf"><xsl:value-of select="@datestamp"/></recordChangeDate>
        <recordIdentifier><xsl:value-of select="@identifier"/></recordIdentifier>
        <recordOrigin>Made from the index of the web archive.</recordOrigin>
      </recordInfo>
    </mods>
  </xsl:template>
</xsl:stylesheet>
