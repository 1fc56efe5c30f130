<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- What kind of thing a record describes, for the icon and the word beside its title. Of the values of type, genre and format a word for
     a kind of publication counts first, then the beginning of a media type, then the terms of the DCMI Type Vocabulary. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:exsl="http://exslt.org/common" exclude-result-prefixes="exsl">
  <!-- A value has this part or beginning, or is this as a whole. Of several words that fit the first counts, so MovingImage is no image. -->
  <xsl:variable name="kind-words">
    <publication part="thesis" is="thesis"/><publication part="dissertation" is="thesis"/>
    <publication part="article" is="article"/><publication part="review" is="article"/>
    <publication part="journal" is="journal"/><publication part="periodical" is="journal"/>
    <publication part="book" is="book"/><publication part="manuscript" is="manuscript"/><publication part="cartographic" is="map"/>
    <publication part="notated music" is="music"/><publication part="score" is="music"/>
    <publication whole="map" is="map"/><publication whole="music" is="music"/>
    <publication whole="monograph" is="book"/><publication whole="paper" is="article"/>
    <media begin="text/html" is="page"/><media begin="application/xhtml" is="page"/>
    <media begin="image/" is="image"/><media begin="application/pdf" is="pdf"/><media begin="audio/" is="audio"/><media begin="video/" is="video"/>
    <media begin="text/css" is="software"/><media begin="text/javascript" is="software"/><media begin="application/javascript" is="software"/>
    <media begin="application/x-javascript" is="software"/><media begin="application/wasm" is="software"/>
    <media begin="text/csv" is="data"/><media begin="text/xml" is="data"/><media begin="application/xml" is="data"/>
    <media begin="application/json" is="data"/><media begin="application/rss" is="data"/><media begin="application/atom" is="data"/>
    <media begin="application/zip" is="package"/><media begin="application/gzip" is="package"/><media begin="application/x-gzip" is="package"/>
    <media begin="application/x-tar" is="package"/><media begin="application/x-7z" is="package"/><media begin="text/" is="text"/>
    <general part="movingimage" is="video"/><general part="moving image" is="video"/><general part="video" is="video"/>
    <general part="image" is="image"/><general part="photograph" is="image"/><general part="sound" is="audio"/><general part="audio" is="audio"/>
    <general part="dataset" is="data"/><general part="software" is="software"/><general part="interactiveresource" is="software"/>
    <general part="collection" is="package"/><general part="text" is="text"/>
  </xsl:variable>
  <xsl:variable name="kinds" select="exsl:node-set($kind-words)/*"/>

  <!-- "page", "thesis", ..., or "item" if nothing says it. values: elements, of which the first text counts, or attributes; the first
       hundred. Those called format can only be media types. -->
  <xsl:template name="kind">
    <xsl:param name="metadata" select="/.."/>
    <xsl:param name="values" select="$metadata/*[1]/*[local-name() = 'type' or local-name() = 'genre' or local-name() = 'typeOfResource' or local-name() = 'format']"/>
    <xsl:variable name="fitting">
      <xsl:for-each select="$values[position() &lt;= 100]">
        <xsl:variable name="text" select="normalize-space((node()[1][self::text()] | self::node()[not(self::*)])[1])"/>
        <xsl:variable name="value" select="translate($text, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')"/>
        <xsl:variable name="fit" select="$kinds[@whole = $value or @part and contains($value, @part) or @begin and starts-with($value, @begin)]"/>
        <xsl:copy-of select="$fit[self::media][1]"/>
        <xsl:if test="local-name() != 'format'"><xsl:copy-of select="$fit[self::publication][1] | $fit[self::general][1]"/></xsl:if>
      </xsl:for-each>
      <general is="item"/>
    </xsl:variable>
    <xsl:variable name="found" select="exsl:node-set($fitting)/*"/>
    <xsl:choose>
      <xsl:when test="$found[self::publication]"><xsl:value-of select="$found[self::publication][1]/@is"/></xsl:when>
      <xsl:when test="$found[self::media]"><xsl:value-of select="$found[self::media][1]/@is"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="$found[1]/@is"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
