// SPDX-License-Identifier: MIT
// What each element of a static repository must be (Specification for an OAI Static Repository and an OAI Static
// Repository Gateway, 3.2 and the schemas of its appendix): its children in order, its attributes, its text. What holds
// between elements - each identifier once, a list's prefix among the formats - is the reader's. Pure.
#pragma once

#include <functional>
#include <string>

#include "xml/handle.h"

namespace oai::static_repository {

using Tell = std::function<void(const xmlNode* at, const std::string& what)>;

void check_identify(const xmlNode* identify, const Tell& wrong);
void check_format(const xmlNode* format, const Tell& wrong);  // <metadataFormat>
void check_record(const xmlNode* record, const Tell& wrong);  // with its header, metadata and about
// No attribute but this one ("" none) and those of XML Schema instances.
void check_attributes(const xmlNode* element, std::string_view known, const Tell& wrong);
// No text from the parent's first child up to `end` (nullptr: all of them), which is not looked at itself.
void check_no_text(const xmlNode* parent, const xmlNode* end, const Tell& wrong);

bool is_day(const std::string& text);  // YYYY-MM-DD that is in the calendar

}  // namespace oai::static_repository
