<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- BibTeX, one entry, in UTF-8. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page"
                xmlns:exsl="http://exslt.org/common" xmlns:str="http://exslt.org/strings">
  <xsl:import href="../part/citation.xsl"/>
  <p:file title="BibTeX" suffix=".bib" type="application/x-bibtex"/>
  <xsl:output method="text"/>
  <xsl:variable name="types" select="' page:misc book:book chapter:incollection article:article conference:inproceedings thesis:phdthesis report:techreport '"/>
  <xsl:variable name="months" select="'janfebmaraprmayjunjulaugsepoctnovdec'"/>
  <!-- LaTeX's special characters. Braces are written by their commands, since BibTeX counts escaped ones, too. -->
  <xsl:variable name="tex">
    <c>\</c><t>{$\backslash$}</t><c>{</c><t>{\textbraceleft}</t><c>}</c><t>{\textbraceright}</t><c>~</c><t>{\textasciitilde}</t>
    <c>^</c><t>{\textasciicircum}</t><c>$</c><t>\$</t><c>&amp;</c><t>\&amp;</t><c>#</c><t>\#</t><c>%</c><t>\%</t><c>_</c><t>\_</t>
  </xsl:variable>

  <xsl:template name="latex"><xsl:param name="text" select="."/><xsl:value-of select="str:replace($text, exsl:node-set($tex)/c, exsl:node-set($tex)/t)"/></xsl:template>

  <xsl:template name="field">
    <xsl:param name="name"/>
    <xsl:param name="value"/>
    <xsl:if test="$value != ''"><xsl:value-of select="concat(',&#10;  ', $name, ' = {', $value, '}')"/></xsl:if>
  </xsl:template>

  <xsl:template name="latex-field">
    <xsl:param name="name" select="local-name()"/>
    <xsl:param name="text" select="."/>
    <xsl:call-template name="field"><xsl:with-param name="name" select="$name"/><xsl:with-param name="value"><xsl:call-template name="latex"><xsl:with-param name="text" select="string($text)"/></xsl:call-template></xsl:with-param></xsl:call-template>
  </xsl:template>

  <xsl:template match="/"><xsl:apply-templates select="$citation"/></xsl:template>

  <!-- The key is the identifier with what LaTeX, BibTeX and biber do not take replaced. -->
  <xsl:template match="citation">
    <xsl:variable name="key" select="substring(identifier, 1, 100)"/>
    <xsl:variable name="others" select="translate($key, concat($capitals, $small, $digits, ':.'), '')"/>
    <xsl:variable name="type" select="substring-before(substring-after($types, concat(' ', @work, ':')), ' ')"/>
    <xsl:value-of select="concat('@', $type, substring('misc', 1, 4 * ($type = '')), '{', translate($key, $others, str:padding(string-length($others), '-')))"/>
    <xsl:if test="creator">
      <xsl:call-template name="field"><xsl:with-param name="name" select="'author'"/><xsl:with-param name="value"><xsl:apply-templates select="creator" mode="name"/><xsl:if test="@more != ''"> and others</xsl:if></xsl:with-param></xsl:call-template>
    </xsl:if>
    <xsl:apply-templates select="title | container | issued | place | publisher | degree | language | isbn | issn | doi | url | seen | note" mode="field"/>
    <xsl:text>&#10;}&#10;</xsl:text>
  </xsl:template>

  <!-- What is no name of a person is kept together by braces. -->
  <xsl:template match="creator" mode="name">
    <xsl:if test="position() &gt; 1"> and </xsl:if>
    <xsl:if test="not(@given)">{</xsl:if><xsl:call-template name="latex"/><xsl:if test="not(@given)">}</xsl:if>
  </xsl:template>

  <xsl:template match="*" mode="field"><xsl:call-template name="latex-field"/></xsl:template>
  <!-- The second braces keep the capitals, which styles would change as in English. -->
  <xsl:template match="title" mode="field"><xsl:text>,&#10;  title = {{</xsl:text><xsl:call-template name="latex"/>}}<xsl:text/></xsl:template>
  <xsl:template match="container" mode="field">
    <xsl:call-template name="latex-field"><xsl:with-param name="name"><xsl:choose><xsl:when test="../@work = 'article'">journal</xsl:when><xsl:otherwise>booktitle</xsl:otherwise></xsl:choose></xsl:with-param></xsl:call-template>
  </xsl:template>
  <xsl:template match="publisher" mode="field">
    <xsl:call-template name="latex-field"><xsl:with-param name="name"><xsl:choose><xsl:when test="../@work = 'thesis'">school</xsl:when><xsl:when test="../@work = 'report'">institution</xsl:when><xsl:otherwise>publisher</xsl:otherwise></xsl:choose></xsl:with-param></xsl:call-template>
  </xsl:template>
  <xsl:template match="place" mode="field"><xsl:call-template name="latex-field"><xsl:with-param name="name" select="'address'"/></xsl:call-template></xsl:template>
  <xsl:template match="degree" mode="field">
    <xsl:call-template name="latex-field"><xsl:with-param name="name" select="'type'"/><xsl:with-param name="text" select="concat(., substring(../@type, 1, string-length(../@type) * (. = '')))"/></xsl:call-template>
  </xsl:template>
  <xsl:template match="issued" mode="field">
    <xsl:call-template name="latex-field"><xsl:with-param name="name" select="'year'"/><xsl:with-param name="text" select="concat(@year, substring(@words, 1, string-length(@words) * not(@year)))"/></xsl:call-template>
    <xsl:if test="@month"><xsl:value-of select="concat(',&#10;  month = ', substring($months, @month * 3 - 2, 3))"/></xsl:if>
    <xsl:if test="@day"><xsl:call-template name="field"><xsl:with-param name="name" select="'day'"/><xsl:with-param name="value" select="number(@day)"/></xsl:call-template></xsl:if>
  </xsl:template>
  <!-- Programs use these as they are, so what BibTeX would count is encoded. -->
  <xsl:template match="doi | url" mode="field"><xsl:call-template name="field"><xsl:with-param name="name" select="local-name()"/><xsl:with-param name="value" select="p:address(.)"/></xsl:call-template></xsl:template>
  <xsl:template match="seen" mode="field"><xsl:call-template name="field"><xsl:with-param name="name" select="'urldate'"/><xsl:with-param name="value" select="string(.)"/></xsl:call-template></xsl:template>
</xsl:stylesheet>
