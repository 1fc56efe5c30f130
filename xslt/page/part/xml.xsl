<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- XML that is indented, and still the same document when it is copied. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:p="urn:oai-fcgi:page"
                exclude-result-prefixes="p">
  <xsl:template name="pretty-xml">
    <xsl:param name="id"/>
    <xsl:param name="element"/>
    <pre class="xml" id="{$id}" dir="ltr" tabindex="0" role="region" aria-label="XML: {$id}"><xsl:value-of select="p:xml($element)"/></pre>
  </xsl:template>
</xsl:stylesheet>
