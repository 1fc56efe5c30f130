<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The first page: the facts of Identify, formats, newest records, and how to harvest the repository. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:o="http://www.openarchives.org/OAI/2.0/"
                xmlns:p="urn:oai-fcgi:page" exclude-result-prefixes="o p">
  <xsl:template match="page[@kind = 'home']" mode="title"><xsl:value-of select="p:say('home.title')"/></xsl:template>

  <xsl:template match="page[@kind = 'home']" mode="head">
    <link rel="canonical" href="{@base}/browse"/>
    <meta name="description" content="{o:OAI-PMH/o:Identify/o:repositoryName}"/>
  </xsl:template>

  <xsl:template name="fact">
    <xsl:param name="id"/>
    <xsl:param name="value"/>
    <dt><xsl:value-of select="p:say($id)"/></dt>
    <dd><xsl:copy-of select="$value"/></dd>
  </xsl:template>

  <xsl:template match="page[@kind = 'home']" mode="main">
    <xsl:variable name="identify" select="o:OAI-PMH/o:Identify"/>
    <h1 dir="auto"><xsl:value-of select="$identify/o:repositoryName"/></h1>
    <p class="lead">
      <xsl:value-of select="p:count('records', total/@records)"/>
      <xsl:text>, </xsl:text>
      <xsl:value-of select="p:count('formats', count(formats/format))"/>
    </p>
    <xsl:call-template name="find-record"/>
    <section aria-labelledby="about">
      <h2 id="about"><xsl:value-of select="p:say('home.about')"/></h2>
      <dl class="facts">
        <xsl:call-template name="fact"><xsl:with-param name="id" select="'base-url'"/><xsl:with-param name="value"><code dir="ltr"><xsl:value-of select="$identify/o:baseURL"/></code></xsl:with-param></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="id" select="'contact'"/><xsl:with-param name="value">
          <xsl:for-each select="$identify/o:adminEmail"><xsl:if test="position() &gt; 1">, </xsl:if><a href="mailto:{.}"><xsl:value-of select="."/></a></xsl:for-each></xsl:with-param></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="id" select="'earliest'"/><xsl:with-param name="value"><xsl:call-template name="time"><xsl:with-param name="t" select="$identify/o:earliestDatestamp"/></xsl:call-template></xsl:with-param></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="id" select="'stands'"/><xsl:with-param name="value"><xsl:call-template name="time"><xsl:with-param name="t" select="o:OAI-PMH/o:responseDate"/></xsl:call-template></xsl:with-param></xsl:call-template>
        <xsl:call-template name="fact"><xsl:with-param name="id" select="'deletions'"/><xsl:with-param name="value"><xsl:value-of select="p:say(concat('deletions.', $identify/o:deletedRecord))"/></xsl:with-param></xsl:call-template>
      </dl>
    </section>
    <xsl:apply-templates select="histogram"/>
    <section aria-labelledby="newest">
      <h2 id="newest"><xsl:value-of select="p:say('newest')"/></h2>
      <ol class="records"><xsl:apply-templates select="newest/o:OAI-PMH/o:ListRecords/o:record" mode="line"><xsl:sort select="position()" data-type="number" order="descending"/></xsl:apply-templates></ol>
      <p><a href="{$root}/list{$only}"><xsl:value-of select="p:say('list.all')"/></a></p>
    </section>
    <section aria-labelledby="by-format">
      <h2 id="by-format"><xsl:value-of select="p:say('home.formats')"/></h2>
      <table>
        <thead><tr><th scope="col"><xsl:value-of select="p:say('format')"/></th><th scope="col"><xsl:value-of select="p:say('records.head')"/></th></tr></thead>
        <tbody>
          <xsl:for-each select="formats/format">
            <tr>
              <th scope="row"><a href="{$root}/formats{$only}#{@prefix}"><xsl:value-of select="@prefix"/></a></th>
              <td>
                <xsl:choose>
                  <xsl:when test="@requires = ''"><xsl:value-of select="p:number($page/total/@records)"/></xsl:when>
                  <xsl:otherwise><xsl:value-of select="p:say('format.requires', @requires)"/></xsl:otherwise>
                </xsl:choose>
              </td>
            </tr>
          </xsl:for-each>
        </tbody>
      </table>
    </section>
    <section aria-labelledby="harvest">
      <h2 id="harvest"><xsl:value-of select="p:say('harvest')"/></h2>
      <p><xsl:value-of select="p:say('harvest.first')"/></p>
      <xsl:call-template name="copied-command"><xsl:with-param name="id" select="'command-list'"/><xsl:with-param name="command" select="concat(&quot;curl '&quot;, @base, &quot;?verb=ListRecords&amp;metadataPrefix=oai_dc'&quot;)"/></xsl:call-template>
      <p><xsl:value-of select="p:say('harvest.next')"/></p>
      <xsl:call-template name="copied-command"><xsl:with-param name="id" select="'command-next'"/><xsl:with-param name="command" select="concat(&quot;curl '&quot;, @base, &quot;?verb=ListRecords&amp;resumptionToken=TOKEN'&quot;)"/></xsl:call-template>
      <p><xsl:value-of select="p:say('harvest.later')"/></p>
      <xsl:call-template name="copied-command"><xsl:with-param name="id" select="'command-later'"/><xsl:with-param name="command" select="concat(&quot;curl '&quot;, @base, &quot;?verb=ListRecords&amp;metadataPrefix=oai_dc&amp;from=&quot;, o:OAI-PMH/o:responseDate, &quot;'&quot;)"/></xsl:call-template>
      <p><xsl:value-of select="p:say('harvest.program')"/></p>
      <xsl:call-template name="copied-command"><xsl:with-param name="id" select="'command-program'"/><xsl:with-param name="command" select="concat('metha-sync -format oai_dc ', @base)"/></xsl:call-template>
      <p><xsl:value-of select="p:say('harvest.busy')"/></p>
    </section>
  </xsl:template>
</xsl:stylesheet>
