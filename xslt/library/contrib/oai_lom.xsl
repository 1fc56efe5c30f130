<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- IEEE Learning Object Metadata of an item (model library), for education portals: general, life cycle, technical and
     rights. Persons are vCards, as LOM wants them. A bibliographic description does not know
     what LOM says of teaching (audience, typical age, difficulty). Captured web pages are not known to be learning objects, so the model
     webarchiv does not have this format. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="oai_lom" alias="lom" schema="http://ltsc.ieee.org/xsd/lomv1.0/lom.xsd"
            namespace="http://ltsc.ieee.org/xsd/LOM" requires="title"/>

  <!-- In its language, where that is known. -->
  <xsl:template name="string" xmlns="http://ltsc.ieee.org/xsd/LOM">
    <xsl:choose>
      <xsl:when test="@lang"><string language="{@lang}"><xsl:value-of select="."/></string></xsl:when>
      <xsl:otherwise><string><xsl:value-of select="."/></string></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="record">
    <lom xmlns="http://ltsc.ieee.org/xsd/LOM" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://ltsc.ieee.org/xsd/LOM http://ltsc.ieee.org/xsd/lomv1.0/lom.xsd">
      <general>
        <identifier><catalog>oai</catalog><entry><xsl:value-of select="@identifier"/></entry></identifier>
        <xsl:for-each select="@doi"><identifier><catalog>doi</catalog><entry><xsl:value-of select="."/></entry></identifier></xsl:for-each>
        <xsl:for-each select="@urn"><identifier><catalog>urn</catalog><entry><xsl:value-of select="."/></entry></identifier></xsl:for-each>
        <xsl:for-each select="isbn"><identifier><catalog>isbn</catalog><entry><xsl:value-of select="."/></entry></identifier></xsl:for-each>
        <title>
          <xsl:for-each select="title"><xsl:call-template name="string"/></xsl:for-each>
        </title>
        <!-- A value that is not a language code is left out. -->
        <xsl:for-each select="language">
          <xsl:if test="string-length(.) &gt; 1 and string-length(.) &lt; 4
                        and translate(., 'abcdefghijklmnopqrstuvwxyz', '') = ''">
            <language><xsl:value-of select="."/></language>
          </xsl:if>
        </xsl:for-each>
        <xsl:for-each select="description">
          <description><xsl:call-template name="string"/></description>
        </xsl:for-each>
        <xsl:for-each select="subject">
          <keyword><xsl:call-template name="string"/></keyword>
        </xsl:for-each>
        <xsl:for-each select="coverage">
          <coverage><xsl:call-template name="string"/></coverage>
        </xsl:for-each>
      </general>
      <lifeCycle>
        <xsl:for-each select="creator">
          <contribute>
            <role><source>LOMv1.0</source><value>author</value></role>
            <entity>BEGIN:VCARD&#10;VERSION:3.0&#10;N:<xsl:value-of select="translate(., ';&#10;&#13;', ',  ')"/>&#10;FN:<xsl:value-of select="translate(., '&#10;&#13;', '  ')"/>&#10;END:VCARD</entity>
          </contribute>
        </xsl:for-each>
        <xsl:for-each select="publisher">
          <contribute>
            <role><source>LOMv1.0</source><value>publisher</value></role>
            <entity>BEGIN:VCARD&#10;VERSION:3.0&#10;N:<xsl:value-of select="translate(., ';&#10;&#13;', ',  ')"/>&#10;FN:<xsl:value-of select="translate(., '&#10;&#13;', '  ')"/>&#10;END:VCARD</entity>
          </contribute>
        </xsl:for-each>
        <xsl:for-each select="contributor">
          <contribute>
            <role><source>LOMv1.0</source><value>unknown</value></role>
            <entity>BEGIN:VCARD&#10;VERSION:3.0&#10;N:<xsl:value-of select="translate(., ';&#10;&#13;', ',  ')"/>&#10;FN:<xsl:value-of select="translate(., '&#10;&#13;', '  ')"/>&#10;END:VCARD</entity>
          </contribute>
        </xsl:for-each>
      </lifeCycle>
      <metaMetadata><metadataSchema>LOMv1.0</metadataSchema></metaMetadata>
      <technical>
        <xsl:for-each select="format"><format><xsl:value-of select="."/></format></xsl:for-each>
        <xsl:for-each select="@landing_page"><location><xsl:value-of select="."/></location></xsl:for-each>
      </technical>
      <xsl:if test="rights or @licence">
        <rights>
          <copyrightAndOtherRestrictions><source>LOMv1.0</source><value>yes</value></copyrightAndOtherRestrictions>
          <description>
            <xsl:for-each select="rights"><xsl:call-template name="string"/></xsl:for-each>
            <xsl:for-each select="@licence"><string><xsl:value-of select="."/></string></xsl:for-each>
          </description>
        </rights>
      </xsl:if>
    </lom>
  </xsl:template>
</xsl:stylesheet>
