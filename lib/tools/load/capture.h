// SPDX-License-Identifier: MIT
// What a web archive says of one capture: the plain value that readers produce and the loader
// stores. Knows neither the file formats nor the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace oai::load {

// What an archived HTML page says of itself: its title, language and description. Whatever it
// holds, this takes time and memory in proportion to the bytes given, and texts are bounded. Pure.

// Texts are in UTF-8, each in one line, without control characters and characters that change the
// direction of writing; what is longer than the bound ends in "...", as one character. "": unknown.
struct DocumentDescription {
    static constexpr std::size_t kTitleCharacters = 500, kDescriptionCharacters = 2000;
    std::string title;
    std::string language;  // as in BCP 47, in lower case: "cs", "pt-br"
    std::string description;
};

// How much of a body is looked at, before and after its Content-Encoding is decoded.
constexpr std::size_t kDescribedBytes = std::size_t{64} << 10;

// media_type: as in Capture; of another than HTML nothing is known.
// http_header: from its first line on, or "" if the document was not fetched by HTTP. An answer
// with a status of 300 or more says nothing: "302 Found" is no title of what is at that address.
// body: its beginning, as it was sent. A body whose encoding is damaged or unknown says nothing.
DocumentDescription describe_document(std::string_view media_type, std::string_view http_header,
                                      std::string_view body);

// The encodings of web pages: which one a page is in, and the conversion to UTF-8, with the tables
// and the detector of ICU. Pure.

// The encoding by this label, as ICU calls it, or nullptr: those that browsers know (WHATWG,
// Encoding, 4.2), whatever the case and the punctuation of the label. As there, Latin 1 means
// windows-1252, and GB 2312 means GB 18030.
const char* encoding_of_label(std::string_view label);

// The parameter charset of a Content-Type, as the label stands there; "" if there is none.
std::string_view charset_parameter(std::string_view content_type);

// The encoding that the bytes show by themselves: by a byte order mark, or since the first
// characters of markup are in UTF-16; else nullptr.
const char* evident_encoding(std::string_view bytes);

// Guesses the encoding of a text of which nobody says it. Never nullptr: windows-1252 if there is
// nothing to go by. Looks at the first 16 KB.
const char* guess_encoding(std::string_view bytes);

// The name that is usual for it, as windows-1250.
const char* standard_name(const char* encoding);

// Whether the bytes, the last of which may begin a character, are UTF-8, and not all ASCII.
bool is_surely_utf8(std::string_view bytes);

// Bytes that are none in this encoding become U+FFFD; a byte order mark is dropped.
// REQUIRES: encoding is one that these functions return.
std::string to_utf8(std::string_view bytes, const char* encoding);

// What was asked by a request other than GET: its method, and if it has a body, a blank and the
// body in the canonical form of "CDX for non-GET requests" (IIPC), as pywb looks it up: forms
// decoded, JSON and multipart as forms, all else in base64; of 4,096 characters at most. "": GET,
// or no such method. Pure.

// http_request: from its first line on. A body beyond the bytes given does not count.
std::string request_of(std::string_view http_request);
// body: in that form already, as an index has it.
std::string request_text(std::string_view method, std::string_view body);
// Where the body begins behind lines of a header and an empty one.
std::size_t body_begin(std::string_view block);

// Makes a line of text that may stand in a title of what a document has. Pure.

// Decodes HTML's character references in UTF-8. Unknown names stay as they are.
std::string with_references_decoded(std::string_view utf8);

// One line of at most max_characters: white space and control characters in a row become one blank,
// and characters that are not seen but change how others are shown are dropped. What is cut off is
// replaced by an ellipsis. "" if more than an eighth of the characters is U+FFFD: the encoding was
// not found out.
std::string plain_text(std::string_view utf8, std::size_t max_characters);

struct Capture {
    std::string url;            // XML text: bytes that are not have been percent-encoded
    Seconds archived_time{};    // UTC
    std::string mimetype;       // lower-case "type/subtype" without parameters; "" unknown
    std::optional<int> status;  // HTTP status 100-999
    std::string digest;  // SHA-1 in base32 without prefix, else "algorithm:value"; "" unknown
    std::string file;    // the ARC or WARC file that holds it; "" unknown
    // Of the record in that file, in bytes; where it is compressed, of its gzip member.
    std::optional<std::int64_t> length, offset;
    std::string request;        // what was asked, as request_text() gives it: "POST a=1"; "": GET
    bool revisit = false;       // the content lies in another record
    DocumentDescription about;  // what the document says of itself
};

// Who takes what the readers of web archives find, in the order of the file: the loader stores it;
// tests and fuzz targets look at it.

class CaptureHandler {
  public:
    virtual ~CaptureHandler() = default;
    virtual void capture(Capture capture) = 0;
    // A sound record that is no capture, of this kind: "request", "warcinfo", "dns", ...
    virtual void skip(std::string_view kind) = 0;
    // Something was lost. offset: in the file, of the gzip member if compressed. what: one line.
    virtual void damage(std::uint64_t offset, const std::string& what) = 0;
    // Nothing was lost, but the administrator should know. Once per file and kind.
    virtual void note(const std::string& what) = 0;
};

}  // namespace oai::load
