<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Czech Core Metadata Model 1.0.1 (CCMM) of an item (model library): the prefix that the Czech national repository platform
     harvests. Later versions have other namespaces, so the schema is that of this version, and not the newest. Title, year, subject, a licence, and at least two relations to agents are mandatory in it; hence what this
     format requires. The model describes data, and says by resource_type what an item of another kind is. Who keeps the
     metadata is not in the item, so its first publisher stands for him. A year is the interval of its days. The
     model demands a language of each text; 'und' says that it is not known (BCP 47). -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="part/coar.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="ccmm-xml" alias="ccmm"
            schema="https://raw.githubusercontent.com/techlib/CCMM/refs/tags/1.0.1/dataset/schema.xsd"
            namespace="https://schema.ccmm.cz/research-data/1.0"
            requires="title creator publisher subject year licence"/>

  <xsl:template match="record">
    <dataset xmlns="https://schema.ccmm.cz/research-data/1.0">
      <xsl:variable name="year" select="substring(concat('000', @year), string-length(@year))"/>
      <xsl:for-each select="@landing_page"><iri><xsl:value-of select="."/></iri></xsl:for-each>
      <publication_year><xsl:value-of select="$year"/></publication_year>
      <title><xsl:value-of select="title[1]"/></title>
      <xsl:for-each select="description">
        <description><description_text><xsl:value-of select="."/></description_text></description>
      </xsl:for-each>
      <xsl:for-each select="title">
        <xsl:if test="position() &gt; 1">
          <alternate_title>
            <xsl:choose>
              <xsl:when test="@lang"><title xml:lang="{@lang}"><xsl:value-of select="."/></title></xsl:when>
              <xsl:otherwise><title xml:lang="und"><xsl:value-of select="."/></title></xsl:otherwise>
            </xsl:choose>
          </alternate_title>
        </xsl:if>
      </xsl:for-each>
      <is_described_by>
        <date_updated><xsl:value-of select="substring(@datestamp, 1, 10)"/></date_updated>
        <xsl:for-each select="publisher[1]">
          <qualified_relation>
            <role><iri>https://vocabs.ccmm.cz/registry/codelist/AgentRole/DataManager</iri></role>
            <relation><organization><name><xsl:value-of select="."/></name></organization></relation>
          </qualified_relation>
        </xsl:for-each>
      </is_described_by>
      <xsl:if test="@doi">
        <identifier>
          <iri>https://doi.org/<xsl:value-of select="@doi"/></iri>
          <value><xsl:value-of select="@doi"/></value>
          <scheme><iri>https://doi.org/</iri><label xml:lang="en">DOI</label></scheme>
        </identifier>
      </xsl:if>
      <xsl:for-each select="@urn">
        <identifier>
          <value><xsl:value-of select="."/></value>
          <scheme><iri>https://www.iana.org/assignments/urn-namespaces</iri><label xml:lang="en">URN</label></scheme>
        </identifier>
      </xsl:for-each>
      <identifier>
        <value><xsl:value-of select="@identifier"/></value>
        <scheme><iri>http://www.openarchives.org/OAI/2.0/oai-identifier</iri><label xml:lang="en">OAI-PMH</label></scheme>
      </identifier>
      <xsl:for-each select="creator">
        <qualified_relation>
          <role><iri>https://vocabs.ccmm.cz/registry/codelist/AgentRole/Creator</iri></role>
          <relation><person><name><xsl:value-of select="."/></name></person></relation>
        </qualified_relation>
      </xsl:for-each>
      <xsl:for-each select="contributor">
        <qualified_relation>
          <role><iri>https://vocabs.ccmm.cz/registry/codelist/AgentRole/Contributor</iri></role>
          <relation><person><name><xsl:value-of select="."/></name></person></relation>
        </qualified_relation>
      </xsl:for-each>
      <xsl:for-each select="publisher">
        <qualified_relation>
          <role><iri>https://vocabs.ccmm.cz/registry/codelist/AgentRole/Publisher</iri></role>
          <relation><organization><name><xsl:value-of select="."/></name></organization></relation>
        </qualified_relation>
      </xsl:for-each>
      <time_reference>
        <time_interval>
          <beginning_time_instant><date><xsl:value-of select="$year"/>-01-01</date></beginning_time_instant>
          <end_time_instant><date><xsl:value-of select="$year"/>-12-31</date></end_time_instant>
          <date_type>
            <iri>https://vocabs.ccmm.cz/registry/codelist/TimeReference/Issued</iri><label xml:lang="en">Date Issued</label>
          </date_type>
        </time_interval>
      </time_reference>
      <xsl:for-each select="subject">
        <subject>
          <xsl:choose>
            <xsl:when test="@lang"><title xml:lang="{@lang}"><xsl:value-of select="."/></title></xsl:when>
            <xsl:otherwise><title xml:lang="und"><xsl:value-of select="."/></title></xsl:otherwise>
          </xsl:choose>
        </subject>
      </xsl:for-each>
      <terms_of_use>
        <xsl:for-each select="rights">
          <xsl:choose>
            <xsl:when test="@lang"><description xml:lang="{@lang}"><xsl:value-of select="."/></description></xsl:when>
            <xsl:otherwise><description xml:lang="und"><xsl:value-of select="."/></description></xsl:otherwise>
          </xsl:choose>
        </xsl:for-each>
        <access_rights><iri><xsl:call-template name="coar-access"/></iri></access_rights>
        <license><iri><xsl:value-of select="@licence"/></iri></license>
      </terms_of_use>
      <resource_type>
        <iri><xsl:call-template name="coar-type"/></iri>
      </resource_type>
      <!-- The language in the names of the Publications Office of the European Union, of the first that is one of these. -->
      <xsl:for-each select="language">
        <xsl:if test="position() = 1">
          <xsl:choose>
            <xsl:when test=". = 'cs' or . = 'cze' or . = 'ces'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/CES</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'sk' or . = 'slo' or . = 'slk'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/SLK</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'en' or . = 'eng'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/ENG</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'de' or . = 'ger' or . = 'deu'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/DEU</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'fr' or . = 'fre' or . = 'fra'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/FRA</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'pl' or . = 'pol'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/POL</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'ru' or . = 'rus'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/RUS</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'uk' or . = 'ukr'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/UKR</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'es' or . = 'spa'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/SPA</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'it' or . = 'ita'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/ITA</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'la' or . = 'lat'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/LAT</iri></primary_language>
            </xsl:when>
            <xsl:when test=". = 'hu' or . = 'hun'">
              <primary_language><iri>http://publications.europa.eu/resource/authority/language/HUN</iri></primary_language>
            </xsl:when>
          </xsl:choose>
        </xsl:if>
      </xsl:for-each>
    </dataset>
  </xsl:template>
</xsl:stylesheet>
