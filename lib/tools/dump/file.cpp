// SPDX-License-Identifier: MIT
#include "tools/dump/file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/text.h"
#include "web/response.h"
#include "xml/document.h"
#include "xml/push_parser.h"

namespace oai::dump {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRecord = "<record><header";

Fd create(const std::string& path) {
    Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) fail(path);
    return file;
}

// From PATH.part to PATH, so that it survives a power failure.
void make_durable(Fd& file, const std::string& path) {
    const std::string part = path + ".part";
    if (::fsync(file.get()) != 0 || !file.close()) fail(part);
    if (std::rename(part.c_str(), path.c_str()) != 0) fail(path);
    const Fd directory(::open(path.substr(0, path.rfind('/') + 1).c_str(), O_RDONLY | O_CLOEXEC));
    if (directory.get() < 0 || ::fsync(directory.get()) != 0) fail(path);
}

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

void fail(const std::string& path) { throw std::runtime_error(path + ": " + std::strerror(errno)); }

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

void replace_file(const std::string& path, std::string_view text) {
    Fd file = create(path + ".part");
    if (!write_all(file, text)) fail(path + ".part");
    make_durable(file, path);
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)), out_(create(path_ + ".part")) {}

OutputFile::~OutputFile() {
    if (out_) ::unlink((path_ + ".part").c_str());
}

void OutputFile::add(std::string_view text) {
    const std::string member = gzip_compress(text, text.size() / 8 + 1024).value();
    if (!write_all(out_, member)) fail(path_ + ".part");
    sum_.add(member);
    bytes_ += static_cast<std::int64_t>(member.size());
}

std::string OutputFile::finish() {
    make_durable(out_, path_);
    return sum_.hex();
}

std::string OutputFile::name() const { return path_.substr(path_.rfind('/') + 1); }

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
    const std::size_t last = records.rfind("\n" + std::string(kRecord));
    const auto datestamp_at = [&](std::size_t at) {
        return std::string(records.substr(records.find(kTag, at) + kTag.size(), kBytes));
    };
    if (!file.contains("first")) file["first"] = datestamp_at(0);
    file["last"] = datestamp_at(last == records.npos ? 0 : last);
}

}  // namespace oai::dump
