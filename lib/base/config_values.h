// SPDX-License-Identifier: MIT
// What single values of oai.ini must look like. Each judge_ function returns nullptr, or what would be right.
// Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace oai {

const char* judge_not_empty(std::string_view value);
// An http or https URL without query, fragment and user; the registration validator compares it byte for
// byte.
const char* judge_base_url(std::string_view value);
// local@dotted.domain, no mailto: (emailType of OAI-PMH.xsd is laxer, the registration validator is not).
const char* judge_email(std::string_view value);
// One or the other.
const char* judge_contact(std::string_view value);
// repositoryIdentifier of the oai-identifier guidelines: labels of letters, digits and '-' that begin with a
// letter.
const char* judge_namespace(std::string_view value);
// A path that fits into sockaddr_un.
const char* judge_socket(std::string_view value);
// Language tags of letters, digits and '-', separated by single blanks.
const char* judge_languages(std::string_view value);
// An http or https URL in which {name} stands for a column; at least one, and none in the host's name.
const char* judge_replay(std::string_view value);
// As address.h has them.
const char* judge_address_range(std::string_view value);

// UTCdatetime to the second as in OAI-PMH 2.0, 3.3; real calendar dates only.
std::optional<std::chrono::sys_seconds> parse_time(std::string_view value);
std::string print_time(std::chrono::sys_seconds time);

}  // namespace oai
