<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- The licence of an item (model library) in <about>, as OAI's guidelines for rights want it. That container speaks of the
     metadata, which has no licence of its own here: it is given out under that of the item. If yours is under another, say
     CC0, write its address as the ref and remove requires; if it is under none, remove this file. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:about schema="http://www.openarchives.org/OAI/2.0/rights.xsd"
           namespace="http://www.openarchives.org/OAI/2.0/rights/" requires="licence"/>

  <xsl:template match="record">
    <rights xmlns="http://www.openarchives.org/OAI/2.0/rights/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
            xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/rights/ http://www.openarchives.org/OAI/2.0/rights.xsd">
      <rightsReference ref="{@licence}"/>
    </rights>
  </xsl:template>
</xsl:stylesheet>
