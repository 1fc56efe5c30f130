<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- xMetaDissPlus, by which the German National Library (DNB) takes in online publications, of an item (model library):
     qualified Dublin Core whose values name their scheme by xsi:type, in the order of the DNB's description of the format.
     Languages are the three letters of ISO 639-2/B; a name with a comma is family name and given name. The DNB also
     wants a subject group of the Dewey classification and the transfer address of the files, which the item does not
     hold: add dc:subject of type xMetaDiss:DDC-SG and ddb:transfer when you agree on the delivery. ddb:rights says
     free (open access) for a Creative Commons licence or openAccess, else domain: access in the libraries. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="part/language.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="xMetaDissPlus" alias="xmetadissplus"
            schema="http://files.dnb.de/standards/xmetadissplus/xmetadissplus.xsd"
            namespace="http://www.d-nb.de/standards/xmetadissplus/" requires="title creator year"/>

  <!-- "Family, Given" or one name. -->
  <xsl:template name="person" xmlns:pc="http://www.d-nb.de/standards/pc/">
    <pc:person>
      <pc:name type="nameUsedByThePerson">
        <xsl:choose>
          <xsl:when test="contains(., ', ')">
            <pc:foreName><xsl:value-of select="substring-after(., ', ')"/></pc:foreName>
            <pc:surName><xsl:value-of select="substring-before(., ', ')"/></pc:surName>
          </xsl:when>
          <xsl:otherwise>
            <pc:personEnteredUnderGivenName><xsl:value-of select="."/></pc:personEnteredUnderGivenName>
          </xsl:otherwise>
        </xsl:choose>
      </pc:name>
    </pc:person>
  </xsl:template>

  <xsl:template match="record">
    <xMetaDiss:xMetaDiss xmlns:xMetaDiss="http://www.d-nb.de/standards/xmetadissplus/"
                         xmlns:cc="http://www.d-nb.de/standards/cc/"
                         xmlns:dc="http://purl.org/dc/elements/1.1/"
                         xmlns:dcterms="http://purl.org/dc/terms/"
                         xmlns:ddb="http://www.d-nb.de/standards/ddb/"
                         xmlns:doi="http://www.d-nb.de/standards/doi/"
                         xmlns:dini="http://www.d-nb.de/standards/xmetadissplus/type/"
                         xmlns:pc="http://www.d-nb.de/standards/pc/"
                         xmlns:thesis="http://www.ndltd.org/standards/metadata/etdms/1.0/"
                         xmlns:urn="http://www.d-nb.de/standards/urn/"
                         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                         xsi:schemaLocation="http://www.d-nb.de/standards/xmetadissplus/ http://files.dnb.de/standards/xmetadissplus/xmetadissplus.xsd">
      <xsl:variable name="spoken">
        <xsl:call-template name="three-letters"><xsl:with-param name="of" select="language[1]"/></xsl:call-template>
      </xsl:variable>
      <!-- A title has a language, its own or the document's. The first is the title proper; another is a translation
           if its language is another, else an alternative. -->
      <xsl:for-each select="title">
        <xsl:variable name="own">
          <xsl:call-template name="three-letters"><xsl:with-param name="of" select="@lang"/></xsl:call-template>
        </xsl:variable>
        <xsl:variable name="lang">
          <xsl:choose>
            <xsl:when test="$own != ''"><xsl:value-of select="$own"/></xsl:when>
            <xsl:when test="$spoken != ''"><xsl:value-of select="$spoken"/></xsl:when>
            <xsl:otherwise>und</xsl:otherwise>
          </xsl:choose>
        </xsl:variable>
        <xsl:choose>
          <xsl:when test="position() = 1">
            <dc:title xsi:type="ddb:titleISO639-2" lang="{$lang}"><xsl:value-of select="."/></dc:title>
          </xsl:when>
          <xsl:when test="$own != '' and $own != $spoken">
            <dc:title xsi:type="ddb:titleISO639-2" lang="{$lang}" ddb:type="translated"><xsl:value-of select="."/></dc:title>
          </xsl:when>
          <xsl:otherwise>
            <dcterms:alternative xsi:type="ddb:talternativeISO639-2" lang="{$lang}"><xsl:value-of select="."/></dcterms:alternative>
          </xsl:otherwise>
        </xsl:choose>
      </xsl:for-each>
      <xsl:for-each select="creator">
        <dc:creator xsi:type="pc:MetaPers"><xsl:call-template name="person"/></dc:creator>
      </xsl:for-each>
      <xsl:for-each select="subject">
        <dc:subject xsi:type="xMetaDiss:noScheme"><xsl:value-of select="."/></dc:subject>
      </xsl:for-each>
      <xsl:for-each select="description">
        <xsl:variable name="own">
          <xsl:call-template name="three-letters"><xsl:with-param name="of" select="@lang"/></xsl:call-template>
        </xsl:variable>
        <xsl:variable name="written">
          <xsl:choose>
            <xsl:when test="$own != ''"><xsl:value-of select="$own"/></xsl:when>
            <xsl:when test="$spoken != ''"><xsl:value-of select="$spoken"/></xsl:when>
            <xsl:otherwise>und</xsl:otherwise>
          </xsl:choose>
        </xsl:variable>
        <dcterms:abstract xsi:type="ddb:contentISO639-2" ddb:type="noScheme" lang="{$written}"
          ><xsl:value-of select="."/></dcterms:abstract>
      </xsl:for-each>
      <xsl:for-each select="publisher[1]">
        <dc:publisher xsi:type="cc:Publisher">
          <cc:universityOrInstitution><cc:name><xsl:value-of select="."/></cc:name></cc:universityOrInstitution>
        </dc:publisher>
      </xsl:for-each>
      <xsl:for-each select="contributor">
        <dc:contributor xsi:type="pc:Contributor"><xsl:call-template name="person"/></dc:contributor>
      </xsl:for-each>
      <dcterms:issued xsi:type="dcterms:W3CDTF"><xsl:value-of select="@year"/></dcterms:issued>
      <xsl:choose>
        <xsl:when test="@kind = 'article'"
          ><dc:type xsi:type="dini:PublType">contributionToPeriodical</dc:type></xsl:when>
        <xsl:when test="@kind = 'book'"><dc:type xsi:type="dini:PublType">book</dc:type></xsl:when>
        <xsl:when test="@kind = 'book:part'"><dc:type xsi:type="dini:PublType">bookPart</dc:type></xsl:when>
        <xsl:when test="@kind = 'conference'"
          ><dc:type xsi:type="dini:PublType">conferenceObject</dc:type></xsl:when>
        <xsl:when test="@kind = 'journal'"><dc:type xsi:type="dini:PublType">Periodical</dc:type></xsl:when>
        <xsl:when test="@kind = 'lecture'"><dc:type xsi:type="dini:PublType">lecture</dc:type></xsl:when>
        <xsl:when test="@kind = 'preprint'"><dc:type xsi:type="dini:PublType">preprint</dc:type></xsl:when>
        <xsl:when test="@kind = 'report'"><dc:type xsi:type="dini:PublType">report</dc:type></xsl:when>
        <xsl:when test="@kind = 'review'"><dc:type xsi:type="dini:PublType">review</dc:type></xsl:when>
        <xsl:when test="@kind = 'thesis:bachelor'"
          ><dc:type xsi:type="dini:PublType">bachelorThesis</dc:type></xsl:when>
        <xsl:when test="@kind = 'thesis:master'"
          ><dc:type xsi:type="dini:PublType">masterThesis</dc:type></xsl:when>
        <xsl:when test="@kind = 'thesis:doctoral' or @kind = 'thesis'"
          ><dc:type xsi:type="dini:PublType">doctoralThesis</dc:type></xsl:when>
        <xsl:when test="@kind = 'image'"><dc:type xsi:type="dini:PublType">StillImage</dc:type></xsl:when>
        <xsl:when test="@kind = 'music'"><dc:type xsi:type="dini:PublType">MusicalNotation</dc:type></xsl:when>
        <xsl:when test="@kind = 'sound'"><dc:type xsi:type="dini:PublType">Sound</dc:type></xsl:when>
        <xsl:when test="@kind = 'map'"><dc:type xsi:type="dini:PublType">CartographicMaterial</dc:type></xsl:when>
        <xsl:when test="@kind = 'video'"><dc:type xsi:type="dini:PublType">MovingImage</dc:type></xsl:when>
        <xsl:when test="@kind = 'dataset'"><dc:type xsi:type="dini:PublType">ResearchData</dc:type></xsl:when>
        <xsl:when test="@kind = 'manuscript'"><dc:type xsi:type="dini:PublType">Manuscript</dc:type></xsl:when>
        <xsl:when test="@kind = 'patent'"><dc:type xsi:type="dini:PublType">patent</dc:type></xsl:when>
        <xsl:when test="@kind = 'software'"><dc:type xsi:type="dini:PublType">Software</dc:type></xsl:when>
        <xsl:when test="@kind = 'website'"><dc:type xsi:type="dini:PublType">Website</dc:type></xsl:when>
        <xsl:otherwise><dc:type xsi:type="dini:PublType">Other</dc:type></xsl:otherwise>
      </xsl:choose>
      <xsl:if test="starts-with(@urn, 'urn:nbn:')">
        <dc:identifier xsi:type="urn:nbn"><xsl:value-of select="@urn"/></dc:identifier>
      </xsl:if>
      <xsl:if test="@doi and not(starts-with(@urn, 'urn:nbn:'))">
        <dc:identifier xsi:type="doi:doi"><xsl:value-of select="@doi"/></dc:identifier>
      </xsl:if>
      <xsl:for-each select="format">
        <xsl:if test="not(contains(., '/')) or contains(., ' ')">
          <dcterms:extent><xsl:value-of select="."/></dcterms:extent>
        </xsl:if>
      </xsl:for-each>
      <xsl:for-each select="format">
        <xsl:if test="contains(., '/') and not(contains(., ' '))">
          <dcterms:medium xsi:type="dcterms:IMT"><xsl:value-of select="."/></dcterms:medium>
        </xsl:if>
      </xsl:for-each>
      <xsl:for-each select="isbn"><dc:source xsi:type="ddb:ISBN"><xsl:value-of select="."/></dc:source></xsl:for-each>
      <xsl:for-each select="source"><dc:source xsi:type="ddb:noScheme"><xsl:value-of select="."/></dc:source></xsl:for-each>
      <xsl:if test="$spoken != ''">
        <dc:language xsi:type="dcterms:ISO639-2"><xsl:value-of select="$spoken"/></dc:language>
      </xsl:if>
      <xsl:for-each select="issn">
        <dcterms:isPartOf xsi:type="ddb:ISSN"><xsl:value-of select="."/></dcterms:isPartOf>
      </xsl:for-each>
      <xsl:for-each select="rights"><dc:rights xsi:type="ddb:noScheme"><xsl:value-of select="."/></dc:rights></xsl:for-each>
      <xsl:if test="starts-with(@kind, 'thesis')">
        <thesis:degree>
          <xsl:choose>
            <xsl:when test="@kind = 'thesis:bachelor'"><thesis:level>bachelor</thesis:level></xsl:when>
            <xsl:when test="@kind = 'thesis:master'"><thesis:level>master</thesis:level></xsl:when>
            <xsl:when test="@kind = 'thesis:doctoral'"><thesis:level>thesis.doctoral</thesis:level></xsl:when>
            <xsl:otherwise><thesis:level>other</thesis:level></xsl:otherwise>
          </xsl:choose>
          <xsl:for-each select="publisher[1]">
            <thesis:grantor xsi:type="cc:Corporate">
              <cc:universityOrInstitution><cc:name><xsl:value-of select="."/></cc:name></cc:universityOrInstitution>
            </thesis:grantor>
          </xsl:for-each>
        </thesis:degree>
      </xsl:if>
      <!-- The files are behind the landing page, and how many there are is not known here. -->
      <xsl:for-each select="@landing_page"><ddb:identifier ddb:type="URL"><xsl:value-of select="."/></ddb:identifier></xsl:for-each>
      <xsl:for-each select="@doi"><ddb:identifier ddb:type="DOI"><xsl:value-of select="."/></ddb:identifier></xsl:for-each>
      <xsl:choose>
        <xsl:when test="contains(@licence, '://creativecommons.org/') or rights[contains(., 'openAccess')]"
          ><ddb:rights ddb:kind="free"/></xsl:when>
        <xsl:otherwise><ddb:rights ddb:kind="domain"/></xsl:otherwise>
      </xsl:choose>
    </xMetaDiss:xMetaDiss>
  </xsl:template>
</xsl:stylesheet>
