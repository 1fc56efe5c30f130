<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- An item's kind and access right in the vocabularies of COAR. Formats import this file; it is no format itself, since
     it lies in a subdirectory. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <!-- The URI of the record's kind; that of 'other' for one that COAR does not know. -->
  <xsl:template name="coar-type">
    <xsl:text>http://purl.org/coar/resource_type/</xsl:text>
    <xsl:choose>
      <xsl:when test="@kind = 'article'">c_6501</xsl:when>
      <xsl:when test="@kind = 'book'">c_2f33</xsl:when>
      <xsl:when test="@kind = 'book:part'">c_3248</xsl:when>
      <xsl:when test="@kind = 'conference'">c_5794</xsl:when>
      <xsl:when test="@kind = 'dataset'">c_ddb1</xsl:when>
      <xsl:when test="@kind = 'image'">c_c513</xsl:when>
      <xsl:when test="@kind = 'journal'">c_0640</xsl:when>
      <xsl:when test="@kind = 'lecture'">c_8544</xsl:when>
      <xsl:when test="@kind = 'manuscript'">c_18cf</xsl:when>
      <xsl:when test="@kind = 'map'">c_12cd</xsl:when>
      <xsl:when test="@kind = 'music'">c_18cw</xsl:when>
      <xsl:when test="@kind = 'patent'">c_15cd</xsl:when>
      <xsl:when test="@kind = 'preprint'">c_816b</xsl:when>
      <xsl:when test="@kind = 'report'">c_93fc</xsl:when>
      <xsl:when test="@kind = 'review'">c_efa0</xsl:when>
      <xsl:when test="@kind = 'software'">c_5ce6</xsl:when>
      <xsl:when test="@kind = 'sound'">c_18cc</xsl:when>
      <xsl:when test="@kind = 'thesis'">c_46ec</xsl:when>
      <xsl:when test="@kind = 'thesis:bachelor'">c_7a1f</xsl:when>
      <xsl:when test="@kind = 'thesis:master'">c_bdcc</xsl:when>
      <xsl:when test="@kind = 'thesis:doctoral'">c_db06</xsl:when>
      <xsl:when test="@kind = 'video'">c_12ce</xsl:when>
      <xsl:when test="@kind = 'website'">c_7ad9</xsl:when>
      <xsl:otherwise>c_1843</xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- As oai_openaire.xsl says what the access right follows from. -->
  <xsl:template name="coar-access">
    <xsl:text>http://purl.org/coar/access_right/</xsl:text>
    <xsl:choose>
      <xsl:when test="@access = 'open'">c_abf2</xsl:when>
      <xsl:when test="@access = 'embargoed'">c_f1cf</xsl:when>
      <xsl:when test="@access = 'restricted'">c_16ec</xsl:when>
      <xsl:when test="@access = 'closed'">c_14cb</xsl:when>
      <xsl:when test="rights[contains(., 'openAccess') or contains(., 'c_abf2')]">c_abf2</xsl:when>
      <xsl:when test="rights[contains(., 'embargoedAccess') or contains(., 'c_f1cf')]">c_f1cf</xsl:when>
      <xsl:when test="rights[contains(., 'restrictedAccess') or contains(., 'c_16ec')]">c_16ec</xsl:when>
      <xsl:when test="rights[contains(., 'closedAccess') or contains(., 'c_14cb')]">c_14cb</xsl:when>
      <xsl:when test="contains(@licence, '://creativecommons.org/')">c_abf2</xsl:when>
      <xsl:otherwise>c_14cb</xsl:otherwise>
    </xsl:choose>
  </xsl:template>
</xsl:stylesheet>
