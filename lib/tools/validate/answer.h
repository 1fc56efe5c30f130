// SPDX-License-Identifier: MIT
// The parsed response of a repository: the values of an OAI-PMH 2.0 response as sent, right or
// wrong. Only well-formedness and validity are checked here. Plain values.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xml/schema.h"

namespace oai::validate {

// How requests of the conformance test reach a repository: over HTTP, or in tests by a call.

struct Question {
    std::string arguments;       // "verb=Identify&...", encoded
    std::string method = "GET";  // or HEAD, or POST, which sends the arguments as a form body
    std::string accept{};        // the header; "" for none
    bool gzip = false;           // Accept-Encoding: gzip
    // For a request that no harvester sends: a 4xx is acceptable, and <request> may lack it.
    bool refusable = false;
    bool operator==(const Question&) const = default;
};

struct Reply {
    int status = 0;       // of HTTP; 0 if there was no answer
    std::string error{};  // of the transport, if status is 0
    std::vector<std::pair<std::string, std::string>>
        headers{};  // with Content-Encoding, though the body is decoded
    std::string body{};
    std::string url{};  // where the answer came from after redirects; "" if there were none
    std::chrono::milliseconds duration{0};
    std::optional<std::chrono::seconds> retry_after{};  // from now; a date is turned into seconds
};

// The value of the first header with this name, compared without case; "" if there is none.
std::string_view header_of(const Reply& reply, std::string_view name);

class Transport {
  public:
    virtual ~Transport() = default;
    // Sends one request and waits for the reply. Never throws for what the repository does.
    virtual Reply send(const Question& question) = 0;
};

// The schemas that answers are validated against: our own RELAX NG grammars of the protocol, of
// oai_dc and of the containers in the guidelines; and optionally a folder of XML Schemas, such as
// the official ones. Not thread-safe.

// The files grammar/*.rng (RELAX NG, written from the protocol and its guidelines), carried in the
// program: defined by what lib/tools/validate/embed generates.
extern const std::string_view oai_pmh_grammar;  // a response
extern const std::string_view oai_dc_grammar;
// For descriptions of Identify and the content of <about>.
extern const std::string_view containers_grammar;

class Schemas {
  public:
    // folder: with *.xsd files; "" for none.
    explicit Schemas(const std::string& folder = "");

    // Why the document violates the schema of its namespace, "" if it does not; nullopt if there is
    // no schema. `address`: of the schema, from xsi:schemaLocation.
    std::optional<std::string> why_invalid(xmlDoc* document, std::string_view address);
    // The same for an element, taken as a document of its own.
    std::optional<std::string> why_invalid(const xmlNode* element, std::string_view address);

  private:
    const xml::Grammar& grammar(std::string_view text, const std::string& name);
    std::map<std::string, xml::Grammar> grammars_;  // by name; compiled when first needed
    xml::SchemaFolder folder_;
};

inline constexpr std::string_view kDublinCore = "http://www.openarchives.org/OAI/2.0/oai_dc/";
inline constexpr std::string_view kIdentifiers =
    "http://www.openarchives.org/OAI/2.0/oai-identifier";

// An element of another schema: in metadata, about, description, setDescription.
struct Payload {
    std::string name_space{}, name{};
    std::string schema_location{};  // xsi:schemaLocation
    std::string text{};             // the element, serialised
    std::string content{};          // a canonical form, equal for equivalent serialisations
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
    bool operator==(const Set&) const = default;
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
    std::string encoding{};  // of the XML declaration; "" if it has none
    bool has_doctype =
        false;  // an empty one; a DOCTYPE with declarations makes the response `broken`
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
    // The error codes, separated by blanks.
    std::string error_codes() const;
};

// The namespaces for which xsi:schemaLocation, a list of pairs, gives an address.
std::vector<std::string_view> located_namespaces(std::string_view schema_location);
// Whether the address is in xsi:schemaLocation.
bool is_located(std::string_view schema_location, std::string_view address);
// The address for the namespace in xsi:schemaLocation; "" if there is none.
std::string_view schema_address(std::string_view schema_location, std::string_view name_space);

// Parses the reply.
Answer read_answer(Question question, Reply reply, Schemas& schemas);

}  // namespace oai::validate
