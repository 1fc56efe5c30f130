<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- $links: the typed links of a record's page for programs (Signposting, https://signposting.org/FAIR/), the most important first.
     Addresses are such as headers can hold. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page" xmlns:exsl="http://exslt.org/common">
  <xsl:import href="citation.xsl"/>
  <xsl:variable name="schema-types" select="' page:WebPage book:Book chapter:Chapter article:ScholarlyArticle conference:ScholarlyArticle thesis:Thesis report:Report journal:Periodical dataset:Dataset software:SoftwareSourceCode image:ImageObject video:VideoObject sound:AudioObject map:Map score:SheetMusic other:CreativeWork '"/>
  <xsl:variable name="made-links">
    <!-- What does not depend on this server's address is better to cite by. -->
    <link rel="cite-as" href="{$item/@url}"><xsl:if test="$citation/doi != '' and $citation/@captured = ''"><xsl:attribute name="href"><xsl:value-of select="$citation/url"/></xsl:attribute></xsl:if></link>
    <link rel="type" href="https://schema.org/AboutPage"/>
    <xsl:for-each select="$citation"><link rel="type" href="https://schema.org/{substring-before(substring-after($schema-types, concat(' ', @work, ':')), ' ')}"/></xsl:for-each>
    <xsl:for-each select="$dc[local-name() = 'rights'][(starts-with(., 'http://') or starts-with(., 'https://')) and not(contains(., ' ')) and string-length() &lt;= 500][position() &lt;= 5]"><link rel="license" href="{p:address(.)}"/></xsl:for-each>
    <xsl:if test="$item/@replay != ''">
      <xsl:variable name="type" select="string($dc[local-name() = 'format'])"/>
      <link rel="item" href="{p:address($item/@replay)}" type="{substring($type, 1, string-length($type) * (contains($type, '/') and not(contains($type, ' '))))}"/>
      <xsl:if test="$item/@captured != ''">
        <xsl:variable name="live" select="p:address($item/@live)"/>
        <link rel="original" href="{$live}"/>
        <link rel="timegate" href="{/page/@base}/timegate/{$live}"/>
        <link rel="timemap" href="{/page/@base}/timemap/link/{$live}" type="application/link-format"/>
      </xsl:if>
    </xsl:if>
    <xsl:for-each select="/page/disseminated"><link rel="describedby" href="{/page/@base}?verb=GetRecord&amp;metadataPrefix={p:encode(@prefix)}&amp;identifier={p:encode($item/@identifier)}" type="text/xml" profile="{@namespace}"/></xsl:for-each>
    <xsl:if test="$citation"><xsl:for-each select="/page/file[@type != 'text/plain']"><link rel="describedby" href="{/page/@base}/browse/cite/{@name}/{substring-after($item/@path, '/')}" type="{@type}"/></xsl:for-each></xsl:if>
    <xsl:for-each select="/page/paths/path"><link rel="collection" href="{/page/@base}/browse/list?set={p:encode(set[last()]/@spec)}" type="text/html"/></xsl:for-each>
  </xsl:variable>
  <xsl:variable name="links" select="exsl:node-set($made-links)/link"/>
  <xsl:variable name="linkset" select="concat(/page/@base, '/browse/linkset/', substring-after($item/@path, '/'))"/>
</xsl:stylesheet>
