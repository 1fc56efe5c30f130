// SPDX-License-Identifier: MIT
// What several tables of checks need.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "validate/check.h"

namespace oai::validate {

Finding not_about();  // a rule, of an answer that has nothing to do with it

// Whether the answer can be judged at all: "" or why not ("HTTP status 500").
std::string why_unusable(const Answer& answer);

// The answer is a response with one of the error codes.
Finding expect_error(const Answer& answer, std::initializer_list<std::string_view> codes);
Finding expect_error(Session& session, const std::string& arguments, std::initializer_list<std::string_view> codes);

// Two answers that must say the same: same errors, records, sets, formats. Where they do not, `wanted` is the evidence.
Finding expect_same(const Answer& wanted, const Answer& answer, const std::string& what);
// Asks both, in this order.
Finding expect_same(Session& session, const Question& wanted, const Question& question, const std::string& what);
// What stood in an answer stands in another one: all of it, or the record alone. What a token is and when it expires is
// not looked at.
bool says_as_much(const Answer& then, const Answer& now);
bool has_as_is(const Answer& then, const Answer& now, std::string_view identifier);

std::vector<Header> headers_of(const Answer& answer);
const Record* record_of(const Answer& answer, std::string_view identifier);  // nullptr: it is not there
std::string get_record(const Session& session, std::string_view identifier);  // its arguments, in the prefix of the scope

// By the arguments of its question, decoded: the first of the name, "" if there is none.
std::string argument_of(const Answer& answer, std::string_view name);
bool is_list(const Answer& answer);  // ListIdentifiers or ListRecords

}  // namespace oai::validate
