// SPDX-License-Identifier: MIT
// Checks single elements of a static repository (Specification for an OAI Static Repository and an
// OAI Static Repository Gateway, 3.2 and the schemas of its appendix): children in order,
// attributes, text. What holds between elements - each identifier once, a list's prefix among the
// formats - is checked by the reader. Pure.
#pragma once

#include <functional>
#include <string>

#include "xml/handle.h"

namespace oai::static_repository {

using ReportFault = std::function<void(const xmlNode* at, const std::string& what)>;

void check_identify(const xmlNode* identify, const ReportFault& report);
void check_format(const xmlNode* format, const ReportFault& report);  // <metadataFormat>
void check_record(const xmlNode* record,
                  const ReportFault& report);  // with its header, metadata and about
// The element may have no attribute but this one ("" none) and those of XML Schema instances.
void check_attributes(const xmlNode* element, std::string_view known, const ReportFault& report);
// There may be no text among the parent's children before `end` (nullptr: among all of them).
void check_no_text(const xmlNode* parent, const xmlNode* end, const ReportFault& report);

bool is_day(const std::string& text);  // YYYY-MM-DD, in the calendar

}  // namespace oai::static_repository
