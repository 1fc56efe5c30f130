<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Qualified Dublin Core of an archived document (model webarchiv): what oai_dc says, with the kind of each date and
     relation and the encoding scheme of each value.
     DCMI publishes a container, qualifieddc, in no namespace and leaves it to applications to include it into one.
     OAI-PMH forbids metadata in no namespace, and no schema declares the container in that of the DCMI terms, by which
     harvesters know this format; so it stands in one of its own, with schema/qualifieddc.xsd. The URL stays without an encoding scheme: dcterms:URI is xs:anyURI, and
     what a crawler fetched need not be one. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="qdc" alias="oai_qdc" schema="schema/qualifieddc.xsd"
            namespace="http://purl.org/dc/terms/" root-namespace="urn:oai-fcgi:qualifieddc"/>

  <xsl:template match="record">
    <qdc:qualifieddc xmlns:qdc="urn:oai-fcgi:qualifieddc" xmlns:dcterms="http://purl.org/dc/terms/"
                     xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
      <xsl:for-each select="@title"><dc:title><xsl:value-of select="."/></dc:title></xsl:for-each>
      <xsl:for-each select="@url">
        <xsl:if test="not(../@title)"><dc:title><xsl:value-of select="."/></dc:title></xsl:if>
        <dc:identifier><xsl:value-of select="."/></dc:identifier>
      </xsl:for-each>
      <xsl:if test="not(@url)"><dc:identifier><xsl:value-of select="@identifier"/></dc:identifier></xsl:if>
      <xsl:for-each select="@description"><dc:description><xsl:value-of select="."/></dc:description></xsl:for-each>
      <xsl:for-each select="@language"><dc:language><xsl:value-of select="."/></dc:language></xsl:for-each>
      <xsl:for-each select="@domain"><dc:publisher><xsl:value-of select="."/></dc:publisher></xsl:for-each>
      <!-- What the archive holds is the capture, which was created at this time. -->
      <xsl:for-each select="@archived_time">
        <dcterms:created xsi:type="dcterms:W3CDTF"><xsl:value-of select="."/></dcterms:created>
      </xsl:for-each>
      <xsl:for-each select="@mimetype">
        <!-- The type is chosen as in oai_dc.xsl. -->
        <xsl:choose>
          <xsl:when test=". = 'text/html'"><dc:type xsi:type="dcterms:DCMIType">Text</dc:type></xsl:when>
          <xsl:when test="starts-with(., 'image/')"><dc:type xsi:type="dcterms:DCMIType">Image</dc:type></xsl:when>
          <xsl:when test="starts-with(., 'text/')">
            <xsl:choose>
              <xsl:when test=". = 'text/javascript'"><dc:type xsi:type="dcterms:DCMIType">Software</dc:type></xsl:when>
              <xsl:when test=". = 'text/csv' or . = 'text/xml'"
                ><dc:type xsi:type="dcterms:DCMIType">Dataset</dc:type></xsl:when>
              <xsl:otherwise><dc:type xsi:type="dcterms:DCMIType">Text</dc:type></xsl:otherwise>
            </xsl:choose>
          </xsl:when>
          <xsl:when test="starts-with(., 'video/')"
            ><dc:type xsi:type="dcterms:DCMIType">MovingImage</dc:type></xsl:when>
          <xsl:when test="starts-with(., 'audio/')"><dc:type xsi:type="dcterms:DCMIType">Sound</dc:type></xsl:when>
          <xsl:when test="not(starts-with(., 'application/'))"/>
          <xsl:when test=". = 'application/javascript' or . = 'application/x-javascript'
                          or . = 'application/java-archive' or . = 'application/wasm'"
            ><dc:type xsi:type="dcterms:DCMIType">Software</dc:type></xsl:when>
          <xsl:when test=". = 'application/xml' or . = 'application/json' or . = 'application/rss+xml'
                          or . = 'application/atom+xml' or . = 'application/vnd.ms-excel'
                          or starts-with(., 'application/vnd.oasis.opendocument.spreadsheet')
                          or starts-with(., 'application/vnd.openxmlformats-officedocument.spreadsheetml')"
            ><dc:type xsi:type="dcterms:DCMIType">Dataset</dc:type></xsl:when>
          <xsl:when test=". = 'application/pdf' or . = 'application/xhtml+xml' or . = 'application/msword'
                          or . = 'application/rtf' or . = 'application/postscript' or . = 'application/epub+zip'
                          or starts-with(., 'application/vnd.oasis.opendocument.text')
                          or starts-with(., 'application/vnd.openxmlformats-officedocument.wordprocessingml')"
            ><dc:type xsi:type="dcterms:DCMIType">Text</dc:type></xsl:when>
          <xsl:when test=". = 'application/x-shockwave-flash'"
            ><dc:type xsi:type="dcterms:DCMIType">InteractiveResource</dc:type></xsl:when>
          <xsl:when test=". = 'application/zip' or . = 'application/gzip'
                          or . = 'application/x-gzip' or . = 'application/x-tar'
                          or . = 'application/x-7z-compressed'"
            ><dc:type xsi:type="dcterms:DCMIType">Collection</dc:type></xsl:when>
        </xsl:choose>
        <dc:format xsi:type="dcterms:IMT"><xsl:value-of select="."/></dc:format>
      </xsl:for-each>
      <!-- The size of the record in the archive file with its headers, since the archive knows no other. -->
      <xsl:for-each select="@length">
        <dcterms:extent><xsl:value-of select="."/> bytes</dcterms:extent>
      </xsl:for-each>
      <xsl:for-each select="@arc">
        <dc:source>
          <xsl:value-of select="."/>
          <xsl:for-each select="../@arc_offset">#<xsl:value-of select="."/></xsl:for-each>
        </dc:source>
      </xsl:for-each>
      <xsl:for-each select="collections"><dcterms:isPartOf><xsl:value-of select="."/></dcterms:isPartOf></xsl:for-each>
      <!-- A capture is a version of the document at the address. -->
      <xsl:for-each select="@url"><dcterms:isVersionOf><xsl:value-of select="."/></dcterms:isVersionOf></xsl:for-each>
    </qdc:qualifieddc>
  </xsl:template>
</xsl:stylesheet>
