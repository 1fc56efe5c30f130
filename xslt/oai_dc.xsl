<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Simple Dublin Core of an archived document (model webarchiv). The shape is that of a fast stylesheet: one template,
     the literal root with its namespaces and schemaLocation on it, @column, choose, text beside value-of.
     What is absent is not written, so a model without some of these columns still gets valid, if poorer, records. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="oai_dc" schema="http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
            namespace="http://www.openarchives.org/OAI/2.0/oai_dc/"/>

  <xsl:template match="record">
    <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"
               xmlns:dc="http://purl.org/dc/elements/1.1/"
               xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
               xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
      <!-- An archived document has no title of its own in the archive's index: its address is what a reader knows
           it by. The same address identifies it, as DCMI asks for a string that works outside of the repository;
           the OAI identifier stands in the header anyway and is repeated only where there is no address. -->
      <xsl:choose>
        <xsl:when test="@url">
          <dc:title><xsl:value-of select="@url"/></dc:title>
          <dc:identifier><xsl:value-of select="@url"/></dc:identifier>
        </xsl:when>
        <xsl:otherwise>
          <dc:identifier><xsl:value-of select="@identifier"/></dc:identifier>
        </xsl:otherwise>
      </xsl:choose>
      <!-- The site that made the document available. -->
      <xsl:if test="@domain"><dc:publisher><xsl:value-of select="@domain"/></dc:publisher></xsl:if>
      <!-- The moment of capture is the only date that the archive vouches for. -->
      <xsl:if test="@archived_time"><dc:date><xsl:value-of select="@archived_time"/></dc:date></xsl:if>
      <xsl:if test="@mimetype">
        <!-- A term of the DCMI Type Vocabulary by media class, the most frequent first; no guess for the rest. What
             office programs write to be read is Text, scripts and programs are Software, packed files a Collection,
             and data that no browser shows by itself a Dataset. -->
        <xsl:choose>
          <xsl:when test="@mimetype = 'text/html'"><dc:type>Text</dc:type></xsl:when>
          <xsl:when test="starts-with(@mimetype, 'image/')"><dc:type>Image</dc:type></xsl:when>
          <xsl:when test="@mimetype = 'text/javascript' or @mimetype = 'application/javascript'
                          or @mimetype = 'application/x-javascript' or @mimetype = 'application/java-archive'
                          or @mimetype = 'application/wasm'"><dc:type>Software</dc:type></xsl:when>
          <xsl:when test="@mimetype = 'text/csv' or @mimetype = 'text/xml' or @mimetype = 'application/xml'
                          or @mimetype = 'application/json' or @mimetype = 'application/rss+xml'
                          or @mimetype = 'application/atom+xml' or @mimetype = 'application/vnd.ms-excel'
                          or starts-with(@mimetype, 'application/vnd.oasis.opendocument.spreadsheet')
                          or starts-with(@mimetype, 'application/vnd.openxmlformats-officedocument.spreadsheetml')"
            ><dc:type>Dataset</dc:type></xsl:when>
          <xsl:when test="starts-with(@mimetype, 'text/') or @mimetype = 'application/pdf'
                          or @mimetype = 'application/xhtml+xml' or @mimetype = 'application/msword'
                          or @mimetype = 'application/rtf' or @mimetype = 'application/postscript'
                          or @mimetype = 'application/epub+zip'
                          or starts-with(@mimetype, 'application/vnd.oasis.opendocument.text')
                          or starts-with(@mimetype, 'application/vnd.openxmlformats-officedocument.wordprocessingml')"
            ><dc:type>Text</dc:type></xsl:when>
          <xsl:when test="starts-with(@mimetype, 'video/')"><dc:type>MovingImage</dc:type></xsl:when>
          <xsl:when test="starts-with(@mimetype, 'audio/')"><dc:type>Sound</dc:type></xsl:when>
          <xsl:when test="@mimetype = 'application/x-shockwave-flash'"
            ><dc:type>InteractiveResource</dc:type></xsl:when>
          <xsl:when test="@mimetype = 'application/zip' or @mimetype = 'application/gzip'
                          or @mimetype = 'application/x-gzip' or @mimetype = 'application/x-tar'
                          or @mimetype = 'application/x-7z-compressed'"><dc:type>Collection</dc:type></xsl:when>
        </xsl:choose>
        <dc:format><xsl:value-of select="@mimetype"/></dc:format>
      </xsl:if>
      <!-- The extent belongs to dc:format as well. -->
      <xsl:if test="@length"><dc:format><xsl:value-of select="@length"/> bytes</dc:format></xsl:if>
      <!-- What this is derived from: the place in the archive file that the crawler wrote. -->
      <xsl:if test="@arc">
        <dc:source>
          <xsl:value-of select="@arc"/>
          <xsl:if test="@arc_offset">#<xsl:value-of select="@arc_offset"/></xsl:if>
        </dc:source>
      </xsl:if>
      <!-- Collections are groups that curators made, and the document is part of them. Simple Dublin Core says isPartOf
           by dc:relation; dc:subject would claim a topic that the curator gave to the group, not to the document. -->
      <xsl:for-each select="collections"><dc:relation><xsl:value-of select="."/></dc:relation></xsl:for-each>
    </oai_dc:dc>
  </xsl:template>
</xsl:stylesheet>
