// SPDX-License-Identifier: MIT
#include "browse/record_facts.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utc.h"
#include "browse/citation_format.h"
#include "format/record_xml.h"
#include "protocol/identifier.h"
#include "xml/document.h"
#include "xml/view.h"

namespace oai {
namespace {

constexpr std::size_t kMaxLicences = 5;
constexpr std::size_t kMaxLicenceBytes = 500;

// The column of the record in the internal XML, of an array its first value; "" if it has none.
std::string column_of(const xmlNode* record, const std::string& column) {
    const xml::StringHandle value(xmlGetNoNsProp(record, xml::xml_chars(column.c_str())));
    if (value) return std::string(xml::view(value.get()));
    for (const xmlNode* n = record->children; n != nullptr; n = n->next) {
        if (n->type != XML_ELEMENT_NODE || xml::view(n->name) != column) continue;
        const xml::StringHandle content(xmlNodeGetContent(n));
        return std::string(xml::view(content.get()));
    }
    return "";
}

// The names of columns in the pattern of [browse] replay.
std::vector<std::string> columns_in(std::string_view pattern) {
    std::vector<std::string> names;
    for (std::size_t begin = 0; (begin = pattern.find('{', begin)) != std::string_view::npos;) {
        const std::size_t end = pattern.find('}', begin);
        if (end == std::string_view::npos) break;
        names.emplace_back(pattern.substr(begin + 1, end - begin - 1));
        begin = end;
    }
    return names;
}

// `pattern` has passed check_replay() in base/config_values.h, so no column can choose the host.
std::string replay_address(std::string_view pattern, const xmlNode* record) {
    std::string address;
    for (const std::string& name : columns_in(pattern)) {
        const std::size_t begin = pattern.find('{');
        std::string value = column_of(record, name);
        if (value.empty()) return "";
        if (parse_utc(value)) std::erase_if(value, [](char c) { return c < '0' || c > '9'; });
        address.append(pattern.substr(0, begin)).append(value);
        pattern.remove_prefix(begin + name.size() + 2);
    }
    return address.empty() ? address : address.append(pattern);
}

void read_columns(RecordFacts& facts, const PageQuestion& question) {
    if (facts.header().deleted) return;
    const std::string_view replay = question.browse.replay;
    std::vector<std::string> needed{"url", "surt", "archived_time", "image", "kind"};
    for (std::string& name : columns_in(replay)) needed.push_back(std::move(name));
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    const RecordXml xml = records_to_xml(facts.found.batch, std::array{0},
                                         question.context.repository.identifier_prefix, &needed);
    if (xml.batch_index.empty()) return;
    const xmlNode* record = xmlDocGetRootElement(xml.document.get())->children;
    facts.replay = replay_address(replay, record);
    facts.captured_url = column_of(record, "url");
    facts.surt = column_of(record, "surt");
    if (const std::string time = column_of(record, "archived_time"); parse_utc(time))
        facts.captured = time;
    if (const std::string image = column_of(record, "image"); is_web_address(image))
        facts.image = image;
    facts.kind = column_of(record, "kind");
}

std::string base_of(const PageQuestion& question) {
    std::string base = question.context.repository.facts.base_url;
    while (base.ends_with('/')) base.pop_back();
    return base;
}

// Adds the descriptions: the record in each of its formats, and its citations.
void add_descriptions(TypedLinks& links, const PageQuestion& question, const RecordFacts& facts,
                      const std::string& base, bool is_cited) {
    for (const auto& format : question.context.formats->formats()) {
        if (!format->visible || !has_format(*format, facts.found.batch, 0)) continue;
        links.links.push_back(
            {"describedby",
             base + "?verb=GetRecord&metadataPrefix=" + text::percent_encode(format->prefix) +
                 "&identifier=" + text::percent_encode(facts.identifier, ":/"),
             "text/xml", format->metadata_namespace});
    }
    if (!is_cited) return;
    for (const CitationFile& file : kCitationFiles)
        if (file.media_type != "text/plain")
            links.links.push_back({"describedby",
                                   base + "/browse/" + citation_path(file.name, facts.identifier),
                                   std::string(file.media_type)});
}

}  // namespace

std::optional<RecordFacts> find_facts(const PageQuestion& question, std::string_view identifier) {
    const Context& context = question.context;
    const std::string local_id = local_id_in(context.repository.identifier_prefix, identifier);
    if (local_id.empty()) return std::nullopt;
    RecordFacts facts{.found = context.store.get(local_id),
                      .identifier = std::string(identifier),
                      .url = base_of(question) + "/browse/" + record_path(identifier)};
    if (facts.found.batch.size() == 0 || !is_shown(context.repository, facts.header()))
        return std::nullopt;
    read_columns(facts, question);
    return facts;
}

std::optional<DublinCore> dublin_core_in(const std::string& document) {
    const xml::DocumentHandle parsed = xml::parse_memory(document, "record");
    const xmlNode* const dc = find_element(parsed.get(), "dc");
    return dc == nullptr ? std::nullopt : std::optional<DublinCore>(dc);
}

std::optional<DublinCore> dublin_core_of(const PageQuestion& question, const RecordFacts& facts) {
    const Format* const format = question.context.formats->find("oai_dc");
    std::string document;
    if (format == nullptr ||
        append_records(document, question, Verb::get_record, *format, facts.found.batch,
                       facts.found.horizon) != RecordWriter::Outcome::written)
        return std::nullopt;
    return dublin_core_in(document);
}

Citation citation_of(const PageQuestion& question, const RecordFacts& facts, const DublinCore& dc) {
    CitationFacts cited{.identifier = facts.identifier,
                        .url = facts.url,
                        .repository = question.context.repository.facts.name,
                        .kind = facts.kind,
                        .viewed = question.context.clock.now()};
    if (facts.is_capture()) {
        cited.captured = parse_utc(facts.captured);
        cited.live_url = facts.captured_url;
        cited.replay = encoded_address(facts.replay);
    }
    return make_citation(dc, std::move(cited));
}

SetPaths set_paths(const PageQuestion& question, const RecordFacts& facts) {
    if (!question.context.repository.facts.sets) return {};
    const auto& ids = facts.header().set_ids;
    return question.queries.paths(ids.first(std::min(ids.size(), kMaxShownSets)));
}

TypedLinks typed_links(const PageQuestion& question, const RecordFacts& facts, const DublinCore* dc,
                       const Citation* citation, const SetPaths& sets) {
    const std::string base = base_of(question);
    TypedLinks links{.page = facts.url,
                     .linkset = base + "/browse/" + linkset_path(facts.identifier)};
    // What does not depend on this server's address is better to cite by.
    const bool has_doi = citation != nullptr && !citation->doi.empty() && !facts.is_capture();
    links.links.push_back({"cite-as", has_doi ? citation->url : facts.url});
    links.links.push_back({"type", "https://schema.org/AboutPage"});
    if (citation != nullptr)
        links.links.push_back(
            {"type", std::string("https://schema.org/") + schema_type(citation->work)});
    std::size_t licences = 0;
    if (dc != nullptr)
        for (const std::string& rights : dc->all("rights"))
            if (is_web_address(rights) && rights.size() <= kMaxLicenceBytes &&
                licences++ < kMaxLicences)
                links.links.push_back({"license", encoded_address(rights)});
    if (!facts.replay.empty()) {
        const std::string type = dc == nullptr ? "" : dc->first("format");
        const bool is_media_type = type.find('/') != type.npos && type.find(' ') == type.npos;
        links.links.push_back({"item", encoded_address(facts.replay), is_media_type ? type : ""});
    }
    add_descriptions(links, question, facts, base, citation != nullptr);
    for (const auto& path : sets)
        links.links.push_back(
            {"collection", base + "/browse/list?set=" + text::percent_encode(path.back().spec, ":"),
             "text/html"});
    return links;
}

std::string shown_origin(std::string_view image, std::string_view origins) {
    if (!is_web_address(image)) return "";
    const std::string_view origin =
        image.substr(0, image.find_first_of("/?#", image.find("://") + 3));
    const auto shown = text::split(origins, ' ');
    const bool is_shown_there = std::find(shown.begin(), shown.end(), origin) != shown.end();
    return is_shown_there ? std::string(origin) : "";
}

}  // namespace oai
