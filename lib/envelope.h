// SPDX-License-Identifier: MIT
// The OAI-PMH document around what a verb says: root, responseDate, request, errors, header and
// resumptionToken elements. Appends text to one growing buffer; escaping is xml/escape.h's. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "datestamp.h"
#include "record.h"

namespace oai {

class Envelope {
  public:
    // Root, responseDate and <request>; echo as in ParsedArguments (empty: no attributes).
    Envelope(Seconds response_date, std::string_view base_url, const std::vector<Argument>& echo);

    std::string& body() { return out_; }  // verbs append their element here
    std::size_t bytes() const { return out_.size(); }
    void open(Verb verb);  // <ListRecords>
    void close(Verb verb);
    void element(std::string_view name, std::string_view text);  // <name>escaped</name>
    // set_specs: of the header's set_ids, empty where sets are off. REQUIRES: the prefix and each of them is written
    // as it is, as is_plain() in xml/escape.h has it: their alphabets have nothing to escape.
    void header(const Header& header, std::string_view identifier_prefix, Seconds datestamp,
                const std::vector<std::string_view>& set_specs);
    // token "": an empty element, the end of a list of several pages; nothing is left to expire then, so
    // `expires` is not printed. size < 0: no completeListSize.
    void resumption_token(std::string_view token, Seconds expires, std::int64_t cursor, std::int64_t size);

    std::string finish();  // the whole document; the envelope is spent

  private:
    std::string out_;
    std::string line_;     // a header under way; grows, never shrinks
    std::string escaped_;  // a local_id that is not plain
    Seconds stamped_{Seconds::min()};         // neighbours share their datestamp more often than not:
    std::array<char, kDatestampBytes> stamp_;  // it is printed once
};

// A document that says only errors. REQUIRES: not empty.
std::string error_document(Seconds response_date, std::string_view base_url,
                           const std::vector<Argument>& echo, const OaiErrors& errors);

std::string_view error_code_text(ErrorCode code);  // "badVerb"

}  // namespace oai
