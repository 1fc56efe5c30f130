<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- An item (model library) as DSpace registers metadata: a list of <field schema="" element="" qualifier="" lang="">, where
     the qualifier and the language may be empty. The adapters xoai.xsl and dim.xsl import it. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:template name="field">
    <xsl:param name="schema" select="'dc'"/>
    <xsl:param name="element"/>
    <xsl:param name="qualifier"/>
    <xsl:param name="lang" select="@lang"/>
    <xsl:param name="value" select="."/>
    <field schema="{$schema}" element="{$element}" qualifier="{$qualifier}" lang="{$lang}">
      <xsl:value-of select="$value"/>
    </field>
  </xsl:template>

  <!-- The elements of Dublin Core by their names; those that DSpace qualifies have a template of their own. -->
  <xsl:template mode="field" match="*">
    <xsl:call-template name="field"><xsl:with-param name="element" select="local-name()"/></xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="title[position() &gt; 1]">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'title'"/><xsl:with-param name="qualifier" select="'alternative'"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="creator">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'contributor'"/><xsl:with-param name="qualifier" select="'author'"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="description">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'description'"/><xsl:with-param name="qualifier" select="'abstract'"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="language">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'language'"/><xsl:with-param name="qualifier" select="'iso'"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="isbn | issn">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'identifier'"/><xsl:with-param name="qualifier" select="local-name()"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="@landing_page | @urn">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'identifier'"/><xsl:with-param name="qualifier" select="'uri'"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="@doi">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'identifier'"/><xsl:with-param name="qualifier" select="'doi'"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="@licence">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'rights'"/><xsl:with-param name="qualifier" select="'uri'"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="@year">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'date'"/><xsl:with-param name="qualifier" select="'issued'"/>
    </xsl:call-template>
  </xsl:template>
  <!-- When it came into the repository is not known; when it was there at the latest is. -->
  <xsl:template mode="field" match="@datestamp">
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'date'"/><xsl:with-param name="qualifier" select="'accessioned'"/>
    </xsl:call-template>
    <xsl:call-template name="field">
      <xsl:with-param name="element" select="'date'"/><xsl:with-param name="qualifier" select="'available'"/>
    </xsl:call-template>
  </xsl:template>
  <xsl:template mode="field" match="@kind">
    <xsl:call-template name="field"><xsl:with-param name="element" select="'type'"/></xsl:call-template>
    <xsl:if test="starts-with(., 'thesis')">
      <xsl:call-template name="field">
        <xsl:with-param name="schema" select="'thesis'"/><xsl:with-param name="element" select="'degree'"/>
        <xsl:with-param name="qualifier" select="'level'"/><xsl:with-param name="value" select="substring-after(., ':')"/>
      </xsl:call-template>
      <xsl:for-each select="../publisher[1]">
        <xsl:call-template name="field">
          <xsl:with-param name="schema" select="'thesis'"/><xsl:with-param name="element" select="'degree'"/>
          <xsl:with-param name="qualifier" select="'grantor'"/>
        </xsl:call-template>
      </xsl:for-each>
    </xsl:if>
  </xsl:template>

  <xsl:template name="fields">
    <xsl:apply-templates mode="field"
      select="title | creator | contributor | subject | description | publisher | date | @year | @datestamp | type | @kind | format
              | @landing_page | @doi | @urn | isbn | issn | identifier | source | language | relation | coverage | rights | @licence"/>
  </xsl:template>
</xsl:stylesheet>
