// SPDX-License-Identifier: MIT
// Helpers that several tables of checks share.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tools/validate/check.h"

namespace oai::validate {

Finding not_applicable();  // returned by a rule that does not apply to the answer

// Why the answer cannot be judged at all ("HTTP status 500"); "" if it can.
std::string why_unusable(const Answer& answer);

// Fine if the answer is a response with one of these error codes.
Finding expect_error(const Answer& answer, std::initializer_list<std::string_view> codes);
Finding expect_error(Session& session, const std::string& arguments,
                     std::initializer_list<std::string_view> codes);

// The same of a question that is refusable: HTTP may refuse it.
bool is_refused_by_http(const Answer& answer);
Finding expect_refusal(const Answer& answer, std::initializer_list<std::string_view> codes);

// Fine if both answers have the same errors, records, sets and formats. If not, `wanted` is the
// evidence.
Finding expect_same(const Answer& wanted, const Answer& answer, const std::string& what);
// Sends both questions, in this order.
Finding expect_same(Session& session, const Question& wanted, const Question& question,
                    const std::string& what);
// Whether the later answer has the same content, or the same record. The value of a token and its
// expiration are not compared.
bool has_same_content(const Answer& then, const Answer& now);
bool has_same_record(const Answer& then, const Answer& now, std::string_view identifier);

std::vector<Header> headers_of(const Answer& answer);
const Record* record_of(const Answer& answer,
                        std::string_view identifier);  // nullptr if it is not there
std::string get_record(
    const Session& session,
    std::string_view identifier);  // arguments of GetRecord in the format of the scope

// The format with this prefix; nullptr if there is none.
const Format* find_format(const std::vector<Format>& formats, std::string_view prefix);
// Whether the metadata declare the namespace. The root of EDM is rdf:RDF; only elements below it
// are in the namespace of the format.
bool uses_namespace(const Payload& metadata, std::string_view name_space);

// The decoded value of the first argument with this name in the answer's question; "" if none.
std::string argument_of(const Answer& answer, std::string_view name);
bool is_list(const Answer& answer);  // ListIdentifiers or ListRecords

}  // namespace oai::validate
