<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The Link header (RFC 8288) of the first page: the feed of changes. That of a record's page: the linkset, and as many links, from the first on, as 2,048 bytes have room for;
     one that does not fit is left out. Web servers keep the headers of an answer in a buffer of 4 KB. It is ASCII; nothing if not
     even the linkset fits. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:import href="part/links.xsl"/>
  <xsl:output method="text"/>
  <!-- What a quoted-string can hold as it is (RFC 9110, 5.6.4). -->
  <xsl:variable name="plain"> !#$%&amp;'()*+,-./0123456789:;&lt;=&gt;?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~</xsl:variable>

  <xsl:template match="page[@kind = 'home']">&lt;<xsl:value-of select="@base"/>/changes&gt;; rel="alternate"; type="application/activity+json"</xsl:template>

  <xsl:template match="page[@kind = 'record']">
    <xsl:variable name="first" select="concat('&lt;', $linkset, '&gt;; rel=&quot;linkset&quot;; type=&quot;application/linkset+json&quot;')"/>
    <xsl:if test="string-length($first) &lt;= 2048"><xsl:call-template name="header"><xsl:with-param name="so-far" select="$first"/></xsl:call-template></xsl:if>
  </xsl:template>

  <xsl:template name="header">
    <xsl:param name="so-far"/>
    <xsl:param name="i" select="1"/>
    <xsl:variable name="link"><xsl:for-each select="$links[$i]">, &lt;<xsl:value-of select="@href"/>&gt;; rel="<xsl:value-of select="@rel"/>"<xsl:for-each select="(@type | @profile)[. != '' and translate(., $plain, '') = '']">; <xsl:value-of select="concat(name(), '=&quot;', ., '&quot;')"/></xsl:for-each></xsl:for-each></xsl:variable>
    <xsl:choose>
      <xsl:when test="$i &gt; count($links)"><xsl:value-of select="$so-far"/></xsl:when>
      <xsl:otherwise><xsl:call-template name="header">
        <xsl:with-param name="so-far" select="concat($so-far, substring($link, 1, string-length($link) * (string-length($so-far) + string-length($link) &lt;= 2048)))"/>
        <xsl:with-param name="i" select="$i + 1"/>
      </xsl:call-template></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
