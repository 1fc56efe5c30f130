// SPDX-License-Identifier: MIT
#include "tools/aggregate/database_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <utility>

#include "pg/binary.h"
#include "protocol/record.h"
#include "tools/aggregate/queries.h"
#include "tools/load/items.h"
#include "tools/load/queries.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/push_parser.h"
#include "xml/serialiser.h"

namespace oai::aggregate {
namespace {

using load::Element;

constexpr std::string_view kElementsNamespace = "http://purl.org/dc/elements/1.1/";

bool has_elements(const xmlNode* node) {
    for (const xmlNode* n = node->children; n != nullptr; n = n->next)
        if (xml::is_element(n)) return true;
    return false;
}

// Attributes other than xml:lang would be lost.
bool has_own_attributes(const xmlNode* element) {
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next)
        if (a->ns == nullptr || !xmlStrEqual(a->ns->href, XML_XML_NAMESPACE)) return true;
    return false;
}

// One of the fifteen elements, with a text and nothing else.
bool is_simple(const xmlNode* element) {
    return xml::namespace_of(element) == kElementsNamespace && !has_elements(element) &&
           !has_own_attributes(element) && !xml::text_of(element).empty();
}

// Whether every element became a value, with its language; none was left out or repeated another.
bool is_whole(const xmlNode* root, const load::Item& item) {
    std::size_t elements = 0, languages = 0, values = 0, kept_languages = 0;
    for (const xmlNode* n = root->children; n != nullptr; n = n->next) {
        if (!xml::is_element(n)) continue;
        if (!is_simple(n)) return false;
        ++elements;
        if (!xml::language_of(n).empty()) ++languages;
    }
    for (const auto& list : item.elements) {
        values += list.size();
        kept_languages += static_cast<std::size_t>(std::count_if(
            list.begin(), list.end(), [](const load::Value& v) { return !v.language.empty(); }));
    }
    return elements == values && languages == kept_languages;
}

// The values of dc:identifier as xslt/library/oai_dc.xsl writes them.
std::multiset<std::string> served_identifiers(const load::Item& item) {
    std::multiset<std::string> out;
    if (!item.landing_page.empty()) out.insert(item.landing_page);
    if (!item.doi.empty()) out.insert("https://doi.org/" + item.doi);
    if (!item.urn.empty()) out.insert(item.urn);
    for (const load::Value& value : item[Element::identifier]) {
        const bool again = value.text == item.landing_page || value.text == item.urn ||
                           (!item.doi.empty() && value.text.find(item.doi) != std::string::npos);
        if (!again) out.insert(value.text);
    }
    return out;
}

bool keeps_identifiers(const load::Item& item) {
    std::multiset<std::string> given;
    for (const load::Value& value : item[Element::identifier]) given.insert(value.text);
    return !given.empty() && given == served_identifiers(item);
}

constexpr std::string_view kProvenance = "http://www.openarchives.org/OAI/2.0/provenance";

const xmlNode* child(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = parent->children; n != nullptr; n = n->next)
        if (xml::is_element(n) && xml::namespace_of(n) == kProvenance && xml::name_of(n) == name)
            return n;
    return nullptr;
}

void append_element(std::string& out, std::string_view name, std::string_view text) {
    out.append("<").append(name).append(">");
    xml::append_text(out, text);
    out.append("</").append(name).append(">");
}

// For one stylesheet over one record, which usually takes some 0.1 ms.
constexpr std::chrono::milliseconds kTimeout{1000};
constexpr const char* kDublinCore = "http://www.openarchives.org/OAI/2.0/oai_dc/";

std::string text_of(const xmlDoc* document) {
    std::string out;
    xml::append_node(out, xmlDocGetRootElement(document));
    return out;
}

bool is_oai_dc(const xmlDoc* document) {
    return xmlDocGetRootElement(document) != nullptr &&
           xml::root_namespace(document) == kDublinCore;
}

using harvest::ListPosition;

constexpr std::size_t kBatchBytes = std::size_t{32} << 20;
constexpr std::int64_t kMaxPrintedRefusals = 20;
// A base URL that the whole world may read in the provenance of records.
std::string without_password(std::string url) {
    const auto scheme = url.find("://");
    const auto begin = scheme == url.npos ? 0 : scheme + 3;
    const auto end = std::min(url.find_first_of("/?#", begin), url.size());
    const auto at = url.rfind('@', end);
    if (at != url.npos && at >= begin && at < end) url.erase(begin, at + 1 - begin);
    return url;
}

constexpr const char* kDescriptionNamespace = "http://www.openarchives.org/OAI/2.0/oai_dc/";

}  // namespace

