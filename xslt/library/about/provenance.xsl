<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT -->
<!-- Where an item was harvested from (model library) in <about>, as OAI's guidelines for provenance want it: the column
     origin holds the <originDescription> of its last harvest, with those of earlier ones nested in it. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:f="urn:oai-fcgi:format"
                exclude-result-prefixes="f">
  <xsl:output method="xml" encoding="UTF-8"/>
  <f:about schema="http://www.openarchives.org/OAI/2.0/provenance.xsd"
           namespace="http://www.openarchives.org/OAI/2.0/provenance" requires="origin"/>

  <xsl:template match="record">
    <provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance"
                xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/provenance http://www.openarchives.org/OAI/2.0/provenance.xsd">
      <xsl:copy-of select="origin/*"/>
    </provenance>
  </xsl:template>
</xsl:stylesheet>
