// SPDX-License-Identifier: MIT
// Checks of single values of oai.ini. Each function returns nullptr if the value is valid, else a
// description of valid values. Pure.
#pragma once

#include <string_view>

namespace oai {

const char* check_not_empty(std::string_view value);
// An http or https URL without query, fragment and user. The registration validator of
// openarchives.org compares it byte for byte.
const char* check_base_url(std::string_view value);
// local@dotted.domain without "mailto:", as the registration validator demands; emailType of
// OAI-PMH.xsd allows more.
const char* check_email(std::string_view value);
// A mail address as for check_email or a URL as for check_base_url.
const char* check_contact(std::string_view value);
// repositoryIdentifier of the oai-identifier guidelines: labels of letters, digits and '-' that
// begin with a letter.
const char* check_namespace(std::string_view value);
// A path that fits into sockaddr_un.
const char* check_socket(std::string_view value);
// Language tags of letters, digits and '-', separated by single blanks.
const char* check_languages(std::string_view value);
// An http or https URL in which {name} stands for a column. It has at least one column, and none in
// the host's name.
const char* check_replay(std::string_view value);
// A file whose name ends with .svg or .png.
const char* check_logo(std::string_view value);
// "#rrggbb"; config.h also demands a contrast of it.
const char* check_accent(std::string_view value);
// Origins of the web, "https://images.example.org:8080", separated by single blanks.
const char* check_origins(std::string_view value);
// An IP address or range that AddressRange::parse() accepts.
const char* check_address_range(std::string_view value);

}  // namespace oai