std::string our_local_id(const Source& source, std::string_view identifier) {
    return load::local_id_of(std::string(source.name).append("/").append(identifier));
}

std::string their_local_id(std::string_view identifier) {
    return load::local_id_from_elsewhere(identifier);
}

std::vector<std::string> collections_of(const Source& source,
                                        std::span<const std::string> set_specs) {
    std::vector<std::string> names;
    for (const std::string& spec : set_specs) {
        const std::string path = load::set_path(spec);
        const std::string name = source.name + ":" + path;
        if (!path.empty() && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    if (names.empty()) names.push_back(source.name);
    return names;
}

bool describe(const xmlDoc* oai_dc, load::Item& item) {
    const xmlNode* root = xmlDocGetRootElement(oai_dc);
    load::read_dublin_core(root, item);
    load::complete(item);
    return is_whole(root, item) && keeps_identifiers(item);
}

std::string find_origin(std::span<const std::string> abouts) {
    for (const std::string& about : abouts) {
        if (about.find(kProvenance) == about.npos) continue;
        try {
            const xml::DocumentHandle document = xml::parse_memory(about, "about");
            const xmlNode* root = xmlDocGetRootElement(document.get());
            if (xml::namespace_of(root) != kProvenance || xml::name_of(root) != "provenance")
                continue;
            if (const xmlNode* origin = child(root, "originDescription"))
                return xml::document_text(origin);
        } catch (const xml::Error&) {  // nothing of it could be passed on
        }
    }
    return "";
}

std::string origin_description(const Origin& origin, std::string_view before) {
    if (!parse_datestamp(origin.datestamp) || !parse_datestamp(origin.harvest_date)) return "";
    std::string out = "<originDescription xmlns=\"";
    out.append(kProvenance).append("\" harvestDate=\"").append(origin.harvest_date);
    out.append("\" altered=\"").append(origin.altered ? "true" : "false").append("\">");
    append_element(out, "baseURL", origin.base_url);
    append_element(out, "identifier", origin.identifier);
    append_element(out, "datestamp", origin.datestamp);
    append_element(out, "metadataNamespace", origin.metadata_namespace);
    return out.append(before).append("</originDescription>");
}

Normaliser::Normaliser(const std::string& directory, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const auto known = names_in(directory);
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw std::runtime_error(directory + ": there is no " + name +
                                     ".xsl to normalise with");
        stylesheets_.push_back(transform::Stylesheet::compile(directory + "/" + name + ".xsl"));
    }
}

Normaliser::NormalisedRecord Normaliser::normalise(xml::DocumentHandle oai_dc) const {
    if (stylesheets_.empty()) return {std::move(oai_dc), false};
    const std::string before = text_of(oai_dc.get());
    for (const transform::Stylesheet& stylesheet : stylesheets_) {
        oai_dc = stylesheet.apply(oai_dc.get(), kTimeout);
        if (!is_oai_dc(oai_dc.get()))
            throw xml::Error(stylesheet.path() + ": makes something else than oai_dc");
    }
    const bool altered = text_of(oai_dc.get()) != before;
    return {std::move(oai_dc), altered};
}

std::vector<std::string> Normaliser::names_in(const std::string& directory) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
        if (entry.path().extension() == ".xsl") names.push_back(entry.path().stem().string());
    if (error) throw std::runtime_error(directory + ": " + error.message());
    std::sort(names.begin(), names.end());
    return names;
}

DatabaseSink::DatabaseSink(pg::Connection& connection, const Source& source,
                           const Normaliser& normaliser, harvest::HarvestListener& listener,
                           DatabaseSinkOptions options)
    : connection_(connection),
      source_(source),
      normaliser_(normaliser),
      listener_(listener),
      options_(std::move(options)),
      writer_(connection, source, options_.deletes_all),
      base_url_(without_password(source.base_url)),
      title_(source.name) {
    load_newest();
}

void DatabaseSink::load_newest() {
    const pg::Result row = connection_.query(
        queries::kNewestRecord, pg::Parameters().add(source_.id).add(kDescriptionPrefix));
    if (row.rows() > 0)
        newest_before_ = {std::string(row.bytes(0, 0)), std::string(row.bytes(0, 1))};
}

std::optional<harvest::KnownRecord> DatabaseSink::unmet_newest() const {
    if (newest_before_.identifier.empty() || newest_met_) return std::nullopt;
    return harvest::KnownRecord{kDescriptionPrefix, newest_before_.identifier,
                                newest_before_.datestamp};
}

