<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- OpenAIRE Guidelines for CRIS Managers 1.2 (the CERIF profile) of an item (model library): a Publication, or a Product
     where the kind is of data, software, pictures, sound or anything else that is no text, or a Patent. Persons and
     organisations are no items of the model, so creators and publishers stand by their names alone. Kinds and access rights
     are COAR's (part/coar.xsl). An item without a title has no metadata in this format. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="part/coar.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="oai_cerif_openaire_v1_2" alias="oai_cerif_openaire cerif_openaire"
            schema="https://www.openaire.eu/schema/cris/1.2/openaire-cerif-profile.xsd"
            namespace="https://www.openaire.eu/cerif-profile/1.2/" requires="title"/>

  <xsl:template match="record">
    <!-- A name says nothing of being a person's or an organisation's; the profile has it beside a person without one. A year
         has four digits in XML Schema. -->
    <xsl:choose>
      <xsl:when test="@kind = 'patent'">
        <Patent xmlns="https://www.openaire.eu/cerif-profile/1.2/" id="{@identifier}">
          <Type xmlns="https://www.openaire.eu/cerif-profile/vocab/COAR_Patent_Types">http://purl.org/coar/resource_type/c_15cd</Type>
          <xsl:for-each select="title">
            <xsl:choose>
              <xsl:when test="@lang"><Title xml:lang="{@lang}"><xsl:value-of select="."/></Title></xsl:when>
              <xsl:otherwise><Title><xsl:value-of select="."/></Title></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="@landing_page"><URL><xsl:value-of select="."/></URL></xsl:for-each>
          <xsl:if test="creator">
            <Inventors>
              <xsl:for-each select="creator"><Inventor><DisplayName><xsl:value-of select="."/></DisplayName><Person/></Inventor></xsl:for-each>
            </Inventors>
          </xsl:if>
          <xsl:for-each select="description">
            <xsl:choose>
              <xsl:when test="@lang"><Abstract xml:lang="{@lang}"><xsl:value-of select="."/></Abstract></xsl:when>
              <xsl:otherwise><Abstract><xsl:value-of select="."/></Abstract></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="subject">
            <xsl:choose>
              <xsl:when test="@lang"><Keyword xml:lang="{@lang}"><xsl:value-of select="."/></Keyword></xsl:when>
              <xsl:otherwise><Keyword><xsl:value-of select="."/></Keyword></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
        </Patent>
      </xsl:when>
      <xsl:when test="@kind = 'article' or @kind = 'book' or @kind = 'book:part' or @kind = 'conference' or @kind = 'journal'
                      or @kind = 'lecture' or @kind = 'manuscript' or @kind = 'music' or @kind = 'preprint'
                      or @kind = 'report' or @kind = 'review' or starts-with(@kind, 'thesis')">
        <Publication xmlns="https://www.openaire.eu/cerif-profile/1.2/" id="{@identifier}">
          <Type xmlns="https://www.openaire.eu/cerif-profile/vocab/COAR_Publication_Types">http://purl.org/coar/resource_type/<xsl:choose>
          <xsl:when test="@kind = 'article'">c_6501</xsl:when>
          <xsl:when test="@kind = 'book'">c_2f33</xsl:when>
          <xsl:when test="@kind = 'book:part'">c_3248</xsl:when>
          <xsl:when test="@kind = 'conference'">c_5794</xsl:when>
          <xsl:when test="@kind = 'journal'">c_0640</xsl:when>
          <xsl:when test="@kind = 'lecture'">c_8544</xsl:when>
          <xsl:when test="@kind = 'manuscript'">c_18cf</xsl:when>
          <xsl:when test="@kind = 'music'">c_18cw</xsl:when>
          <xsl:when test="@kind = 'preprint'">c_816b</xsl:when>
          <xsl:when test="@kind = 'report'">c_93fc</xsl:when>
          <xsl:when test="@kind = 'review'">c_efa0</xsl:when>
          <xsl:when test="@kind = 'thesis:bachelor'">c_7a1f</xsl:when>
          <xsl:when test="@kind = 'thesis:master'">c_bdcc</xsl:when>
          <xsl:when test="@kind = 'thesis:doctoral'">c_db06</xsl:when>
          <xsl:otherwise>c_46ec</xsl:otherwise>
        </xsl:choose></Type>
          <xsl:for-each select="language[1]"><Language><xsl:value-of select="."/></Language></xsl:for-each>
          <xsl:for-each select="title">
            <xsl:choose>
              <xsl:when test="@lang"><Title xml:lang="{@lang}"><xsl:value-of select="."/></Title></xsl:when>
              <xsl:otherwise><Title><xsl:value-of select="."/></Title></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:if test="@year"><PublicationDate><xsl:value-of select="substring(concat('000', @year), string-length(@year))"/></PublicationDate></xsl:if>
          <xsl:if test="@doi"><DOI><xsl:value-of select="@doi"/></DOI></xsl:if>
          <xsl:for-each select="issn[translate(., '0123456789xX-', '') = '' and string-length(.) = 9]">
            <ISSN><xsl:value-of select="."/></ISSN>
          </xsl:for-each>
          <xsl:for-each select="isbn[translate(., '0123456789xX', '') = '' and (string-length(.) = 10 or string-length(.) = 13)]">
            <ISBN><xsl:value-of select="."/></ISBN>
          </xsl:for-each>
          <xsl:for-each select="@landing_page"><URL><xsl:value-of select="."/></URL></xsl:for-each>
          <xsl:for-each select="@urn"><URN><xsl:value-of select="."/></URN></xsl:for-each>
          <xsl:if test="creator">
            <Authors>
              <xsl:for-each select="creator"><Author><DisplayName><xsl:value-of select="."/></DisplayName><Person/></Author></xsl:for-each>
            </Authors>
          </xsl:if>
          <xsl:if test="publisher">
            <Publishers>
              <xsl:for-each select="publisher">
                <Publisher><DisplayName><xsl:value-of select="."/></DisplayName><OrgUnit/></Publisher>
              </xsl:for-each>
            </Publishers>
          </xsl:if>
          <xsl:for-each select="@licence"><License scheme="https://spdx.org/licenses/"><xsl:value-of select="."/></License></xsl:for-each>
          <xsl:for-each select="subject">
            <xsl:choose>
              <xsl:when test="@lang"><Keyword xml:lang="{@lang}"><xsl:value-of select="."/></Keyword></xsl:when>
              <xsl:otherwise><Keyword><xsl:value-of select="."/></Keyword></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="description">
            <xsl:choose>
              <xsl:when test="@lang"><Abstract xml:lang="{@lang}"><xsl:value-of select="."/></Abstract></xsl:when>
              <xsl:otherwise><Abstract><xsl:value-of select="."/></Abstract></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:choose>
            <!-- The profile wants to know when an embargo ends. -->
            <xsl:when test="@access = 'embargoed' and @access_from">
              <Access xmlns="http://purl.org/coar/access_right" endDate="{substring(@access_from, 1, 10)}">http://purl.org/coar/access_right/c_f1cf</Access>
            </xsl:when>
            <xsl:otherwise><Access xmlns="http://purl.org/coar/access_right"><xsl:call-template name="coar-access"/></Access></xsl:otherwise>
          </xsl:choose>
        </Publication>
      </xsl:when>
      <xsl:otherwise>
        <Product xmlns="https://www.openaire.eu/cerif-profile/1.2/" id="{@identifier}">
          <Type xmlns="https://www.openaire.eu/cerif-profile/vocab/COAR_Product_Types">http://purl.org/coar/resource_type/<xsl:choose>
          <xsl:when test="@kind = 'dataset'">c_ddb1</xsl:when>
          <xsl:when test="@kind = 'image'">c_c513</xsl:when>
          <xsl:when test="@kind = 'map'">c_12cd</xsl:when>
          <xsl:when test="@kind = 'software'">c_5ce6</xsl:when>
          <xsl:when test="@kind = 'sound'">c_18cc</xsl:when>
          <xsl:when test="@kind = 'video'">c_12ce</xsl:when>
          <xsl:when test="@kind = 'website'">c_7ad9</xsl:when>
          <xsl:otherwise>c_1843</xsl:otherwise>
        </xsl:choose></Type>
          <xsl:for-each select="language"><Language><xsl:value-of select="."/></Language></xsl:for-each>
          <xsl:for-each select="title">
            <xsl:choose>
              <xsl:when test="@lang"><Name xml:lang="{@lang}"><xsl:value-of select="."/></Name></xsl:when>
              <xsl:otherwise><Name><xsl:value-of select="."/></Name></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:if test="@doi"><DOI><xsl:value-of select="@doi"/></DOI></xsl:if>
          <xsl:for-each select="@landing_page"><URL><xsl:value-of select="."/></URL></xsl:for-each>
          <xsl:for-each select="@urn"><URN><xsl:value-of select="."/></URN></xsl:for-each>
          <xsl:if test="creator">
            <Creators>
              <xsl:for-each select="creator"><Creator><DisplayName><xsl:value-of select="."/></DisplayName><Person/></Creator></xsl:for-each>
            </Creators>
          </xsl:if>
          <xsl:if test="publisher">
            <Publishers>
              <xsl:for-each select="publisher">
                <Publisher><DisplayName><xsl:value-of select="."/></DisplayName><OrgUnit/></Publisher>
              </xsl:for-each>
            </Publishers>
          </xsl:if>
          <xsl:for-each select="@licence"><License scheme="https://spdx.org/licenses/"><xsl:value-of select="."/></License></xsl:for-each>
          <xsl:for-each select="description">
            <xsl:choose>
              <xsl:when test="@lang"><Description xml:lang="{@lang}"><xsl:value-of select="."/></Description></xsl:when>
              <xsl:otherwise><Description><xsl:value-of select="."/></Description></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="subject">
            <xsl:choose>
              <xsl:when test="@lang"><Keyword xml:lang="{@lang}"><xsl:value-of select="."/></Keyword></xsl:when>
              <xsl:otherwise><Keyword><xsl:value-of select="."/></Keyword></xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:choose>
            <!-- The profile wants to know when an embargo ends. -->
            <xsl:when test="@access = 'embargoed' and @access_from">
              <Access xmlns="http://purl.org/coar/access_right" endDate="{substring(@access_from, 1, 10)}">http://purl.org/coar/access_right/c_f1cf</Access>
            </xsl:when>
            <xsl:otherwise><Access xmlns="http://purl.org/coar/access_right"><xsl:call-template name="coar-access"/></Access></xsl:otherwise>
          </xsl:choose>
        </Product>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
