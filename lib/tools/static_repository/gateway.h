// SPDX-License-Identifier: MIT
// Addresses of static repositories, and the base URLs at which gateways serve them (specification,
// 2 and 3.1). Pure.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/static_repository/reader.h"
#include "xml/handle.h"

namespace oai::static_repository {

// A static repository is at http://host:port/path/file, without query and fragment; https is
// accepted, too. Returns why the URL is no such address, or "".
std::string address_fault(const std::string& url);

// The base URL of a static repository at `url` behind a gateway: "http://gateway/oai" and
// "http://a.org:81/r.xml" make "http://gateway/oai/a.org%3A81/r.xml" (4.4.1: the colon is encoded).
// REQUIRES: it is an address.
std::string gateway_base_url(const std::string& gateway, const std::string& url);

// Section 2 joins the addresses as they are, and 4.4.1 encodes the port's colon: both forms are the
// same base URL.
bool same_base_url(const std::string& a, const std::string& b);

// The gateway's URL: what stands before the address of the static repository in the base URL, with
// the slash at its end. nullopt if this is no base URL of a gateway for it.
std::optional<std::string> gateway_url(const std::string& base_url, const std::string& url);

// The description with which a gateway presents itself in Identify (specification, 4.4.1;
// guidelines for gateways, 2). Pure.

struct GatewayDescription {
    std::string source;               // the static repository's URL
    std::vector<std::string> admins;  // mail addresses of the gateway's administrators
    std::string url;                  // how all base URLs of the gateway begin; "" unknown
    std::string notes;                // URL of further information; "" none
};

// The <gateway> element, as a document.
std::string gateway_description(const GatewayDescription& gateway);

// Fetches a static repository's file from its server, if it has changed (specification, 4.3). Knows
// no database, and nothing of what the bytes are. Not thread-safe.

// What a server tells one version of a file by; "" if it does not give it.
struct Validators {
    std::string etag, last_modified;
    bool empty() const { return etag.empty() && last_modified.empty(); }
};

struct RetrievalResult {
    int status = 0;  // of HTTP; 304: the file is as the validators say, and was not sent
    Validators validators;
    std::optional<std::string> content_type;
};

// What is wrong with the file's media type, or "". The specification (3.2) has text/xml;
// application/xml is the same (RFC 7303, 9.1), and what many servers send for .xml.
std::string content_type_fault(std::string_view content_type);
// A charset in the media type overrides what the file declares (RFC 7303, 3), so the two must
// agree; us-ascii, which was the default once (RFC 3023), says nothing. Returns "" or what is
// wrong.
std::string charset_fault(std::string_view content_type, const std::string& encoding);

// A temporary file that the static repository is fetched into.
class Download {
  public:
    Download();  // throws std::runtime_error if the file cannot be created
    ~Download();
    Download(const Download&) = delete;
    Download& operator=(const Download&) = delete;

    using Wait = std::function<void(std::chrono::seconds, const std::string& why)>;
    // Throws http::TransferError if there is no answer, std::runtime_error if the file cannot be
    // written. A server that is busy is asked again, after `wait` has waited.
    RetrievalResult fetch(const std::string& url, const Validators& known, const Wait& wait);
    const std::string& path() const { return path_; }  // of the file; complete if the status is 200

  private:
    std::string path_;
};

// Writes a static repository (reader.h) from a repository's answers. Knows neither where the
// records come from nor that the stream is a file. Pure, but for the stream.

// To be called in this order: write_head; for each format with records begin_list, write_record,
// end_list; write_end.
void write_head(std::ostream& out, const StaticIdentity& identity,
                const std::vector<std::string>& descriptions,
                const std::vector<StaticFormat>& formats);
void begin_list(std::ostream& out, const std::string& prefix);
// Writes a <record> of an answer: its datestamp becomes a day, sets are left out. REQUIRES: it is
// not deleted.
void write_record(std::ostream& out, const xmlNode* record);
void end_list(std::ostream& out);
void write_end(std::ostream& out);

}  // namespace oai::static_repository
