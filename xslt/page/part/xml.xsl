<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- XML for eyes: indented, in colours, and still the same document when it is copied. Whitespace is added only where
     an element has nothing but elements. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:template match="*" mode="xml">
    <xsl:param name="indent" select="''"/>
    <xsl:param name="outermost" select="false()"/>
    <xsl:param name="whole" select="false()"/>
    <xsl:text>&lt;</xsl:text><span class="e"><xsl:value-of select="name()"/></span>
    <!-- The outermost element also tells what was declared around it: it shall be a document when it is copied. -->
    <xsl:variable name="above" select="ancestor::*[1][not($outermost)]"/>
    <xsl:for-each select="namespace::*[name() != 'xml' and ($whole or . != 'http://www.openarchives.org/OAI/2.0/')]">
      <xsl:variable name="prefix" select="name()"/>
      <xsl:if test="not($above/namespace::*[name() = $prefix and . = current()])">
        <xsl:text> </xsl:text><span class="a">xmlns<xsl:if test="$prefix != ''">:<xsl:value-of select="$prefix"/></xsl:if></span>
        <xsl:text>="</xsl:text><span class="v"><xsl:value-of select="."/></span><xsl:text>"</xsl:text>
      </xsl:if>
    </xsl:for-each>
    <xsl:for-each select="@*">
      <xsl:text> </xsl:text><span class="a"><xsl:value-of select="name()"/></span>
      <xsl:text>="</xsl:text><span class="v"><xsl:call-template name="escaped"><xsl:with-param name="text" select="."/><xsl:with-param name="quote" select="true()"/></xsl:call-template></span><xsl:text>"</xsl:text>
    </xsl:for-each>
    <xsl:choose>
      <xsl:when test="not(node())">/&gt;</xsl:when>
      <xsl:when test="text()[normalize-space() != ''] or not(*)">
        <xsl:text>&gt;</xsl:text>
        <xsl:apply-templates select="node()" mode="xml"/>
        <xsl:text>&lt;/</xsl:text><span class="e"><xsl:value-of select="name()"/></span><xsl:text>&gt;</xsl:text>
      </xsl:when>
      <xsl:otherwise>
        <xsl:text>&gt;</xsl:text>
        <xsl:for-each select="*|comment()">
          <xsl:value-of select="concat('&#10;', $indent, '  ')"/>
          <xsl:apply-templates select="." mode="xml"><xsl:with-param name="indent" select="concat($indent, '  ')"/></xsl:apply-templates>
        </xsl:for-each>
        <xsl:value-of select="concat('&#10;', $indent)"/>
        <xsl:text>&lt;/</xsl:text><span class="e"><xsl:value-of select="name()"/></span><xsl:text>&gt;</xsl:text>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="text()" mode="xml"><bdi><xsl:call-template name="escaped"><xsl:with-param name="text" select="."/></xsl:call-template></bdi></xsl:template>
  <xsl:template match="comment()" mode="xml"><span class="c">&lt;!--<xsl:value-of select="."/>--&gt;</span></xsl:template>

  <!-- As it stands in the document, before HTML escapes it once more. -->
  <xsl:template name="escaped">
    <xsl:param name="text"/>
    <xsl:param name="quote" select="false()"/>
    <xsl:choose>
      <xsl:when test="translate($text, '&amp;&lt;&gt;&quot;', '') != $text">
        <xsl:call-template name="replace"><xsl:with-param name="text">
          <xsl:call-template name="replace"><xsl:with-param name="text">
            <xsl:call-template name="replace"><xsl:with-param name="text">
              <xsl:call-template name="replace"><xsl:with-param name="text" select="$text"/><xsl:with-param name="what" select="'&amp;'"/><xsl:with-param name="by" select="'&amp;amp;'"/></xsl:call-template>
            </xsl:with-param><xsl:with-param name="what" select="'&lt;'"/><xsl:with-param name="by" select="'&amp;lt;'"/></xsl:call-template>
          </xsl:with-param><xsl:with-param name="what" select="'&gt;'"/><xsl:with-param name="by" select="'&amp;gt;'"/></xsl:call-template>
        </xsl:with-param>
        <xsl:with-param name="what"><xsl:if test="$quote">"</xsl:if></xsl:with-param><xsl:with-param name="by" select="'&amp;quot;'"/></xsl:call-template>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$text"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="replace">
    <xsl:param name="text"/>
    <xsl:param name="what"/>
    <xsl:param name="by"/>
    <xsl:choose>
      <xsl:when test="string($what) = ''"><xsl:value-of select="$text"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="str:replace(string($text), string($what), $by)" xmlns:str="http://exslt.org/strings"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="pretty-xml">
    <xsl:param name="id"/>
    <xsl:param name="element"/>
    <xsl:param name="whole" select="false()"/>
    <pre class="xml" id="{$id}" dir="ltr" tabindex="0" role="region" aria-label="XML: {$id}"><xsl:apply-templates select="$element" mode="xml"><xsl:with-param name="outermost" select="true()"/><xsl:with-param name="whole" select="$whole"/></xsl:apply-templates></pre>
  </xsl:template>
</xsl:stylesheet>
