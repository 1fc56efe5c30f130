<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- DataCite kernel 4 of an item (model library). The identifier is the DOI, or what comes next in the order of
     persistence: URN, landing page, OAI identifier. Of the six mandatory properties creator, title and publisher take
     DataCite's own word for what is not available, (:unav); publicationYear has no such word, so an item without a year
     has no metadata in this format. Names are given as they are, without a guess at which part is the family name.
     Relation, source and coverage are left out: DataCite demands their types, which the item does not have. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="datacite" schema="http://schema.datacite.org/meta/kernel-4/metadata.xsd"
            namespace="http://datacite.org/schema/kernel-4" requires="year"/>

  <xsl:template match="record">
    <resource xmlns="http://datacite.org/schema/kernel-4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
              xsi:schemaLocation="http://datacite.org/schema/kernel-4 http://schema.datacite.org/meta/kernel-4/metadata.xsd">
      <xsl:choose>
        <xsl:when test="@doi"
          ><identifier identifierType="DOI"><xsl:value-of select="@doi"/></identifier></xsl:when>
        <xsl:when test="@urn"
          ><identifier identifierType="URN"><xsl:value-of select="@urn"/></identifier></xsl:when>
        <xsl:when test="@landing_page"
          ><identifier identifierType="URL"><xsl:value-of select="@landing_page"/></identifier></xsl:when>
        <xsl:otherwise><identifier identifierType="OAI"><xsl:value-of select="@identifier"/></identifier></xsl:otherwise>
      </xsl:choose>
      <creators>
        <xsl:for-each select="creator">
          <creator><creatorName><xsl:value-of select="."/></creatorName></creator>
        </xsl:for-each>
        <xsl:if test="not(creator)"><creator><creatorName>(:unav)</creatorName></creator></xsl:if>
      </creators>
      <titles>
        <xsl:for-each select="title">
          <xsl:choose>
            <xsl:when test="position() = 1 and @lang"><title xml:lang="{@lang}"><xsl:value-of select="."/></title></xsl:when>
            <xsl:when test="position() = 1"><title><xsl:value-of select="."/></title></xsl:when>
            <xsl:when test="@lang">
              <title xml:lang="{@lang}" titleType="AlternativeTitle"><xsl:value-of select="."/></title>
            </xsl:when>
            <xsl:otherwise><title titleType="AlternativeTitle"><xsl:value-of select="."/></title></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <xsl:if test="not(title)"><title>(:unav)</title></xsl:if>
      </titles>
      <xsl:choose>
        <xsl:when test="publisher"><publisher><xsl:value-of select="publisher"/></publisher></xsl:when>
        <xsl:otherwise><publisher>(:unav)</publisher></xsl:otherwise>
      </xsl:choose>
      <publicationYear><xsl:value-of select="@year"/></publicationYear>
      <xsl:choose>
        <xsl:when test="@kind = 'book'"
          ><resourceType resourceTypeGeneral="Book"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'book:part'"
          ><resourceType resourceTypeGeneral="BookChapter"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'article'"
          ><resourceType resourceTypeGeneral="JournalArticle"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'journal'"
          ><resourceType resourceTypeGeneral="Journal"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'conference'"
          ><resourceType resourceTypeGeneral="ConferencePaper"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'dataset'"
          ><resourceType resourceTypeGeneral="Dataset"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'image' or @kind = 'map'"
          ><resourceType resourceTypeGeneral="Image"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'preprint'"
          ><resourceType resourceTypeGeneral="Preprint"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'report'"
          ><resourceType resourceTypeGeneral="Report"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'review'"
          ><resourceType resourceTypeGeneral="PeerReview"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'software'"
          ><resourceType resourceTypeGeneral="Software"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'sound' or @kind = 'music'"
          ><resourceType resourceTypeGeneral="Sound"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="starts-with(@kind, 'thesis')"
          ><resourceType resourceTypeGeneral="Dissertation"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'video'"
          ><resourceType resourceTypeGeneral="Audiovisual"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'website'"
          ><resourceType resourceTypeGeneral="InteractiveResource"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:when test="@kind = 'lecture' or @kind = 'manuscript' or @kind = 'patent'"
          ><resourceType resourceTypeGeneral="Text"><xsl:value-of select="@kind"/></resourceType></xsl:when>
        <xsl:otherwise><resourceType resourceTypeGeneral="Other"><xsl:value-of select="@kind"/></resourceType></xsl:otherwise>
      </xsl:choose>
      <xsl:if test="subject">
        <subjects>
          <xsl:for-each select="subject">
            <xsl:choose>
              <xsl:when test="@lang"><subject xml:lang="{@lang}"><xsl:value-of select="."/></subject></xsl:when>
              <xsl:otherwise><subject><xsl:value-of select="."/></subject></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
        </subjects>
      </xsl:if>
      <xsl:if test="contributor">
        <contributors>
          <xsl:for-each select="contributor">
            <contributor contributorType="Other"><contributorName><xsl:value-of select="."/></contributorName></contributor>
          </xsl:for-each>
        </contributors>
      </xsl:if>
      <xsl:if test="date or @access_from">
        <dates>
          <xsl:if test="date"><date dateType="Issued"><xsl:value-of select="date"/></date></xsl:if>
          <xsl:if test="@access_from"><date dateType="Available"><xsl:value-of select="substring(@access_from, 1, 10)"/></date></xsl:if>
        </dates>
      </xsl:if>
      <!-- A value that is not a language code is left out, since "German, English" is not valid as xs:language. -->
      <xsl:if test="string-length(language) &gt; 1 and string-length(language) &lt; 4
                    and translate(language, 'abcdefghijklmnopqrstuvwxyz', '') = ''">
        <language><xsl:value-of select="language"/></language>
      </xsl:if>
      <alternateIdentifiers>
        <alternateIdentifier alternateIdentifierType="oai"><xsl:value-of select="@identifier"/></alternateIdentifier>
        <xsl:for-each select="isbn">
          <alternateIdentifier alternateIdentifierType="ISBN"><xsl:value-of select="."/></alternateIdentifier>
        </xsl:for-each>
        <xsl:for-each select="identifier">
          <xsl:if test="not(. = string(../@landing_page) or . = string(../@urn) or (../@doi and contains(., ../@doi)))">
            <alternateIdentifier alternateIdentifierType="local"><xsl:value-of select="."/></alternateIdentifier>
          </xsl:if>
        </xsl:for-each>
      </alternateIdentifiers>
      <xsl:if test="issn">
        <relatedIdentifiers>
          <xsl:for-each select="issn">
            <relatedIdentifier relatedIdentifierType="ISSN" relationType="IsPartOf"><xsl:value-of select="."/></relatedIdentifier>
          </xsl:for-each>
        </relatedIdentifiers>
      </xsl:if>
      <xsl:if test="format">
        <formats>
          <xsl:for-each select="format"><format><xsl:value-of select="."/></format></xsl:for-each>
        </formats>
      </xsl:if>
      <xsl:if test="rights or @licence or @access">
        <rightsList>
          <xsl:if test="@access"><rights rightsURI="info:eu-repo/semantics/{@access}Access"/></xsl:if>
          <xsl:for-each select="rights">
            <xsl:choose>
              <xsl:when test="@lang"><rights xml:lang="{@lang}"><xsl:value-of select="."/></rights></xsl:when>
              <xsl:otherwise><rights><xsl:value-of select="."/></rights></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="@licence"><rights rightsURI="{.}"/></xsl:for-each>
        </rightsList>
      </xsl:if>
      <xsl:if test="description">
        <descriptions>
          <xsl:for-each select="description">
            <xsl:choose>
              <xsl:when test="@lang"><description descriptionType="Abstract" xml:lang="{@lang}"><xsl:value-of select="."/></description></xsl:when>
              <xsl:otherwise><description descriptionType="Abstract"><xsl:value-of select="."/></description></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
        </descriptions>
      </xsl:if>
    </resource>
  </xsl:template>
</xsl:stylesheet>
