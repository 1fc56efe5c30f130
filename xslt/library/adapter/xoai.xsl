<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- An adapter: an item (model library) as the document that DSpace's OAI crosswalks expect (crosswalks/oai): metadata, in it
     schema, element, qualifier and language, each an <element name="">, in it <field name="value">. Files of items are not
     known here, so there are no bundles. <f:param>s that it understands: handle (default: the local identifier), repository
     and mail (the repository's name and address). -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common"
                xmlns="http://www.lyncode.com/xoai" exclude-result-prefixes="exsl">
  <xsl:import href="fields.xsl"/>
  <xsl:param name="handle"/>
  <xsl:param name="repository"/>
  <xsl:param name="mail"/>

  <xsl:template match="record">
    <xsl:variable name="fields"><xsl:call-template name="fields"/></xsl:variable>
    <metadata>
      <xsl:for-each select="exsl:node-set($fields)/field[not(@schema = preceding-sibling::field/@schema)]">
        <element name="{@schema}">
          <xsl:call-template name="elements">
            <xsl:with-param name="fields" select="../field[@schema = current()/@schema]"/>
          </xsl:call-template>
        </element>
      </xsl:for-each>
      <element name="bundles"/>
      <element name="others">
        <field name="handle">
          <xsl:choose>
            <xsl:when test="$handle != ''"><xsl:value-of select="$handle"/></xsl:when>
            <xsl:otherwise><xsl:value-of select="substring-after(substring-after(@identifier, ':'), ':')"/></xsl:otherwise>
          </xsl:choose>
        </field>
        <field name="identifier"><xsl:value-of select="@identifier"/></field>
        <field name="lastModifyDate"><xsl:value-of select="@datestamp"/></field>
      </element>
      <element name="repository">
        <field name="name"><xsl:value-of select="$repository"/></field>
        <field name="mail"><xsl:value-of select="$mail"/></field>
      </element>
      <element name="license"/>
    </metadata>
  </xsl:template>

  <!-- Fields of one schema: by element, by qualifier, by language, in the order in which each comes first. -->
  <xsl:template name="elements">
    <xsl:param name="fields"/>
    <xsl:for-each select="$fields">
      <xsl:variable name="element" select="@element"/>
      <xsl:variable name="same" select="$fields[@element = $element]"/>
      <xsl:if test="generate-id() = generate-id($same[1])">
        <element name="{$element}">
          <xsl:for-each select="$same">
            <xsl:variable name="qualifier" select="@qualifier"/>
            <xsl:variable name="alike" select="$same[@qualifier = $qualifier]"/>
            <xsl:if test="generate-id() = generate-id($alike[1])">
              <xsl:choose>
                <xsl:when test="$qualifier = ''">
                  <xsl:call-template name="values"><xsl:with-param name="fields" select="$alike"/></xsl:call-template>
                </xsl:when>
                <xsl:otherwise>
                  <element name="{$qualifier}">
                    <xsl:call-template name="values"><xsl:with-param name="fields" select="$alike"/></xsl:call-template>
                  </element>
                </xsl:otherwise>
              </xsl:choose>
            </xsl:if>
          </xsl:for-each>
        </element>
      </xsl:if>
    </xsl:for-each>
  </xsl:template>

  <xsl:template name="values">
    <xsl:param name="fields"/>
    <xsl:for-each select="$fields">
      <xsl:variable name="lang" select="@lang"/>
      <xsl:variable name="alike" select="$fields[@lang = $lang]"/>
      <xsl:if test="generate-id() = generate-id($alike[1])">
        <element>
          <xsl:attribute name="name">
            <xsl:value-of select="$lang"/><xsl:if test="$lang = ''">none</xsl:if>
          </xsl:attribute>
          <xsl:for-each select="$alike"><field name="value"><xsl:value-of select="."/></field></xsl:for-each>
        </element>
      </xsl:if>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
