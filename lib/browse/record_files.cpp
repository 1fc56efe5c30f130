// SPDX-License-Identifier: MIT
// What programs get of one record beside its formats: citations, and the linkset.
#include <algorithm>

#include "base/text.h"
#include "browse/citation_format.h"
#include "browse/record_facts.h"
#include "web/http_cache.h"

namespace oai {
namespace {

constexpr const char* kNoRecord = "There is no such record.";
constexpr const char* kDeleted = "This record was deleted.";

Response file_response(std::string type, std::string content, bool gzip) {
    Response response = text_response(std::move(type), std::move(content), gzip);
    mark_momentary(response);
    response.headers.emplace_back("X-Content-Type-Options", "nosniff");
    response.headers.emplace_back("X-Robots-Tag", "noindex");
    return response;
}

// A name for the file that any system takes.
std::string file_name(const std::string& identifier, std::string_view suffix) {
    std::string name(text::utf8_prefix(identifier, 100));
    for (char& c : name)
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            c != '.')
            c = '-';
    return name.append(suffix);
}

}  // namespace

Response citation_response(const PageQuestion& question, std::string_view subject,
                           const Language& language, bool gzip) {
    const std::size_t slash = std::min(subject.find('/'), subject.size());
    const CitationFile* const file = find_citation_file(subject.substr(0, slash));
    if (file == nullptr || slash == subject.size())
        return plain_response(404, "There is no such format of citations.");
    const auto facts = find_facts(question, subject.substr(slash + 1));
    if (!facts) return plain_response(404, kNoRecord);
    if (facts->header().deleted) return plain_response(410, kDeleted);
    const auto dc = dublin_core_of(question, *facts);
    if (!dc) return plain_response(404, "This record is not available in Dublin Core.");
    Response response =
        file_response(std::string(file->media_type) + "; charset=UTF-8",
                      citation_file(*file, citation_of(question, *facts, *dc), language), gzip);
    if (file->media_type == "text/plain") {
        response.headers.emplace_back("Content-Language", language.tag);
        vary_by(response, "Accept-Language");
    } else {
        response.headers.emplace_back(
            "Content-Disposition",
            "attachment; filename=\"" + file_name(facts->identifier, file->suffix) + "\"");
    }
    return response;
}

Response linkset_response(const PageQuestion& question, std::string_view identifier, bool gzip) {
    const auto facts = find_facts(question, identifier);
    if (!facts) return plain_response(404, kNoRecord);
    if (facts->header().deleted) return plain_response(410, kDeleted);
    const auto dc = dublin_core_of(question, *facts);
    std::optional<Citation> citation;
    if (dc) citation = citation_of(question, *facts, *dc);
    const TypedLinks links =
        typed_links(question, *facts, dc ? &*dc : nullptr, citation ? &*citation : nullptr,
                    set_paths(question, *facts));
    return file_response(std::string(kLinksetType), linkset_json(links), gzip);
}

}  // namespace oai
