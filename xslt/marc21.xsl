<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- MARC 21 of an archived document (model webarchiv), as MARCXML: a minimal-level record (leader/17 = 7) of a remote
     electronic resource, for catalogues that want captures beside their books. Leader/06 and field 336 follow the media
     type. 245 is the title that the document gives itself, or its address; 583 is the capture, which MARC sees as an action upon
     the resource; a curated collection is a host item (773).
     The language stands in 041 as the document gives it; MARC's own codes, which 008 wants, are others.
     Fixed fields have no place for what is unknown but fill characters (|) and the codes xx and und. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="marc21" alias="marcxml" schema="http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd"
            namespace="http://www.loc.gov/MARC21/slim"/>

  <xsl:template match="record">
    <record xmlns="http://www.loc.gov/MARC21/slim"
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" type="Bibliographic"
            xsi:schemaLocation="http://www.loc.gov/MARC21/slim http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd">
      <xsl:choose>
        <xsl:when test="starts-with(@mimetype, 'image/')"><leader>00000nkm a22000007u 4500</leader></xsl:when>
        <xsl:when test="starts-with(@mimetype, 'video/')"><leader>00000ngm a22000007u 4500</leader></xsl:when>
        <xsl:when test="starts-with(@mimetype, 'audio/')"><leader>00000nim a22000007u 4500</leader></xsl:when>
        <xsl:when test="starts-with(@mimetype, 'text/') or @mimetype = 'application/pdf'
                        or @mimetype = 'application/xhtml+xml'"><leader>00000nam a22000007u 4500</leader></xsl:when>
        <xsl:otherwise><leader>00000nmm a22000007u 4500</leader></xsl:otherwise>
      </xsl:choose>
      <controlfield tag="001"><xsl:value-of select="@identifier"/></controlfield>
      <controlfield tag="005"><xsl:value-of select="translate(@datestamp, '-:TZ', '')"/>.0</controlfield>
      <controlfield tag="007">cr |||||||||||</controlfield>
      <!-- Entered on file; e: a detailed date, that of the capture, or |: none was coded. -->
      <controlfield tag="008">
        <xsl:choose>
          <xsl:when test="starts-with(@datestamp, '20')"
            ><xsl:value-of select="translate(substring-after(substring-before(@datestamp, 'T'), '20'), '-', '')"/></xsl:when>
          <xsl:when test="starts-with(@datestamp, '19')"
            ><xsl:value-of select="translate(substring-after(substring-before(@datestamp, 'T'), '19'), '-', '')"/></xsl:when>
          <xsl:otherwise>||||||</xsl:otherwise>
        </xsl:choose>
        <xsl:choose>
          <xsl:when test="@archived_time">e<xsl:value-of select="translate(substring-before(@archived_time, 'T'), '-', '')"/></xsl:when>
          <xsl:otherwise>|||||||||</xsl:otherwise>
        </xsl:choose>
        <xsl:text>xx |||||||||||||||||und d</xsl:text>
      </controlfield>
      <xsl:for-each select="@language">
        <datafield tag="041" ind1=" " ind2="7"><subfield code="a"><xsl:value-of select="."/></subfield><subfield code="2">rfc5646</subfield></datafield>
      </xsl:for-each>
      <xsl:choose>
        <xsl:when test="@title">
          <datafield tag="245" ind1="0" ind2="0"><subfield code="a"><xsl:value-of select="@title"/></subfield></datafield>
        </xsl:when>
        <xsl:when test="@url">
          <datafield tag="245" ind1="0" ind2="0"><subfield code="a"><xsl:value-of select="@url"/></subfield></datafield>
        </xsl:when>
        <xsl:otherwise>
          <datafield tag="245" ind1="0" ind2="0"><subfield code="a"><xsl:value-of select="@identifier"/></subfield></datafield>
        </xsl:otherwise>
      </xsl:choose>
      <xsl:for-each select="@domain">
        <datafield tag="264" ind1=" " ind2="1"><subfield code="b"><xsl:value-of select="."/></subfield></datafield>
      </xsl:for-each>
      <datafield tag="300" ind1=" " ind2=" "><subfield code="a">1 online resource</subfield></datafield>
      <xsl:choose>
        <xsl:when test="starts-with(@mimetype, 'image/')">
          <datafield tag="336" ind1=" " ind2=" "><subfield code="a">still image</subfield><subfield code="b">sti</subfield><subfield code="2">rdacontent</subfield></datafield>
        </xsl:when>
        <xsl:when test="starts-with(@mimetype, 'video/')">
          <datafield tag="336" ind1=" " ind2=" "><subfield code="a">two-dimensional moving image</subfield><subfield code="b">tdi</subfield><subfield code="2">rdacontent</subfield></datafield>
        </xsl:when>
        <xsl:when test="starts-with(@mimetype, 'audio/')">
          <datafield tag="336" ind1=" " ind2=" "><subfield code="a">sounds</subfield><subfield code="b">snd</subfield><subfield code="2">rdacontent</subfield></datafield>
        </xsl:when>
        <xsl:when test="starts-with(@mimetype, 'text/') or @mimetype = 'application/pdf'
                        or @mimetype = 'application/xhtml+xml'">
          <datafield tag="336" ind1=" " ind2=" "><subfield code="a">text</subfield><subfield code="b">txt</subfield><subfield code="2">rdacontent</subfield></datafield>
        </xsl:when>
        <xsl:otherwise>
          <datafield tag="336" ind1=" " ind2=" "><subfield code="a">unspecified</subfield><subfield code="b">zzz</subfield><subfield code="2">rdacontent</subfield></datafield>
        </xsl:otherwise>
      </xsl:choose>
      <datafield tag="337" ind1=" " ind2=" "><subfield code="a">computer</subfield><subfield code="b">c</subfield><subfield code="2">rdamedia</subfield></datafield>
      <datafield tag="338" ind1=" " ind2=" "><subfield code="a">online resource</subfield><subfield code="b">cr</subfield><subfield code="2">rdacarrier</subfield></datafield>
      <xsl:for-each select="@mimetype">
        <datafield tag="347" ind1=" " ind2=" "><subfield code="b"><xsl:value-of select="."/></subfield></datafield>
      </xsl:for-each>
      <xsl:for-each select="@arc">
        <datafield tag="500" ind1=" " ind2=" ">
          <subfield code="a">Archived in <xsl:value-of select="."/>
            <xsl:for-each select="../@arc_offset"> at offset <xsl:value-of select="."/></xsl:for-each></subfield>
        </datafield>
      </xsl:for-each>
      <xsl:for-each select="@digest">
        <datafield tag="500" ind1=" " ind2=" "><subfield code="a">Message digest <xsl:value-of select="."/></subfield></datafield>
      </xsl:for-each>
      <xsl:for-each select="@description">
        <datafield tag="520" ind1=" " ind2=" "><subfield code="a"><xsl:value-of select="."/></subfield></datafield>
      </xsl:for-each>
      <xsl:for-each select="@archived_time">
        <datafield tag="583" ind1="1" ind2=" "><subfield code="a">web archiving</subfield><subfield code="c"><xsl:value-of select="."/></subfield></datafield>
      </xsl:for-each>
      <xsl:for-each select="collections">
        <datafield tag="773" ind1="0" ind2=" "><subfield code="t"><xsl:value-of select="."/></subfield></datafield>
      </xsl:for-each>
      <xsl:for-each select="@url">
        <datafield tag="856" ind1="4" ind2="0"><subfield code="u"><xsl:value-of select="."/></subfield></datafield>
      </xsl:for-each>
    </record>
  </xsl:template>
</xsl:stylesheet>