// A datestamp that is none would stay the newest for ever.
void DatabaseSink::note_newest(const harvest::Record& record) {
    newest_met_ |= record.identifier == newest_before_.identifier;
    if (record.datestamp >= newest_.datestamp && parse_datestamp(record.datestamp))
        newest_ = {record.identifier, record.datestamp};
}

void DatabaseSink::identity(const harvest::RepositoryIdentity& identity) {
    wait_for_writer();
    base_url_ = without_password(identity.base_url.empty() ? identity.address : identity.base_url);
    if (!identity.name.empty()) title_ = identity.name;
    deleted_record_ = identity.deleted_record;
    const pg::Result before =
        connection_.query(queries::kIdentity, pg::Parameters()
                                                  .add(source_.id)
                                                  .add(identity.name)
                                                  .add(identity.base_url)
                                                  .add(identity.granularity)
                                                  .add(identity.deleted_record)
                                                  .add(identity.earliest_datestamp)
                                                  .add(pg::array_literal(identity.admin_emails))
                                                  .add(pg::array_literal(identity.friends)));
    const bool was_days = before.rows() > 0 && before.bytes(0, 0).size() == 10;
    had_days_ = was_days && identity.has_seconds();
}

void DatabaseSink::sets(std::span<const harvest::SetInfo> sets) {
    wait_for_writer();
    std::vector<std::string> specs, names;
    for (const harvest::SetInfo& set : sets) {
        specs.push_back(load::set_path(set.spec));
        names.push_back(set.name.empty() ? set.spec : set.name);
    }
    const std::string all = pg::array_literal(specs);
    connection_.query(queries::kSets,
                      pg::Parameters().add(source_.id).add(all).add(pg::array_literal(names)));
    connection_.query(queries::kNoteLostSets, pg::Parameters().add(source_.id).add(all));
}

std::optional<ListPosition> DatabaseSink::unfinished(const std::string& prefix,
                                                     const std::string& set_spec) {
    flush();
    const pg::Result row =
        connection_.query(queries::kUnfinished, list_key(source_, prefix, set_spec));
    if (row.rows() == 0) return std::nullopt;
    ListPosition position;
    position.list = {prefix, set_spec, std::string(row.bytes(0, 0)), std::string(row.bytes(0, 1))};
    position.token = row.bytes(0, 2);
    position.response_date = row.bytes(0, 3);
    position.records = pg::read_integer(row.bytes(0, 4));
    position.pages = pg::read_integer(row.bytes(0, 5));
    if (!row.is_null(0, 6)) position.list_size = pg::read_integer(row.bytes(0, 6));
    position.pages_missing = pg::read_integer(row.bytes(0, 7));
    walk_ = pg::read_integer(row.bytes(0, 8));
    position.counts = harvest::read_counts(std::string(row.bytes(0, 9)));
    newest_ = {std::string(row.bytes(0, 10)), std::string(row.bytes(0, 11))};
    position_ = position;
    return position;
}

std::optional<std::string> DatabaseSink::last_complete(const std::string& prefix,
                                                       const std::string& set_spec) {
    wait_for_writer();
    const pg::Result row =
        connection_.query(queries::kLastComplete, list_key(source_, prefix, set_spec));
    if (row.rows() == 0) return std::nullopt;
    // What changed after the last harvest on that day, when there were only days, may now have the
    // first second of the day.
    return std::string(row.bytes(0, 0)).substr(0, had_days_ ? 10 : std::string::npos);
}

void DatabaseSink::begin(const ListPosition& start) {
    flush();
    walk_ = pg::read_integer(connection_.query(queries::kNewWalk).bytes(0, 0));
    position_ = start;
    newest_ = start.list.from.empty() ? NewestRecord{} : newest_before_;
    write(WalkEnd::none);
    wait_for_writer();
}

void DatabaseSink::take(std::span<const harvest::Record> records, const ListPosition& after) {
    for (const harvest::Record& record : records) gather(record, after.list.prefix);
    position_ = after;  // only now that all of the page is gathered
    position_changed_ = true;
    const bool full = batch_.size() >= static_cast<std::size_t>(options_.batch_records) ||
                      batch_.bytes() >= kBatchBytes;
    if (full) write(WalkEnd::none);
}

void DatabaseSink::finish(const ListPosition& end) {
    position_ = end;
    write(WalkEnd::complete);
    wait_for_writer();
}

void DatabaseSink::abandon(const ListPosition& end) {
    position_ = end;
    write(WalkEnd::incomplete);
    wait_for_writer();
}

void DatabaseSink::flush() {
    if (position_changed_) write(WalkEnd::none);
    wait_for_writer();
}

