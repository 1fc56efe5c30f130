<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- One record: its title, what, when and where it is, how to cite it, and all formats, of which one is open at a time. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="o oai_dc dc p">
  <xsl:template match="page[@kind = 'record']" mode="title">
    <xsl:variable name="title"><xsl:apply-templates select="disseminated[1]/o:OAI-PMH/o:GetRecord/o:record/o:metadata" mode="title-of"/></xsl:variable>
    <xsl:choose>
      <xsl:when test="$title != ''"><xsl:value-of select="$title"/></xsl:when>
      <xsl:otherwise><xsl:value-of select="item/@identifier"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template match="page[@kind = 'record']" mode="head">
    <link rel="canonical" href="{@base}/browse/{item/@path}"/>
    <xsl:if test="item/@deleted"><meta name="robots" content="noindex"/></xsl:if>
    <xsl:if test="not(item/@deleted)"><link rel="linkset" type="application/linkset+json" href="{@base}/browse/linkset/{substring-after(item/@path, 'record/')}"/></xsl:if>
    <link rel="schema.DC" href="http://purl.org/dc/elements/1.1/"/>
    <xsl:for-each select="disseminated[@prefix = 'oai_dc']//dc:*">
      <meta name="DC.{local-name()}" content="{.}"><xsl:if test="@xml:lang"><xsl:attribute name="lang"><xsl:value-of select="@xml:lang"/></xsl:attribute></xsl:if></meta>
    </xsl:for-each>
    <xsl:if test="$citation and not(item/@deleted)"><script type="application/ld+json"><xsl:call-template name="json-ld"/></script></xsl:if>
  </xsl:template>

  <!-- Says why a format is not shown whole, and where to get it. The context node: disseminated. -->
  <xsl:template name="whole-record">
    <xsl:param name="why"/>
    <p class="aside"><xsl:value-of select="$why"/><xsl:text> </xsl:text><a rel="nofollow" href="{/page/@mount}?verb=GetRecord&amp;metadataPrefix={@prefix}&amp;identifier={p:encode(/page/item/@identifier)}"><xsl:value-of select="p:say('record.whole')"/></a></p>
  </xsl:template>

  <!-- One value of Dublin Core. What a capture was made of leads to the live web, and is marked as such; names, subjects, years and
       languages lead to what else has them. -->
  <xsl:template match="dc:*" mode="value">
    <xsl:variable name="value" select="string(.)"/>
    <xsl:if test="@xml:lang"><xsl:attribute name="lang"><xsl:value-of select="@xml:lang"/></xsl:attribute></xsl:if>
    <xsl:choose>
      <xsl:when test="self::dc:date and $value = $page/item/@captured"><xsl:call-template name="time"><xsl:with-param name="t" select="$value"/></xsl:call-template></xsl:when>
      <xsl:when test="$page/item/@live != '' and $value = $page/item/@live"><xsl:call-template name="live-web"/></xsl:when>
      <xsl:when test="(self::dc:creator or self::dc:contributor or self::dc:subject) and string-length($value) &lt;= 200 and not(contains($value, '://'))">
        <xsl:call-template name="search-link"><xsl:with-param name="q" select="concat('&quot;', translate($value, '&quot;', ''), '&quot;')"/><xsl:with-param name="text" select="$value"/></xsl:call-template></xsl:when>
      <xsl:when test="self::dc:date and $page/item/@captured = '' and translate(substring($value, 1, 5), '123456789-', '000000000') = '0000'">
        <xsl:call-template name="search-link"><xsl:with-param name="q" select="substring($value, 1, 4)"/><xsl:with-param name="text" select="$value"/></xsl:call-template></xsl:when>
      <xsl:when test="self::dc:type and concat(p:say(concat('type.', translate($value, $capitals, $small))), p:say(concat('kind.', translate($value, $capitals, $small)))) != ''">
        <xsl:value-of select="concat(p:say(concat('type.', translate($value, $capitals, $small))), p:say(concat('kind.', translate($value, $capitals, $small))))"/></xsl:when>
      <xsl:when test="self::dc:language">
        <xsl:variable name="sets" select="$page/paths/path/set[starts-with(@spec, 'lang:')]"/>
        <xsl:variable name="set" select="$sets[@spec = concat('lang:', $value)] | $sets[count($sets) = 1 and count($dc[local-name() = 'language']) = 1]"/>
        <xsl:choose>
          <xsl:when test="$set"><xsl:for-each select="$set[1]"><a href="{$list}{p:encode(@spec)}{$also}"><xsl:call-template name="set-name"/></a></xsl:for-each></xsl:when>
          <xsl:otherwise><xsl:value-of select="p:language($value)"/></xsl:otherwise>
        </xsl:choose></xsl:when>
      <xsl:otherwise><xsl:call-template name="web-address"><xsl:with-param name="address" select="$value"/></xsl:call-template></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="live-web">
    <xsl:value-of select="string($page/item/@live)"/>
    <xsl:if test="starts-with($page/item/@live, 'http://') or starts-with($page/item/@live, 'https://')"><xsl:text> </xsl:text>
      <a class="live" href="{p:address($page/item/@live)}" rel="nofollow noopener noreferrer"><xsl:value-of select="p:say('record.live')"/></a></xsl:if>
  </xsl:template>

  <!-- The values of the elements that are named, in this order: an element's name, then its values. -->
  <xsl:template name="facts-of">
    <xsl:param name="elements"/>
    <xsl:variable name="element" select="substring-before(concat($elements, ' '), ' ')"/>
    <xsl:variable name="values" select="$dc[local-name() = $element][string(.) != '' and not($element = 'identifier' and . = $page/item/@identifier)]"/>
    <!-- The heading of the page is the title, unless there are several. -->
    <xsl:if test="$values and not($element = 'title' and count($values) = 1)">
      <!-- The publisher of a capture is the host. -->
      <dt><xsl:value-of select="p:say(concat('dc.', $element, substring('.host', 1, 5 * ($element = 'publisher' and $page/item/@captured != ''))))"/></dt>
      <xsl:for-each select="$values"><dd dir="auto"><xsl:apply-templates select="." mode="value"/></dd></xsl:for-each>
    </xsl:if>
    <xsl:if test="contains($elements, ' ')"><xsl:call-template name="facts-of"><xsl:with-param name="elements" select="substring-after($elements, ' ')"/></xsl:call-template></xsl:if>
  </xsl:template>

  <!-- What, when, where, in one line. -->
  <xsl:template name="in-short">
    <xsl:if test="item/@captured != '' or $dc[local-name() = 'type' or local-name() = 'creator' or local-name() = 'date' or local-name() = 'publisher']"><ul class="short">
      <xsl:variable name="kind"><xsl:call-template name="kind"><xsl:with-param name="metadata" select="disseminated[@prefix = 'oai_dc']/o:OAI-PMH/o:GetRecord/o:record/o:metadata"/></xsl:call-template></xsl:variable>
      <xsl:choose>
        <xsl:when test="$kind != 'item'"><li><xsl:value-of select="p:say(concat('kind.', $kind))"/></li></xsl:when>
        <xsl:otherwise><xsl:for-each select="$dc[local-name() = 'type'][1]"><li><bdi><xsl:value-of select="."/></bdi></li></xsl:for-each></xsl:otherwise>
      </xsl:choose>
      <xsl:for-each select="$dc[local-name() = 'creator'][position() &lt; 4]"><li><bdi><xsl:value-of select="."/></bdi></li></xsl:for-each>
      <xsl:choose>
        <xsl:when test="item/@captured != ''"><li><xsl:value-of select="p:say('record.captured')"/><xsl:text> </xsl:text><xsl:call-template name="time"><xsl:with-param name="t" select="item/@captured"/></xsl:call-template></li></xsl:when>
        <xsl:otherwise><xsl:for-each select="$dc[local-name() = 'date'][1]"><li><bdi><xsl:value-of select="."/></bdi></li></xsl:for-each></xsl:otherwise>
      </xsl:choose>
      <xsl:for-each select="$dc[local-name() = 'publisher'][1]"><li><bdi><xsl:apply-templates select="." mode="value"/></bdi></li></xsl:for-each>
    </ul></xsl:if>
  </xsl:template>

  <xsl:template name="picture">
    <xsl:if test="item/@image != ''"><p><a href="{p:address(item/@image)}" rel="nofollow noopener noreferrer"><xsl:value-of select="p:say('record.image')"/></a></p></xsl:if>
  </xsl:template>

  <!-- The path to each of the sets, from the root of its tree; each leads to the list of that set. All but one are folded, so that
       the title is seen at once. -->
  <xsl:template name="crumbs">
    <xsl:if test="paths/path">
      <nav class="crumbs" aria-label="{p:say('record.sets')}">
        <!-- A collection says more than the others. -->
        <xsl:variable name="first" select="(paths/path[starts-with(set[1]/@spec, 'col')] | paths/path[not(../path[starts-with(set[1]/@spec, 'col')])])[1]"/>
        <ul><xsl:apply-templates select="$first" mode="crumb"/></ul>
        <xsl:variable name="others" select="paths/path[count(. | $first) = 2]"/>
        <xsl:if test="$others">
          <details>
            <summary><xsl:value-of select="p:say('record.more-sets', p:number(count($others) + paths/@more))"/></summary>
            <ul><xsl:apply-templates select="$others" mode="crumb"/></ul>
            <xsl:if test="paths/@more &gt; 0"><p class="aside"><xsl:value-of select="p:say('record.more-sets', p:number(paths/@more))"/></p></xsl:if>
          </details>
        </xsl:if>
      </nav>
    </xsl:if>
  </xsl:template>

  <xsl:template match="path" mode="crumb">
    <li><ol class="path">
      <xsl:for-each select="set"><li><a dir="auto" href="{$list}{p:encode(@spec)}{$also}" title="{@spec}"><xsl:call-template name="set-name"/></a></li></xsl:for-each>
    </ol></li>
  </xsl:template>

  <xsl:template name="captures">
    <xsl:if test="item/@captures"><p class="captures"><xsl:call-template name="search-link"><xsl:with-param name="q" select="item/@live"/><xsl:with-param name="text" select="p:say('record.all-captures')"/></xsl:call-template></p></xsl:if>
  </xsl:template>

  <xsl:template name="cite">
    <xsl:variable name="place" select="substring-after(item/@path, 'record/')"/>
    <xsl:if test="$citation">
      <section aria-labelledby="cite">
        <h2 id="cite"><xsl:value-of select="p:say('record.cite')"/></h2>
        <p id="cite-iso690"><xsl:apply-templates select="$citation" mode="iso690"/></p>
        <p><xsl:call-template name="copy"><xsl:with-param name="id" select="'cite-iso690'"/><xsl:with-param name="what" select="'ISO 690'"/></xsl:call-template></p>
        <ul class="files">
          <xsl:for-each select="file">
            <li><a href="{$root}/cite/{@name}/{$place}{$only}" rel="nofollow"><xsl:value-of select="@title"/><xsl:if test="@type = 'text/plain'"> (<xsl:value-of select="p:say('cite.text')"/>)</xsl:if></a></li>
          </xsl:for-each>
        </ul>
      </section>
    </xsl:if>
  </xsl:template>

  <xsl:template name="datestamps">
    <section aria-labelledby="datestamps">
      <h2 id="datestamps"><xsl:value-of select="p:say('record.history')"/></h2>
      <p>
        <xsl:call-template name="time"><xsl:with-param name="t" select="item/@datestamp"/></xsl:call-template><xsl:text> </xsl:text>
        <xsl:value-of select="p:say(concat('record.published', substring('-deleted', 1, 8 * boolean(item/@deleted))), item/@number)"/>
      </p>
      <xsl:variable name="others" select="disseminated[o:OAI-PMH/o:GetRecord/o:record/o:header/o:datestamp != $page/item/@datestamp]"/>
      <xsl:if test="$others">
        <ul>
          <xsl:for-each select="$others">
            <li><xsl:call-template name="time"><xsl:with-param name="t" select="o:OAI-PMH/o:GetRecord/o:record/o:header/o:datestamp"/></xsl:call-template><xsl:text> </xsl:text>
              <xsl:value-of select="p:say('record.since', @prefix)"/></li>
          </xsl:for-each>
        </ul>
      </xsl:if>
    </section>
  </xsl:template>

  <!-- The style shows the one to which the address leads, or else the first. -->
  <xsl:template match="disseminated" mode="folded">
    <section class="format" id="format-{@prefix}" aria-labelledby="name-{@prefix}">
      <h3 id="name-{@prefix}"><xsl:value-of select="@prefix"/></h3>
      <xsl:choose>
        <xsl:when test="@failed"><p class="error"><xsl:value-of select="p:say('record.failed')"/></p></xsl:when>
        <xsl:when test="@too-long"><xsl:call-template name="whole-record"><xsl:with-param name="why" select="p:say('record.too-long')"/></xsl:call-template></xsl:when>
        <xsl:otherwise>
          <xsl:if test="@removed &gt; 0"><xsl:call-template name="whole-record"><xsl:with-param name="why" select="p:say('record.removed', p:number(@removed))"/></xsl:call-template></xsl:if>
          <xsl:call-template name="copy"><xsl:with-param name="id" select="concat('xml-', @prefix)"/><xsl:with-param name="what" select="@prefix"/></xsl:call-template>
          <xsl:call-template name="pretty-xml"><xsl:with-param name="id" select="concat('xml-', @prefix)"/><xsl:with-param name="element" select="o:OAI-PMH/o:GetRecord/o:record/o:metadata/*"/></xsl:call-template>
          <xsl:for-each select="o:OAI-PMH/o:GetRecord/o:record/o:about">
            <h4><xsl:value-of select="p:say('record.about')"/></h4>
            <xsl:call-template name="pretty-xml"><xsl:with-param name="id" select="concat('about-', ancestor::disseminated/@prefix, '-', position())"/><xsl:with-param name="element" select="*"/></xsl:call-template>
          </xsl:for-each>
        </xsl:otherwise>
      </xsl:choose>
    </section>
  </xsl:template>

  <xsl:template match="page[@kind = 'record']" mode="main">
    <xsl:variable name="title"><xsl:apply-templates select="." mode="title"/></xsl:variable>
    <xsl:call-template name="crumbs"/>
    <h1 dir="auto"><xsl:if test="string-length($title) &gt; 300"><xsl:attribute name="class">long</xsl:attribute></xsl:if><xsl:value-of select="string($title)"/></h1>
    <xsl:if test="item/@deleted"><p class="error"><strong class="deleted"><xsl:value-of select="p:say('deleted')"/></strong><xsl:text> </xsl:text><xsl:value-of select="p:say('deleted.what')"/><xsl:if test="item/@why != ''"><xsl:text> </xsl:text><xsl:value-of select="p:say('deleted.why', item/@why)"/></xsl:if></p></xsl:if>
    <xsl:if test="item/@replay != ''"><p><a class="button replay" href="{p:address(item/@replay)}" rel="noopener"><xsl:value-of select="p:say('replay')"/></a></p></xsl:if>
    <xsl:call-template name="in-short"/>
    <xsl:call-template name="picture"/>
    <dl class="facts">
      <xsl:call-template name="facts-of"><xsl:with-param name="elements" select="'title creator contributor publisher date type language description subject coverage source relation format identifier rights'"/></xsl:call-template>
      <dt><xsl:value-of select="p:say('identifier')"/></dt>
      <dd><code id="identifier" dir="ltr"><xsl:value-of select="item/@identifier"/></code><xsl:text> </xsl:text><xsl:call-template name="copy"><xsl:with-param name="id" select="'identifier'"/><xsl:with-param name="what" select="p:say('identifier')"/></xsl:call-template></dd>
    </dl>
    <xsl:for-each select="disseminated[@prefix = 'oai_dc'][@removed &gt; 0]"><xsl:call-template name="whole-record"><xsl:with-param name="why" select="p:say('record.removed', p:number(@removed))"/></xsl:call-template></xsl:for-each>
    <xsl:call-template name="captures"/>
    <xsl:call-template name="cite"/>
    <xsl:if test="not(item/@deleted)">
      <section aria-labelledby="in-formats">
        <h2 id="in-formats"><xsl:value-of select="p:say('record.formats')"/></h2>
        <ul class="tags"><xsl:for-each select="disseminated"><li><a href="#format-{@prefix}"><xsl:value-of select="@prefix"/></a></li></xsl:for-each></ul>
        <div class="one"><xsl:apply-templates select="disseminated" mode="folded"/></div>
      </section>
    </xsl:if>
    <xsl:call-template name="datestamps"/>
    <xsl:if test="not(item/@deleted)">
      <section aria-labelledby="harvest">
        <h2 id="harvest"><xsl:value-of select="p:say('record.harvest')"/></h2>
        <xsl:call-template name="copied-command">
          <xsl:with-param name="id" select="'command-record'"/>
          <xsl:with-param name="command">curl '<xsl:value-of select="concat(@base, '?verb=GetRecord&amp;metadataPrefix=oai_dc&amp;identifier=')"/><xsl:value-of select="p:encode(item/@identifier)"/>'</xsl:with-param>
        </xsl:call-template>
      </section>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
