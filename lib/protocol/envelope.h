// SPDX-License-Identifier: MIT
// Writes the parts of an OAI-PMH document that are common to all verbs: root, responseDate,
// request, errors, and the elements header and resumptionToken. Appends text to one buffer;
// xml/escape.h does the escaping. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/arguments.h"
#include "protocol/record.h"

namespace oai {

class Envelope {
  public:
    // Writes the root, responseDate and <request>. echo: the attributes, as in ParsedArguments.
    Envelope(Seconds response_date, std::string_view base_url, const std::vector<Argument>& echo);

    std::string& body() { return out_; }  // verbs append their element here
    std::size_t bytes() const { return out_.size(); }
    void open(Verb verb);  // <ListRecords>
    void close(Verb verb);
    void element(std::string_view name, std::string_view text);  // <name>escaped</name>
    // set_specs: those of the header's set_ids, empty if the repository has no sets. REQUIRES: the
    // prefix and each setSpec satisfy xml::is_plain(), since they are not escaped.
    void header(const Header& header, std::string_view identifier_prefix, Seconds datestamp,
                const std::vector<std::string_view>& set_specs);
    // An empty token ends a list of several pages; the element is then empty and has no
    // expirationDate. size < 0: the element has no completeListSize.
    void resumption_token(std::string_view token, Seconds expires, std::int64_t cursor,
                          std::int64_t size);

    std::string finish();  // returns the document; the envelope must not be used again

  private:
    std::string out_;
    std::string line_;     // buffer for one header; never shrinks
    std::string escaped_;  // buffer for a local_id with characters to escape
    // The latest datestamp and its text. Neighbouring records often have the same one.
    Seconds last_datestamp_{Seconds::min()};
    std::array<char, kUtcBytes> datestamp_text_;
};

// A document that contains only errors. REQUIRES: there is at least one.
std::string error_document(Seconds response_date, std::string_view base_url,
                           const std::vector<Argument>& echo, const OaiErrors& errors);

std::string_view error_code_text(ErrorCode code);                              // "badVerb"
std::string error_codes(const OaiErrors& errors, std::string_view separator);  // of all of them

}  // namespace oai
