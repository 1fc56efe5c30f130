// SPDX-License-Identifier: MIT
#include "tools/dump/file.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "web/response.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::dump {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRecord = "<record><header";

template <class Node>  // an element or an attribute
std::string qualified_name(const Node* node) {
    std::string name(xml::view(node->name));
    if (node->ns == nullptr || node->ns->prefix == nullptr) return name;
    return std::string(xml::view(node->ns->prefix)) + ":" + name;
}

Json value_of(const xmlNode* element) {
    Json object = Json::object();
    for (const xmlAttr* a = element->properties; a != nullptr; a = a->next) {
        if (xml::view(a->name) == "schemaLocation") continue;
        const xml::StringHandle value(xmlNodeGetContent(reinterpret_cast<const xmlNode*>(a)));
        object["@" + qualified_name(a)] = xml::view(value.get());
    }
    std::string text;
    for (const xmlNode* n = element->children; n != nullptr; n = n->next)
        if (xml::is_element(n))
            object[qualified_name(n)].push_back(value_of(n));
        else
            text += xml::view(n->content);
    if (object.empty()) return text;
    if (!text::trim(text).empty()) object["#text"] = text;
    return object;
}

Json json_of(const xmlNode* record) {
    Json json = Json::object();
    for (const xmlNode* part : xml::children_of(record)) {
        const std::string_view name = xml::name_of(part);
        if (name == "header") {
            json = {{"identifier", ""}, {"datestamp", ""}, {"deleted", false}};
            json["deleted"] = xml::attribute_of(part, "status") == "deleted";
            json["sets"] = Json::array();
            for (const xmlNode* n : xml::children_of(part))
                if (xml::name_of(n) == "setSpec")
                    json["sets"].push_back(xml::text_of(n));
                else
                    json[std::string(xml::name_of(n))] = xml::text_of(n);
        }
        const xmlNode* const inside = xml::child_of(part);
        if (name == "metadata" && inside != nullptr) json["metadata"] = value_of(inside);
        if (name == "about" && inside != nullptr)
            json["about"].push_back({{qualified_name(inside), value_of(inside)}});
    }
    return json;
}

}  // namespace

void Checksum::add(std::string_view bytes) {
    crypto_hash_sha256_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                              bytes.size());
}

std::string Checksum::hex() {
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_final(&state_, sum);
    char hex[2 * sizeof sum + 1];
    return sodium_bin2hex(hex, sizeof hex, sum, sizeof sum);
}

void OutputFile::add(std::string_view text) {
    const std::string member = gzip_compress(text, text.size() / 8 + 1024).value();
    out_.write(member);
    sum_.add(member);
    bytes_ += static_cast<std::int64_t>(member.size());
}

std::string OutputFile::finish() {
    out_.finish();
    return sum_.hex();
}

std::string OutputFile::name() const { return out_.path().substr(out_.path().rfind('/') + 1); }

std::string json_lines(std::string_view records) {
    const xml::DocumentHandle document =
        xml::parse_memory("<r>" + std::string(records) + "</r>", "records");
    std::string lines;
    for (const xmlNode* n : xml::children_of(xmlDocGetRootElement(document.get())))
        lines += json_of(n).dump() + "\n";
    return lines;
}

std::int64_t count_deleted(std::string_view records) {
    constexpr std::string_view kDeleted = "<record><header status=\"deleted\">";
    std::int64_t count = 0;
    for (std::size_t at = 0; (at = records.find(kDeleted, at)) != records.npos; ++at)
        count += at == 0 || records[at - 1] == '\n';
    return count;
}

void note_datestamps(std::string_view records, Json& file) {
    constexpr std::string_view kTag = "<datestamp>";
    constexpr std::size_t kBytes = std::string_view("2026-01-01T00:00:00Z").size();
    const std::size_t last = records.rfind(std::string("\n").append(kRecord));
    const auto datestamp_at = [&](std::size_t at) {
        return std::string(records.substr(records.find(kTag, at) + kTag.size(), kBytes));
    };
    if (!file.contains("first")) file["first"] = datestamp_at(0);
    file["last"] = datestamp_at(last == records.npos ? 0 : last);
}

}  // namespace oai::dump
