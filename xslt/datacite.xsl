<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- DataCite kernel 4 of an archived document (model webarchiv). Captures have no DOI; the identifier is the one that
     tells captures of one address apart, the OAI identifier, and the address is what the capture is a version of.
     Six properties are mandatory. Creator and, where the site is not known, publisher take DataCite's own word for what
     is not available, (:unav); publicationYear has no such word, so a record without a time of capture has no metadata
     in this format. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:format prefix="datacite" schema="http://schema.datacite.org/meta/kernel-4/metadata.xsd"
            namespace="http://datacite.org/schema/kernel-4" requires="archived_time"/>

  <xsl:template match="record">
    <resource xmlns="http://datacite.org/schema/kernel-4" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
              xsi:schemaLocation="http://datacite.org/schema/kernel-4 http://schema.datacite.org/meta/kernel-4/metadata.xsd">
      <identifier identifierType="OAI"><xsl:value-of select="@identifier"/></identifier>
      <creators><creator><creatorName>(:unav)</creatorName></creator></creators>
      <titles>
        <xsl:choose>
          <xsl:when test="@title"><title><xsl:value-of select="@title"/></title></xsl:when>
          <xsl:when test="@url"><title><xsl:value-of select="@url"/></title></xsl:when>
          <xsl:otherwise><title><xsl:value-of select="@identifier"/></title></xsl:otherwise>
        </xsl:choose>
      </titles>
      <xsl:choose>
        <xsl:when test="@domain"><publisher><xsl:value-of select="@domain"/></publisher></xsl:when>
        <xsl:otherwise><publisher>(:unav)</publisher></xsl:otherwise>
      </xsl:choose>
      <publicationYear><xsl:value-of select="substring-before(@archived_time, '-')"/></publicationYear>
      <xsl:choose>
        <xsl:when test="starts-with(@mimetype, 'image/')"
          ><resourceType resourceTypeGeneral="Image">Web capture</resourceType></xsl:when>
        <xsl:when test="starts-with(@mimetype, 'video/')"
          ><resourceType resourceTypeGeneral="Audiovisual">Web capture</resourceType></xsl:when>
        <xsl:when test="starts-with(@mimetype, 'audio/')"
          ><resourceType resourceTypeGeneral="Sound">Web capture</resourceType></xsl:when>
        <xsl:when test="@mimetype = 'text/javascript' or @mimetype = 'application/javascript'
                        or @mimetype = 'application/x-javascript' or @mimetype = 'application/java-archive'
                        or @mimetype = 'application/wasm'"
          ><resourceType resourceTypeGeneral="Software">Web capture</resourceType></xsl:when>
        <xsl:when test="@mimetype = 'text/csv' or @mimetype = 'text/xml' or @mimetype = 'application/xml'
                        or @mimetype = 'application/json' or @mimetype = 'application/rss+xml'
                        or @mimetype = 'application/atom+xml' or @mimetype = 'application/vnd.ms-excel'"
          ><resourceType resourceTypeGeneral="Dataset">Web capture</resourceType></xsl:when>
        <xsl:when test="starts-with(@mimetype, 'text/') or @mimetype = 'application/pdf'
                        or @mimetype = 'application/xhtml+xml' or @mimetype = 'application/msword'
                        or @mimetype = 'application/rtf'"
          ><resourceType resourceTypeGeneral="Text">Web capture</resourceType></xsl:when>
        <xsl:otherwise><resourceType resourceTypeGeneral="Other">Web capture</resourceType></xsl:otherwise>
      </xsl:choose>
      <dates><date dateType="Collected"><xsl:value-of select="@archived_time"/></date></dates>
      <xsl:for-each select="@language"><language><xsl:value-of select="."/></language></xsl:for-each>
      <xsl:for-each select="@digest">
        <alternateIdentifiers>
          <alternateIdentifier alternateIdentifierType="digest"><xsl:value-of select="."/></alternateIdentifier>
        </alternateIdentifiers>
      </xsl:for-each>
      <xsl:for-each select="@url">
        <relatedIdentifiers>
          <relatedIdentifier relatedIdentifierType="URL" relationType="IsVersionOf"><xsl:value-of select="."/></relatedIdentifier>
        </relatedIdentifiers>
      </xsl:for-each>
      <xsl:for-each select="@length"><sizes><size><xsl:value-of select="."/> bytes</size></sizes></xsl:for-each>
      <xsl:for-each select="@mimetype"><formats><format><xsl:value-of select="."/></format></formats></xsl:for-each>
      <xsl:for-each select="@description">
        <descriptions><description descriptionType="Abstract"><xsl:value-of select="."/></description></descriptions>
      </xsl:for-each>
      <xsl:if test="collections">
        <relatedItems>
          <xsl:for-each select="collections">
            <relatedItem relatedItemType="Collection" relationType="IsPartOf">
              <titles><title><xsl:value-of select="."/></title></titles>
            </relatedItem>
          </xsl:for-each>
        </relatedItems>
      </xsl:if>
    </resource>
  </xsl:template>
</xsl:stylesheet>
