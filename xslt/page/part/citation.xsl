<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- What one cites of a record: $citation, made of its Dublin Core and of what the repository knows of it; empty if the record is
     not available in oai_dc. Its children stand in the order of RIS. Each text is one line of at most 2,000 bytes (p:line). Of an
     element the first hundred values count, of subjects fifty. The dc:date of a capture is no date of publication. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page"
                xmlns:exsl="http://exslt.org/common" xmlns:str="http://exslt.org/strings" xmlns:date="http://exslt.org/dates-and-times"
                exclude-result-prefixes="p exsl str date">
  <xsl:variable name="item" select="/page/item"/>
  <xsl:variable name="dublin-core" select="/page/disseminated[@prefix = 'oai_dc']//*[local-name() = 'dc'][1]"/>
  <xsl:variable name="dc" select="$dublin-core/*[normalize-space()]"/>
  <xsl:variable name="made"><xsl:if test="$dublin-core"><xsl:call-template name="citation"/></xsl:if></xsl:variable>
  <xsl:variable name="citation" select="exsl:node-set($made)/citation"/>

  <xsl:variable name="capitals" select="'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"/>
  <xsl:variable name="small" select="'abcdefghijklmnopqrstuvwxyz'"/>
  <xsl:variable name="digits" select="'0123456789'"/>

  <!-- Words of the DCMI Type Vocabulary, of COAR's and info:eu-repo's, and those that libraries write. The first that a type has
       says what the work is. -->
  <xsl:variable name="type-words">
    <w is="thesis">thesis</w><w is="thesis">dissertation</w><w is="thesis">doctoralthesis</w><w is="thesis">masterthesis</w><w is="thesis">bachelorthesis</w>
    <w is="chapter">book part</w><w is="chapter">bookpart</w><w is="chapter">book chapter</w><w is="chapter">chapter</w>
    <w is="conference">conferenceobject</w><w is="conference">conferencepaper</w><w is="conference">conference</w>
    <w is="article">article</w><w is="article">preprint</w><w is="report">report</w><w is="dataset">dataset</w><w is="software">software</w>
    <w is="image">stillimage</w><w is="video">movingimage</w><w is="video">moving image</w><w is="video">video</w><w is="video">film</w>
    <w is="image">image</w><w is="image">photograph</w><w is="sound">sound</w><w is="sound">audio</w><w is="map">map</w><w is="map">cartographic</w>
    <w is="score">score</w><w is="score">notated music</w><w is="score">music</w><w is="page">web page</w><w is="page">website</w>
    <w is="journal">journal</w><w is="journal">periodical</w><w is="journal">serial</w><w is="journal">newspaper</w>
    <w is="book">book</w><w is="book">monograph</w>
  </xsl:variable>

  <!-- The letters and digits of the context node in small letters, with single blanks between words and at both ends. -->
  <xsl:template name="words">
    <xsl:variable name="text" select="translate(., $capitals, $small)"/>
    <xsl:text> </xsl:text>
    <xsl:for-each select="str:tokenize($text, concat(' ', translate($text, concat($small, $digits), '')))"><xsl:value-of select="concat(., ' ')"/></xsl:for-each>
  </xsl:template>

  <xsl:template name="work">
    <xsl:variable name="words"><xsl:call-template name="words"/></xsl:variable>
    <xsl:value-of select="concat(exsl:node-set($type-words)/w[contains($words, concat(' ', ., ' '))][1]/@is, ' ')"/>
  </xsl:template>

  <xsl:template name="citation">
    <xsl:variable name="captured" select="$item/@captured != ''"/>
    <xsl:variable name="types" select="$dc[local-name() = 'type'][position() &lt;= 100]"/>
    <xsl:variable name="works"><xsl:for-each select="$types"><xsl:call-template name="work"/></xsl:for-each><xsl:for-each select="$item/@kind"><xsl:call-template name="work"/></xsl:for-each></xsl:variable>
    <xsl:variable name="work" select="substring-before(concat(normalize-space(concat($works, substring(' page', 1, 5 * $captured))), ' '), ' ')"/>
    <xsl:variable name="creators" select="$dc[local-name() = 'creator']"/>
    <xsl:variable name="identifiers" select="$dc[local-name() = 'identifier'][position() &lt;= 100]"/>
    <xsl:variable name="dois"><xsl:apply-templates select="$identifiers" mode="doi"/></xsl:variable>
    <xsl:variable name="doi" select="substring-before(concat($dois, ' '), ' ')"/>
    <xsl:variable name="addresses" select="$identifiers[starts-with(., 'http://') or starts-with(., 'https://')][not(contains(normalize-space(), ' '))]"/>
    <!-- What has no address elsewhere is cited as printed, by place and publisher, not as this page. -->
    <xsl:variable name="printed" select="not($captured) and $doi = '' and not($addresses) and contains(' book journal map score ', concat(' ', $work, ' '))"/>
    <xsl:variable name="publisher" select="p:line($dc[local-name() = 'publisher'])"/>
    <citation work="{$work}{substring('other', 1, 5 * ($work = ''))}" captured="{substring('yes', 1, 3 * $captured)}" printed="{substring('yes', 1, 3 * $printed)}" more="{substring('yes', 1, 3 * (count($creators) &gt; 100))}">
      <!-- A URI such as info:eu-repo/semantics/bachelorThesis is for programs. -->
      <xsl:attribute name="type"><xsl:for-each select="$types[not(starts-with(., 'info:') or starts-with(., 'http:') or starts-with(., 'https:'))][1]"><xsl:value-of select="p:line(.)"/></xsl:for-each></xsl:attribute>
      <title><xsl:choose>
        <xsl:when test="p:line($dc[local-name() = 'title']) != ''"><xsl:value-of select="p:line($dc[local-name() = 'title'])"/></xsl:when>
        <xsl:when test="$item/@live != ''"><xsl:value-of select="p:line($item/@live)"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="p:line($item/@identifier)"/></xsl:otherwise>
      </xsl:choose></title>
      <xsl:apply-templates select="$creators[position() &lt;= 100]" mode="creator"/>
      <xsl:if test="$work = 'article' or $work = 'chapter' or $work = 'conference'"><container><xsl:value-of select="p:line($dc[local-name() = 'source'])"/></container></xsl:if>
      <xsl:if test="not($captured)"><xsl:call-template name="issued"/></xsl:if>
      <!-- "Praha : Mladá fronta", as libraries write it. -->
      <place><xsl:value-of select="normalize-space(substring-before($publisher, ' : '))"/></place>
      <publisher><xsl:value-of select="normalize-space(substring($publisher, 1 + string-length(substring-before($publisher, ' : ')) + 3 * contains($publisher, ' : ')))"/></publisher>
      <xsl:if test="$work = 'thesis'"><degree><xsl:call-template name="degree"><xsl:with-param name="types" select="$types"/></xsl:call-template></degree></xsl:if>
      <language><xsl:value-of select="p:line($dc[local-name() = 'language'])"/></language>
      <isbn><xsl:call-template name="number"><xsl:with-param name="of" select="'isbn'"/><xsl:with-param name="identifiers" select="$identifiers"/></xsl:call-template></isbn>
      <issn><xsl:call-template name="number"><xsl:with-param name="of" select="'issn'"/><xsl:with-param name="identifiers" select="$identifiers"/></xsl:call-template></issn>
      <doi><xsl:value-of select="$doi"/></doi>
      <abstract><xsl:value-of select="p:line($dc[local-name() = 'description'])"/></abstract>
      <xsl:for-each select="$dc[local-name() = 'subject'][position() &lt;= 50]"><subject><xsl:value-of select="p:line(.)"/></subject></xsl:for-each>
      <xsl:if test="$captured"><note><xsl:value-of select="concat('Archived ', $item/@captured, ' by ', p:line($item/@repository), '. Original address: ', p:line($item/@live))"/></note></xsl:if>
      <!-- Where to get it: where the archive shows a capture, else the DOI, another web address, or the record's page. -->
      <url><xsl:choose>
        <xsl:when test="$printed"/>
        <xsl:when test="$captured and $item/@replay != ''"><xsl:value-of select="p:address($item/@replay)"/></xsl:when>
        <xsl:when test="$doi != '' and not($captured)"><xsl:value-of select="concat('https://doi.org/', str:replace(p:encode($doi), '%2F', '/'))"/></xsl:when>
        <xsl:when test="$addresses and not($captured)"><xsl:value-of select="p:line($addresses)"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="$item/@url"/></xsl:otherwise>
      </xsl:choose></url>
      <!-- The day on which it was as it is cited: a capture when it was made, anything else now. -->
      <seen><xsl:if test="not($printed)"><xsl:value-of select="substring(concat($item/@captured, $item/@viewed), 1, 10)"/></xsl:if></seen>
      <identifier><xsl:value-of select="p:line($item/@identifier)"/></identifier>
      <repository><xsl:value-of select="p:line($item/@repository)"/></repository>
    </citation>
  </xsl:template>

  <!-- In English: "Master's thesis"; nothing if no type says it. -->
  <xsl:template name="degree">
    <xsl:param name="types"/>
    <xsl:variable name="words"><xsl:for-each select="$types"><xsl:call-template name="words"/></xsl:for-each><xsl:for-each select="$item/@kind"><xsl:call-template name="words"/></xsl:for-each></xsl:variable>
    <xsl:choose>
      <xsl:when test="contains($words, 'bachelor')">Bachelor's thesis</xsl:when>
      <xsl:when test="contains($words, 'master')">Master's thesis</xsl:when>
      <xsl:when test="contains($words, 'doctor') or contains($words, ' phd ')">Doctoral dissertation</xsl:when>
    </xsl:choose>
  </xsl:template>

  <!-- A name with one comma is a person's. A comma at its end and the years of a life, which libraries write behind it, are left
       out. Where "and" stands in it, it is of several or of a body. -->
  <xsl:template match="*" mode="creator">
    <xsl:variable name="name" select="p:line(.)"/>
    <xsl:variable name="parts" select="str:tokenize($name, ',')[normalize-space()]"/>
    <xsl:variable name="n" select="count($parts) - (count($parts) &gt; 2 and translate($parts[last()], $digits, '') != $parts[last()])"/>
    <xsl:choose>
      <xsl:when test="$n = 2 and not(contains($name, ' and '))">
        <creator family="{normalize-space($parts[1])}" given="{normalize-space($parts[2])}"><xsl:value-of select="concat(normalize-space($parts[1]), ', ', normalize-space($parts[2]))"/></creator>
      </xsl:when>
      <xsl:when test="$n &gt; 0"><creator><xsl:value-of select="substring($name, 1, string-length($name) - (substring($name, string-length($name)) = ','))"/></creator></xsl:when>
    </xsl:choose>
  </xsl:template>

  <!-- The first date with a year; else the first one in words. -->
  <xsl:template name="issued">
    <xsl:variable name="dates"><xsl:apply-templates select="$dc[local-name() = 'date'][position() &lt;= 100]" mode="issued"/></xsl:variable>
    <xsl:choose>
      <xsl:when test="exsl:node-set($dates)/issued"><xsl:copy-of select="exsl:node-set($dates)/issued[1]"/></xsl:when>
      <xsl:otherwise><xsl:for-each select="$dc[local-name() = 'date'][1]"><issued words="{p:line(.)}"/></xsl:for-each></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- YYYY, YYYY-MM, YYYY-MM-DD with or without a time behind it, or words with a year of our era in them, which are kept where
       they say more than the year. "-1938", too, may mean all years up to it. -->
  <xsl:template match="*" mode="issued">
    <xsl:variable name="date" select="p:line(.)"/>
    <xsl:variable name="year" select="string(str:tokenize($date, concat(' ', translate($date, $digits, '')))[string-length() = 4 and not(starts-with(., '0'))][1])"/>
    <xsl:variable name="before" select="substring-before($date, $year)"/>
    <xsl:variable name="after" select="normalize-space(substring-after($date, $year))"/>
    <xsl:variable name="sign" select="substring($before, string-length($before))"/>
    <xsl:variable name="is-bc" select="($sign != '' and contains('-–−', $sign)) or starts-with($after, 'BC') or starts-with($after, 'B.C') or starts-with($after, 'př')
        or starts-with($after, 'pr.') or starts-with($after, 'pred') or starts-with($after, 'v. Chr') or starts-with($after, 'v. u. Z')"/>
    <xsl:if test="$year != '' and not($is-bc)">
      <xsl:variable name="day" select="date:day-in-month(substring($date, 1, 10))"/>
      <xsl:variable name="is-day" select="$before = '' and $day = $day and string-length($date) &gt;= 10 and translate(substring($date, 11, 1), 'T ', '') = ''"/>
      <xsl:variable name="month" select="date:month-in-year(substring($date, 1, 7 + 3 * $is-day))"/>
      <xsl:variable name="is-month" select="$is-day or ($before = '' and $month = $month and string-length($date) = 7)"/>
      <issued year="{$year}">
        <xsl:if test="$is-month"><xsl:attribute name="month"><xsl:value-of select="format-number($month, '00')"/></xsl:attribute></xsl:if>
        <xsl:if test="$is-day"><xsl:attribute name="day"><xsl:value-of select="format-number($day, '00')"/></xsl:attribute></xsl:if>
        <xsl:if test="not($is-month) and translate(concat($before, $after), '[](c©). ', '') != ''"><xsl:attribute name="words"><xsl:value-of select="$date"/></xsl:attribute></xsl:if>
      </issued>
    </xsl:if>
  </xsl:template>

  <!-- The DOI in an identifier, as "10.1234/horse.1", and a blank; nothing if it is none. -->
  <xsl:template match="*" mode="doi">
    <xsl:variable name="text" select="p:line(.)"/>
    <xsl:variable name="address" select="substring-after($text, '://')"/>
    <xsl:variable name="doi" select="normalize-space(concat(substring-after(substring($address, 1, string-length($address) * (starts-with($address, 'doi.org/') or starts-with($address, 'dx.doi.org/'))), '/'),
        substring($text, 5, 2000 * (starts-with($text, 'doi:') or starts-with($text, 'DOI:'))), substring($text, 10, 2000 * starts-with($text, 'info:doi/')), substring($text, 1, 2000 * starts-with($text, '10.'))))"/>
    <xsl:if test="starts-with($doi, '10.') and contains($doi, '/') and not(contains($doi, ' '))"><xsl:value-of select="concat($doi, ' ')"/></xsl:if>
  </xsl:template>

  <!-- The first number behind "ISBN" or "urn:isbn:", without what is written behind it. -->
  <xsl:template name="number">
    <xsl:param name="of"/>
    <xsl:param name="identifiers"/>
    <xsl:variable name="numbers"><xsl:for-each select="$identifiers">
      <xsl:variable name="text" select="translate(p:line(.), concat($capitals, ':'), concat($small, ' '))"/>
      <xsl:variable name="rest" select="substring-after(concat('|', substring($text, 1 + 4 * starts-with($text, 'urn '))), concat('|', $of))"/>
      <xsl:variable name="number" select="string(str:tokenize($rest, concat(' ', translate($rest, '0123456789x-', '')))[1])"/>
      <xsl:if test="string-length($number) &gt;= 8 and string-length($number) &lt;= 17"><xsl:value-of select="concat(translate($number, 'x', 'X'), ' ')"/></xsl:if>
    </xsl:for-each></xsl:variable>
    <xsl:value-of select="substring-before($numbers, ' ')"/>
  </xsl:template>
</xsl:stylesheet>
