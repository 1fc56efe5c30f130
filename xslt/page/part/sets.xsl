<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The trees of sets: the path to the set that is open, and the sets directly below it. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page"
                exclude-result-prefixes="p">
  <xsl:template match="page[@kind = 'sets']" mode="title">
    <xsl:choose>
      <xsl:when test="path/set"><xsl:for-each select="path/set[last()]"><xsl:call-template name="set-name"/></xsl:for-each></xsl:when>
      <xsl:otherwise><xsl:value-of select="p:say('sets.title')"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The beginnings of the address of a set and of its list. -->
  <xsl:variable name="set" select="concat($root, '/sets?set=')"/>
  <xsl:variable name="list" select="concat($root, '/list?set=')"/>

  <!-- The name of a set, in the reader's language where it is the one that the repository gave it. -->
  <xsl:template name="set-name">
    <xsl:param name="spec" select="string(@spec)"/>
    <xsl:param name="name" select="string(@name)"/>
    <xsl:variable name="below" select="substring-after($spec, ':')"/>
    <xsl:variable name="kind" select="concat(p:say(concat('type.', $below)), p:say(concat('kind.', $below)))"/>
    <xsl:choose>
      <xsl:when test="starts-with($spec, 'lang:')"><xsl:value-of select="p:language($below, $name)"/></xsl:when>
      <xsl:when test="starts-with($spec, 'type:') and $kind != '' and translate($name, ' ', '') = translate($below, ' ', '')"><xsl:value-of select="$kind"/></xsl:when>
      <xsl:when test="$name = 'Languages' or $name = 'Kinds of documents' or $name = 'Collections' or $name = 'Domains' or $name = 'Media types'">
        <xsl:value-of select="p:say(concat('tree.', $spec))"/>
        <xsl:if test="p:say(concat('tree.', $spec)) = ''"><xsl:value-of select="$name"/></xsl:if>
      </xsl:when>
      <xsl:otherwise><xsl:value-of select="$name"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="set-line">
    <xsl:param name="opens" select="true()"/>
    <xsl:variable name="spec" select="p:encode(@spec)"/>
    <span class="name" dir="auto">
      <xsl:choose>
        <xsl:when test="$opens"><a href="{$set}{$spec}{$also}"><xsl:call-template name="set-name"/></a></xsl:when>
        <xsl:otherwise><xsl:call-template name="set-name"/></xsl:otherwise>
      </xsl:choose>
      
    </span>
    <xsl:text> </xsl:text><code dir="ltr"><xsl:value-of select="@spec"/></code><xsl:text> </xsl:text>
    <a class="number" href="{$list}{$spec}{$also}"><xsl:value-of select="p:count('records', @records)"/>
      <span class="aside hidden"><xsl:text> </xsl:text><xsl:value-of select="@spec"/></span></a>
  </xsl:template>

  <xsl:template name="level-below">
    <xsl:choose>
      <xsl:when test="below/set"><ul><xsl:for-each select="below/set"><li><xsl:call-template name="set-line"><xsl:with-param name="opens" select="@opens"/></xsl:call-template></li></xsl:for-each></ul></xsl:when>
      <xsl:when test="asked/@prefix != ''"><p><xsl:value-of select="p:say('sets.none-found')"/></p></xsl:when>
      <xsl:when test="path/set"><p class="aside"><xsl:value-of select="p:say('sets.none-below')"/></p></xsl:when>
      <xsl:otherwise><p><xsl:value-of select="p:say('sets.none')"/></p></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- The sets of the path from the root down, each in a list within the one above. -->
  <xsl:template match="set" mode="open">
    <ul>
      <li>
        <xsl:choose>
          <xsl:when test="following-sibling::set"><xsl:call-template name="set-line"/><xsl:apply-templates select="following-sibling::set[1]" mode="open"/></xsl:when>
          <xsl:otherwise>
            <div class="open"><xsl:call-template name="set-line"/></div>
            <xsl:if test="*"><p dir="auto"><xsl:value-of select="."/></p></xsl:if>
            <xsl:for-each select="$page"><xsl:call-template name="level-below"/></xsl:for-each>
          </xsl:otherwise>
        </xsl:choose>
      </li>
    </ul>
  </xsl:template>

  <xsl:template match="page[@kind = 'sets']" mode="main">
    <h1 dir="auto"><xsl:apply-templates select="." mode="title"/></h1>
    <xsl:if test="none"><p><xsl:value-of select="p:say('sets.off')"/></p></xsl:if>
    <xsl:if test="asked">
      <form class="find" action="{$root}/sets" method="get" role="search" aria-label="{p:say('sets.find')}">
        <label for="prefix"><xsl:value-of select="p:say('sets.find')"/></label>
        <input id="prefix" name="prefix" type="text" value="{asked/@prefix}" autocomplete="off" spellcheck="false" dir="ltr"/>
        <xsl:call-template name="keep-language"/>
        <button type="submit"><xsl:value-of select="p:say('sets.go')"/></button>
      </form>
      <div class="tree">
        <xsl:choose>
          <xsl:when test="path/set">
            <p><a href="{$root}/sets{$only}"><xsl:value-of select="p:say('sets.all')"/></a></p>
            <xsl:apply-templates select="path/set[1]" mode="open"/>
          </xsl:when>
          <xsl:otherwise><xsl:call-template name="level-below"/></xsl:otherwise>
        </xsl:choose>
      </div>
      <xsl:if test="next or asked/@after != ''">
        <nav class="pages" aria-label="{p:say('pages')}">
          <xsl:if test="asked/@after != ''"><a href="{$root}/sets?set={p:encode(asked/@set)}&amp;prefix={p:encode(asked/@prefix)}{$also}"><xsl:value-of select="p:say('first')"/></a></xsl:if>
          <xsl:if test="next"><a rel="next" href="{$root}/sets?set={p:encode(asked/@set)}&amp;prefix={p:encode(asked/@prefix)}&amp;after={p:encode(next/@after)}{$also}"><xsl:value-of select="p:say('next')"/></a></xsl:if>
        </nav>
      </xsl:if>
    </xsl:if>
  </xsl:template>
</xsl:stylesheet>
