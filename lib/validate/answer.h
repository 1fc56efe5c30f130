// SPDX-License-Identifier: MIT
// What a repository answered, taken apart: the facts of a response of OAI-PMH 2.0 as they stand there, right or wrong.
// Nothing is judged but well-formedness and validity. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "validate/asker.h"
#include "validate/schemas.h"

namespace oai::validate {

// An element of another schema: in metadata, about, description, setDescription.
struct Payload {
    std::string name_space{}, name{};
    std::string schema_location{};  // xsi:schemaLocation
    std::string text{};             // serialised
    std::string invalid{};          // by a schema at hand: why; "" it is not, or there is none
    bool judged = false;          // there was a schema at hand
};

struct Header {
    std::string identifier{}, datestamp{};
    std::vector<std::string> sets{};  // in order of their bytes
    bool deleted = false;
    bool operator==(const Header&) const = default;
};

struct Record {
    Header header{};
    std::optional<Payload> metadata{};
    std::vector<Payload> about{};
    std::vector<std::pair<std::string, std::string>> dublin_core{};  // of oai_dc: name, text
};

struct Format {
    std::string prefix, schema, name_space;
    bool operator==(const Format&) const = default;
};

struct Set {
    std::string spec, name;
};

struct TokenElement {
    std::string value;
    std::string size, cursor, expires;  // attributes as they stand there; "" absent
};

struct Identification {
    std::string name{}, base_url{}, protocol{}, earliest{}, deleted_record{}, granularity{};
    std::vector<std::string> emails{}, compressions{};
    std::vector<Payload> descriptions{};
    std::vector<std::string> friends{};                                     // base URLs
    std::vector<std::string> repository_identifiers{}, sample_identifiers{};  // of oai-identifier
};

struct ErrorElement {
    std::string code, message;
};

struct Answer {
    Question question;
    Reply reply;
    std::string broken{};   // why it is not well-formed XML; then there is nothing below
    std::string invalid{};  // why it is no response by the schema of OAI-PMH; "" it is one
    std::string root{}, root_prefix{}, root_namespace{}, schema_location{};
    std::string encoding{};  // as declared; "" it is not
    std::string response_date{};
    std::string request_url{};
    std::vector<std::pair<std::string, std::string>> request{};  // attributes of <request>
    std::vector<ErrorElement> errors{};
    std::string verb{};  // local name of the element that answers; "" none
    std::optional<Identification> identification{};
    std::vector<Format> formats{};
    std::vector<Set> sets{};
    std::vector<Record> records{};  // of ListIdentifiers, too: headers alone
    std::optional<TokenElement> token{};

    bool well_formed() const { return broken.empty() && !root.empty(); }
    bool has_error(std::string_view code) const;
    // Codes with blanks between; "" none.
    std::string error_codes() const;
};

// The address that an xsi:schemaLocation, pairs of namespace and address, has for the namespace; "" none.
std::string_view schema_address(std::string_view schema_location, std::string_view name_space);

// Takes the reply apart.
Answer read_answer(Question question, Reply reply, Schemas& schemas);

}  // namespace oai::validate
