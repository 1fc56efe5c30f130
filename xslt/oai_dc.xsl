<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Simple Dublin Core of an archived document (model webarchiv). The stylesheet is written to be fast: it has one
     template and a literal root with its namespaces and schemaLocation, uses choose, and text beside value-of; and
     for-each over a column instead of if and value-of, which would search the record's attributes twice.
     Absent values are not written, so a model without some of these columns still gets valid, if poorer, records. -->
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
      <!-- The title that the document gives itself. A document that has none, or was loaded from an index alone, is
           known to readers by its address. The same address identifies it, as DCMI asks for a string that works outside
           of the repository; the OAI identifier stands in the header anyway and is repeated only where there is no
           address. -->
      <xsl:choose>
        <xsl:when test="not(@url)">
          <xsl:for-each select="@title"><dc:title><xsl:value-of select="."/></dc:title></xsl:for-each>
          <dc:identifier><xsl:value-of select="@identifier"/></dc:identifier>
        </xsl:when>
        <xsl:when test="@title">
          <dc:title><xsl:value-of select="@title"/></dc:title>
          <dc:identifier><xsl:value-of select="@url"/></dc:identifier>
        </xsl:when>
        <xsl:otherwise>
          <dc:title><xsl:value-of select="@url"/></dc:title>
          <dc:identifier><xsl:value-of select="@url"/></dc:identifier>
        </xsl:otherwise>
      </xsl:choose>
      <xsl:for-each select="@description"><dc:description><xsl:value-of select="."/></dc:description></xsl:for-each>
      <xsl:for-each select="@language"><dc:language><xsl:value-of select="."/></dc:language></xsl:for-each>
      <!-- The site that made the document available. -->
      <xsl:for-each select="@domain"><dc:publisher><xsl:value-of select="."/></dc:publisher></xsl:for-each>
      <!-- The moment of capture is the only date that the archive vouches for. -->
      <xsl:for-each select="@archived_time"><dc:date><xsl:value-of select="."/></dc:date></xsl:for-each>
      <xsl:for-each select="@mimetype">
        <!-- A term of the DCMI Type Vocabulary by media type, the most frequent first; other media types have none. What
             office programs write to be read is Text, scripts and programs are Software, packed files a Collection,
             and data that no browser shows by itself a Dataset. -->
        <xsl:choose>
          <xsl:when test=". = 'text/html'"><dc:type>Text</dc:type></xsl:when>
          <xsl:when test="starts-with(., 'image/')"><dc:type>Image</dc:type></xsl:when>
          <xsl:when test="starts-with(., 'text/')">
            <xsl:choose>
              <xsl:when test=". = 'text/javascript'"><dc:type>Software</dc:type></xsl:when>
              <xsl:when test=". = 'text/csv' or . = 'text/xml'"
                ><dc:type>Dataset</dc:type></xsl:when>
              <xsl:otherwise><dc:type>Text</dc:type></xsl:otherwise>
            </xsl:choose>
          </xsl:when>
          <xsl:when test="starts-with(., 'video/')"
            ><dc:type>MovingImage</dc:type></xsl:when>
          <xsl:when test="starts-with(., 'audio/')"><dc:type>Sound</dc:type></xsl:when>
          <xsl:when test="not(starts-with(., 'application/'))"/>
          <xsl:when test=". = 'application/javascript' or . = 'application/x-javascript'
                          or . = 'application/java-archive' or . = 'application/wasm'"
            ><dc:type>Software</dc:type></xsl:when>
          <xsl:when test=". = 'application/xml' or . = 'application/json' or . = 'application/rss+xml'
                          or . = 'application/atom+xml' or . = 'application/vnd.ms-excel'
                          or starts-with(., 'application/vnd.oasis.opendocument.spreadsheet')
                          or starts-with(., 'application/vnd.openxmlformats-officedocument.spreadsheetml')"
            ><dc:type>Dataset</dc:type></xsl:when>
          <xsl:when test=". = 'application/pdf' or . = 'application/xhtml+xml' or . = 'application/msword'
                          or . = 'application/rtf' or . = 'application/postscript' or . = 'application/epub+zip'
                          or starts-with(., 'application/vnd.oasis.opendocument.text')
                          or starts-with(., 'application/vnd.openxmlformats-officedocument.wordprocessingml')"
            ><dc:type>Text</dc:type></xsl:when>
          <xsl:when test=". = 'application/x-shockwave-flash'"
            ><dc:type>InteractiveResource</dc:type></xsl:when>
          <xsl:when test=". = 'application/zip' or . = 'application/gzip'
                          or . = 'application/x-gzip' or . = 'application/x-tar'
                          or . = 'application/x-7z-compressed'"
            ><dc:type>Collection</dc:type></xsl:when>
        </xsl:choose>
        <dc:format><xsl:value-of select="."/></dc:format>
      </xsl:for-each>
      <!-- The document is derived from a record in an archive file that the crawler wrote. -->
      <xsl:for-each select="@arc">
        <dc:source>
          <xsl:value-of select="."/>
          <xsl:for-each select="../@arc_offset">#<xsl:value-of select="."/></xsl:for-each>
        </dc:source>
      </xsl:for-each>
      <!-- Collections are groups that curators made, and the document is part of them. Simple Dublin Core says isPartOf
           by dc:relation; dc:subject would claim a topic that the curator gave to the group, not to the document. -->
      <xsl:for-each select="collections"><dc:relation><xsl:value-of select="."/></dc:relation></xsl:for-each>
    </oai_dc:dc>
  </xsl:template>
</xsl:stylesheet>
