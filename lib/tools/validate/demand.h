// SPDX-License-Identifier: MIT
// What a check rests on: a sentence of OAI-PMH 2.0 (document version of 2015-01-08), with its place
// and its force, or one of HTTP; what registration at openarchives.org asks besides; or our advice.
// The table is the file demands.txt, carried in the program. Plain values.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace oai::validate {

enum class Severity {
    must,    // to violate it is an error
    should,  // a warning
    advice,  // a note: harvesters are better off with it, and nothing demands it
};

struct Demand {
    std::string_view name;      // "set-named", by which a check refers to it
    std::string_view document;  // kProtocolDocument, or another
    std::string_view section;   // of OAI-PMH: "3.2"; "" of another document
    std::string_view place;     // in it: "paragraph 2, third rule of request"; may be ""
    Severity severity;
    // The clause that decides, quoted from OAI-PMH and HTTP; of others, what they ask in our words.
    std::string_view words;
    // For the manager of a repository that violates it.
    std::string_view harm;    // which harvesters it hurts, and how
    std::string_view advice;  // how to mend it
};

// All of demands.txt, in its order; defined by what lib/tools/validate/embed generates.
std::span<const Demand> demands();
// The one with this name; aborts if there is none.
const Demand& demand(std::string_view name);

inline constexpr std::string_view kProtocolDocument = "OAI-PMH 2.0";
inline constexpr std::string_view kHttpDocument = "HTTP";
inline constexpr std::string_view kRegistration = "registration";
inline constexpr std::string_view kAdvice = "advice";

// "OAI-PMH 2.0, 3.2, paragraph 2"
std::string print_place(const Demand& demand);

// Orders demands as their documents have them: OAI-PMH, HTTP, registration, advice; by section.
bool comes_before(const Demand& a, const Demand& b);

}  // namespace oai::validate
