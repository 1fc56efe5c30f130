<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- MARC 21 of an item (model library), as MARCXML: the item's own record where there is one, given out as it is; else a
     minimal-level record (leader/17 = 7) of a remote electronic resource, made from its Dublin Core. Fixed fields have
     no place for what is unknown but fill characters (|) and the codes xx and und. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:import href="part/language.xsl"/>
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="marc21" alias="marcxml" schema="http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd"
            namespace="http://www.loc.gov/MARC21/slim"/>

  <xsl:template match="record">
    <xsl:choose>
      <xsl:when test="marc/*"><xsl:copy-of select="marc/*"/></xsl:when>
      <xsl:otherwise>
        <record xmlns="http://www.loc.gov/MARC21/slim"
                xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" type="Bibliographic"
                xsi:schemaLocation="http://www.loc.gov/MARC21/slim http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd">
          <xsl:choose>
            <xsl:when test="@kind = 'article' or @kind = 'review'"
              ><leader>00000nab a22000007u 4500</leader></xsl:when>
            <xsl:when test="@kind = 'book:part'"><leader>00000naa a22000007u 4500</leader></xsl:when>
            <xsl:when test="@kind = 'journal'"><leader>00000nas a22000007u 4500</leader></xsl:when>
            <xsl:when test="@kind = 'map'"><leader>00000nem a22000007u 4500</leader></xsl:when>
            <xsl:when test="@kind = 'image'"><leader>00000nkm a22000007u 4500</leader></xsl:when>
            <xsl:when test="@kind = 'music'"><leader>00000ncm a22000007u 4500</leader></xsl:when>
            <xsl:when test="@kind = 'sound'"><leader>00000nim a22000007u 4500</leader></xsl:when>
            <xsl:when test="@kind = 'video'"><leader>00000ngm a22000007u 4500</leader></xsl:when>
            <xsl:when test="@kind = 'manuscript'"><leader>00000ntm a22000007u 4500</leader></xsl:when>
            <xsl:when test="@kind = 'dataset' or @kind = 'software' or @kind = 'website'"
              ><leader>00000nmm a22000007u 4500</leader></xsl:when>
            <xsl:otherwise><leader>00000nam a22000007u 4500</leader></xsl:otherwise>
          </xsl:choose>
          <controlfield tag="001"><xsl:value-of select="@identifier"/></controlfield>
          <controlfield tag="005"><xsl:value-of select="translate(@datestamp, '-:TZ', '')"/>.0</controlfield>
          <controlfield tag="007">cr |||||||||||</controlfield>
          <xsl:variable name="spoken">
            <xsl:call-template name="three-letters"><xsl:with-param name="of" select="language[1]"/></xsl:call-template>
          </xsl:variable>
          <!-- Entered on file; s: one date, or |: none was coded. -->
          <controlfield tag="008">
            <xsl:choose>
              <xsl:when test="starts-with(@datestamp, '20')"
                ><xsl:value-of select="translate(substring-after(substring-before(@datestamp, 'T'), '20'), '-', '')"/></xsl:when>
              <xsl:when test="starts-with(@datestamp, '19')"
                ><xsl:value-of select="translate(substring-after(substring-before(@datestamp, 'T'), '19'), '-', '')"/></xsl:when>
              <xsl:otherwise>||||||</xsl:otherwise>
            </xsl:choose>
            <xsl:choose>
              <xsl:when test="@year">s<xsl:value-of select="@year"/><xsl:text>    </xsl:text></xsl:when>
              <xsl:otherwise>|||||||||</xsl:otherwise>
            </xsl:choose>
            <xsl:text>xx |||||||||||||||||</xsl:text>
            <xsl:choose>
              <xsl:when test="$spoken != ''"><xsl:value-of select="$spoken"/></xsl:when>
              <xsl:otherwise>und</xsl:otherwise>
            </xsl:choose>
            <xsl:text> d</xsl:text>
          </controlfield>
          <xsl:for-each select="isbn">
            <datafield tag="020" ind1=" " ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="issn">
            <datafield tag="022" ind1=" " ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="@doi">
            <datafield tag="024" ind1="7" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield><subfield code="2">doi</subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="@urn">
            <datafield tag="024" ind1="7" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield><subfield code="2">urn</subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="identifier">
            <datafield tag="024" ind1="8" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:if test="$spoken != ''">
            <datafield tag="041" ind1=" " ind2=" "><subfield code="a"><xsl:value-of select="$spoken"/></subfield></datafield>
          </xsl:if>
          <!-- A name with a comma is entered under its first part, the family name; another as it stands. -->
          <xsl:for-each select="creator[1]">
            <xsl:choose>
              <xsl:when test="contains(., ',')">
                <datafield tag="100" ind1="1" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
              </xsl:when>
              <xsl:otherwise>
                <datafield tag="100" ind1="0" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
              </xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="title[1]">
            <xsl:choose>
              <xsl:when test="../creator">
                <datafield tag="245" ind1="1" ind2="0"><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
              </xsl:when>
              <xsl:otherwise>
                <datafield tag="245" ind1="0" ind2="0"><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
              </xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:if test="not(title)">
            <datafield tag="245" ind1="0" ind2="0"><subfield code="a">[Title not available]</subfield></datafield>
          </xsl:if>
          <xsl:for-each select="title[position() &gt; 1]">
            <datafield tag="246" ind1="3" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:if test="publisher or @year">
            <datafield tag="264" ind1=" " ind2="1">
              <xsl:for-each select="publisher"><subfield code="b"><xsl:value-of select="."/></subfield></xsl:for-each>
              <xsl:if test="@year">
                <subfield code="c"><xsl:value-of select="@year"/></subfield>
              </xsl:if>
            </datafield>
          </xsl:if>
          <datafield tag="300" ind1=" " ind2=" "><subfield code="a">1 online resource</subfield></datafield>
          <xsl:choose>
            <xsl:when test="@kind = 'image'"
              ><datafield tag="336" ind1=" " ind2=" "><subfield code="a">still image</subfield><subfield code="b">sti</subfield><subfield code="2">rdacontent</subfield></datafield></xsl:when>
            <xsl:when test="@kind = 'map'"
              ><datafield tag="336" ind1=" " ind2=" "><subfield code="a">cartographic image</subfield><subfield code="b">cri</subfield><subfield code="2">rdacontent</subfield></datafield></xsl:when>
            <xsl:when test="@kind = 'music'"
              ><datafield tag="336" ind1=" " ind2=" "><subfield code="a">notated music</subfield><subfield code="b">ntm</subfield><subfield code="2">rdacontent</subfield></datafield></xsl:when>
            <xsl:when test="@kind = 'sound'"
              ><datafield tag="336" ind1=" " ind2=" "><subfield code="a">sounds</subfield><subfield code="b">snd</subfield><subfield code="2">rdacontent</subfield></datafield></xsl:when>
            <xsl:when test="@kind = 'video'"
              ><datafield tag="336" ind1=" " ind2=" "><subfield code="a">two-dimensional moving image</subfield><subfield code="b">tdi</subfield><subfield code="2">rdacontent</subfield></datafield></xsl:when>
            <xsl:when test="@kind = 'dataset'"
              ><datafield tag="336" ind1=" " ind2=" "><subfield code="a">computer dataset</subfield><subfield code="b">cod</subfield><subfield code="2">rdacontent</subfield></datafield></xsl:when>
            <xsl:when test="@kind = 'software'"
              ><datafield tag="336" ind1=" " ind2=" "><subfield code="a">computer program</subfield><subfield code="b">cop</subfield><subfield code="2">rdacontent</subfield></datafield></xsl:when>
            <xsl:otherwise><datafield tag="336" ind1=" " ind2=" "><subfield code="a">text</subfield><subfield code="b">txt</subfield><subfield code="2">rdacontent</subfield></datafield></xsl:otherwise>
          </xsl:choose>
          <datafield tag="337" ind1=" " ind2=" "><subfield code="a">computer</subfield><subfield code="b">c</subfield><subfield code="2">rdamedia</subfield></datafield>
          <datafield tag="338" ind1=" " ind2=" "><subfield code="a">online resource</subfield><subfield code="b">cr</subfield><subfield code="2">rdacarrier</subfield></datafield>
          <xsl:for-each select="format">
            <datafield tag="347" ind1=" " ind2=" "><subfield code="b"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="coverage">
            <datafield tag="500" ind1=" " ind2=" "><subfield code="a">Coverage: <xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:if test="@thesis">
            <datafield tag="502" ind1=" " ind2=" "><subfield code="a">Thesis</subfield></datafield>
          </xsl:if>
          <xsl:for-each select="description">
            <datafield tag="520" ind1="3" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="rights">
            <datafield tag="540" ind1=" " ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="@licence">
            <datafield tag="540" ind1=" " ind2=" "><subfield code="u"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="subject">
            <datafield tag="653" ind1=" " ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="type">
            <datafield tag="655" ind1=" " ind2="4"><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="creator[position() &gt; 1]">
            <xsl:choose>
              <xsl:when test="contains(., ',')">
                <datafield tag="700" ind1="1" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
              </xsl:when>
              <xsl:otherwise>
                <datafield tag="700" ind1="0" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
              </xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="contributor">
            <xsl:choose>
              <xsl:when test="contains(., ',')">
                <datafield tag="700" ind1="1" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
              </xsl:when>
              <xsl:otherwise>
                <datafield tag="700" ind1="0" ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
              </xsl:otherwise>
            </xsl:choose>
          </xsl:for-each>
          <xsl:for-each select="collections">
            <datafield tag="773" ind1="0" ind2=" "><subfield code="t"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="source">
            <datafield tag="786" ind1="0" ind2=" "><subfield code="n"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="relation">
            <datafield tag="787" ind1="0" ind2=" "><subfield code="n"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
          <xsl:for-each select="@landing_page">
            <datafield tag="856" ind1="4" ind2="0"><subfield code="u"><xsl:value-of select="."/></subfield></datafield>
          </xsl:for-each>
        </record>
      </xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
