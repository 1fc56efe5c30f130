// SPDX-License-Identifier: MIT
// The parsed answer of a repository: the values of a response of OAI-PMH 2.0 as they stand there,
// right or wrong. Only well-formedness and validity are judged here. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/validate/schemas.h"
#include "tools/validate/transport.h"

namespace oai::validate {

inline constexpr std::string_view kDublinCore = "http://www.openarchives.org/OAI/2.0/oai_dc/";
inline constexpr std::string_view kIdentifiers =
    "http://www.openarchives.org/OAI/2.0/oai-identifier";

// An element of another schema: in metadata, about, description, setDescription.
struct Payload {
    std::string name_space{}, name{};
    std::string schema_location{};  // xsi:schemaLocation
    std::string text{};             // the element, serialised
    std::string content{};          // the same for all serialisations that mean the same
    std::string invalid{};          // why it violates its schema; "" if it does not
    bool has_schema = false;        // a schema was available
};

struct Header {
    std::string identifier{}, datestamp{};
    std::vector<std::string> sets{};  // sorted
    bool deleted = false;
    bool operator==(const Header&) const = default;
};

struct Record {
    Header header{};
    std::optional<Payload> metadata{};
    std::vector<Payload> about{};
    std::vector<std::pair<std::string, std::string>> dublin_core{};  // name and text, if oai_dc
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
    std::string size, cursor, expires;  // the attributes; "" if absent
};

struct Identification {
    std::string name{}, base_url{}, protocol{}, earliest{}, deleted_record{}, granularity{};
    std::vector<std::string> emails{}, compressions{};
    std::vector<Payload> descriptions{};
    std::vector<std::string> friends{};                                       // base URLs
    std::vector<std::string> repository_identifiers{}, sample_identifiers{};  // of oai-identifier
};

struct ErrorElement {
    std::string code, message;
};

struct Answer {
    Question question;
    Reply reply;
    std::string broken{};   // why it is not well-formed XML; then the members below are empty
    std::string invalid{};  // why it violates the schema of OAI-PMH; "" if it does not
    std::string root{}, root_prefix{}, root_namespace{}, schema_location{};
    std::string encoding{};    // of the XML declaration; "" if it has none
    bool has_doctype = false;  // one that declares nothing; one that does is not read (broken)
    std::string response_date{};
    std::string request_url{};
    std::vector<std::pair<std::string, std::string>> request{};  // attributes of <request>
    std::vector<ErrorElement> errors{};
    std::string verb{};  // the local name of the element that answers; "" if there is none
    std::optional<Identification> identification{};
    std::vector<Format> formats{};
    std::vector<Set> sets{};
    std::vector<Record> records{};  // those of ListIdentifiers have only a header
    std::optional<TokenElement> token{};

    bool well_formed() const { return broken.empty() && !root.empty(); }
    bool has_error(std::string_view code) const;
    // The codes, separated by blanks.
    std::string error_codes() const;
};

// The namespaces for which xsi:schemaLocation, a list of pairs of namespace and address, gives an
// address.
std::vector<std::string_view> located_namespaces(std::string_view schema_location);
// The address that it gives for the namespace; "" if it gives none.
std::string_view schema_address(std::string_view schema_location, std::string_view name_space);

// Parses the reply.
Answer read_answer(Question question, Reply reply, Schemas& schemas);

}  // namespace oai::validate