// A batch is written while the next one is gathered.
void DatabaseSink::write(WalkEnd ending) {
    wait_for_writer();
    writing_ =
        std::async(std::launch::async,
                   [this, work = BatchJob{std::exchange(batch_, {}), position_, walk_, ending,
                                          title_, std::exchange(refused_ids_, {}),
                                          newest_}]() mutable { return writer_.write(work); });
    position_changed_ = false;
}

// Waits until this thread may use the connection again. What was gathered after a batch that could
// not be written is dropped, so that no position is stored behind records that are not there.
void DatabaseSink::wait_for_writer() {
    if (!writing_.valid()) return;
    WriteCounts counts;
    try {
        counts = writing_.get();
    } catch (...) {
        batch_.clear();
        refused_ids_.clear();
        position_changed_ = false;
        throw;
    }
    for (const WriteCounts::Refusal& refusal : std::exchange(counts.refusals, {}))
        refuse(refusal.identifier, refusal.why);
    counts_ += counts;
}

void DatabaseSink::refuse(const std::string& identifier, const std::string& why) {
    if (++counts_.refused <= kMaxPrintedRefusals) listener_.note(identifier + ": " + why);
}

// Refuses a record that cannot be kept, and remembers that the source has it.
void DatabaseSink::pass_over(const harvest::Record& record, const HarvestedRecord& gathered,
                             const std::string& why) {
    refuse(record.identifier, why);
    if (source_.delete_missing)
        refused_ids_.insert(refused_ids_.end(), {gathered.item.local_id, gathered.other_local_id});
}

// If records keep their identifiers, ours is noted beside, for the case that another source has the
// same. None is chosen if either is too long.
void DatabaseSink::choose_local_id(const harvest::Record& record, HarvestedRecord& out) {
    const std::string ours = our_local_id(source_, record.identifier);
    out.item.local_id = source_.their_identifiers ? their_local_id(record.identifier) : ours;
    if (source_.their_identifiers) out.other_local_id = ours;
    if (ours.empty()) out.item.local_id = "";
}

void DatabaseSink::gather(const harvest::Record& record, const std::string& prefix) {
    if (record.identifier.starts_with(options_.own_prefix))
        return refuse(record.identifier, "comes from this repository");
    if (prefix == kDescriptionPrefix) note_newest(record);
    HarvestedRecord out;
    choose_local_id(record, out);
    if (out.item.local_id.empty())
        return refuse(record.identifier, "an identifier that is too long");
    out.identifier = record.identifier;
    out.datestamp = record.datestamp;
    out.deleted = record.deleted;
    out.item.collections = collections_of(source_, record.set_specs);
    out.item.all_collections = !record.deleted || !record.set_specs.empty();
    out.item.all_payloads = false;
    out.item.deleted = record.deleted;
    try {
        if (!record.deleted && record.metadata.empty())
            throw xml::Error("no metadata, and it is not deleted");
        if (prefix == kDescriptionPrefix)
            gather_description(record, out);
        else
            gather_payload(record, out);
        batch_.add(std::move(out));
    } catch (const xml::Error& e) {
        pass_over(record, out, e.what());
    }
}

void DatabaseSink::gather_description(const harvest::Record& record, HarvestedRecord& out) {
    if (record.deleted) return;
    Normaliser::NormalisedRecord normal;
    try {
        normal = normaliser_.normalise(xml::parse_memory(record.metadata, "metadata"));
    } catch (const xml::Error& e) {
        normal = {xml::parse_memory(record.metadata, "metadata"), false};
        listener_.note(record.identifier + ": is kept as it came: " + e.what());
    }
    const bool whole = describe(normal.document.get(), out.item);
    out.item.origin = origin_of(record, kDescriptionNamespace, normal.altered || !whole);
}

void DatabaseSink::gather_payload(const harvest::Record& record, HarvestedRecord& out) {
    if (record.deleted) return;
    out.payload = record.metadata;
    out.payload_namespace =
        xml::root_namespace(xml::parse_memory(record.metadata, "metadata").get());
    out.origin = origin_of(record, out.payload_namespace, false);
}

std::string DatabaseSink::origin_of(const harvest::Record& record, std::string_view name_space,
                                    bool altered) const {
    return origin_description({.base_url = base_url_,
                               .identifier = record.identifier,
                               .datestamp = record.datestamp,
                               .metadata_namespace = name_space,
                               .harvest_date = record.response_date,
                               .altered = altered},
                              find_origin(record.abouts));
}

}  // namespace oai::aggregate
