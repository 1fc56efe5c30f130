// SPDX-License-Identifier: MIT
// Reads dumps and proves them, without a database.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/new_file.h"
#include "tools/dump/dump.h"
#include "tools/harvest/answer.h"
#include "tools/load/input.h"
#include "xml/document.h"

namespace oai::dump {
namespace {

using Json = nlohmann::ordered_json;

// Calls take() with the content of each member of gzip.
void read_members(const std::string& path, const std::function<void(std::string)>& take) {
    load::Input input = load::Input::open(path);
    std::string member;
    for (std::string_view window; !(window = input.peek(1)).empty();) {
        const std::vector<std::size_t> starts = input.member_starts(window.size());
        const std::size_t bytes = starts.empty() ? window.size() : starts.front();
        member += window.substr(0, bytes);
        input.consume(bytes);
        if (!input.peek(1).empty() && input.at_member_start()) take(std::exchange(member, ""));
    }
    if (!input.broken().empty()) throw std::runtime_error(input.broken());
    take(member);
}

// Calls take() with the records of an XML file, page by page.
template <class Take>
void read_pages(const std::string& path, const Take& take) {
    std::string head;
    constexpr std::string_view kEnd = "</ListRecords>\n</OAI-PMH>\n";
    read_members(path, [&](const std::string& member) {
        if (head.empty())
            head = member;
        else if (member != kEnd)
            take(harvest::read_answer(head + member + std::string(kEnd)));
    });
}

// Throws unless the parts go on from each other.
DumpList list_of(const Json& json, const std::string& base_url) {
    DumpList list{json.at("metadataPrefix"), base_url, json.at("responseDate"), 0, {}};
    const auto refuse = [&](const std::string& why) {
        throw std::runtime_error(list.prefix + ": " + why);
    };
    std::int64_t number = 0;
    for (const Json& part : json.at("parts")) {
        const std::int64_t from = part.at("from"), to = part.at("to");
        if ((part.at("kind") == "whole") != (&part == &json.at("parts").front()))
            refuse("a whole dump is the first part, and no other is");
        if (from != number)
            refuse(fmt::format("the numbers behind {} are missing: the next part begins behind {}",
                               number, from));
        list.records += part.at("records").get<std::int64_t>();
        for (const Json& file : part.at("files")) {
            DumpFile known{file.at("name"),    file.at("form"),    file.at("sha256"),
                           file.at("records"), file.at("deleted"), file.at("bytes")};
            if (file.at("from") < from || file.at("to") > to)
                refuse(known.name + " has numbers of another part");
            if (known.name.find('/') != known.name.npos || known.name.starts_with('.'))
                throw std::runtime_error(known.name + ": no name of a file of a dump");
            list.files.push_back(std::move(known));
        }
        number = to;
    }
    if (json.at("number") != number) refuse("the parts do not reach the number of the list");
    return list;
}

std::string checksum_of_file(const std::string& path) {
    const load::FilePart file = load::FilePart::whole(path);
    std::string block(std::size_t{1} << 20, '\0');
    Checksum sum;
    for (std::uint64_t at = 0; at < file.size;) {
        const std::size_t n = file.read_at(at, block.data(), block.size());
        sum.add(std::string_view(block).substr(0, n));
        at += n;
    }
    return sum.hex();
}

// Where the files of a dump are.
class DumpPlace {
  public:
    DumpPlace(std::string place, http::ClientOptions options, harvest::HarvestListener& listener)
        : place_(std::move(place)), options_(std::move(options)), listener_(listener) {
        while (place_.ends_with('/')) place_.pop_back();
        if (place_.ends_with("/manifest.json")) place_.resize(place_.rfind('/'));
    }
    // The path where its content is; that of the file before is gone then.
    std::string path_of(const std::string& name, std::int64_t bytes) {
        if (place_.find("://") == place_.npos) return place_ + "/" + name;
        copy_ = load::temporary_file();
        options_.max_bytes = bytes;
        options_.limit_name = "";
        options_.timeout = {};  // however large it is
        http::Client client(options_);
        http::RetryingClient retrying(
            client, {},
            [&](std::chrono::seconds time, const auto& why) { listener_.wait(time, why); });
        const auto begin = [&](const http::ClientResponse&) {
            if (::ftruncate(copy_.get(), 0) != 0 || ::lseek(copy_.get(), 0, SEEK_SET) != 0)
                fail_at(name);
        };
        const auto take = [&](std::string_view piece) {
            load::write_temporary(copy_, piece);
            return true;
        };
        const auto answer = retrying.send({.url = place_ + "/" + name}, {begin, take});
        if (answer.status != 200)
            throw std::runtime_error(
                fmt::format("{}/{}: HTTP status {}", place_, name, answer.status));
        return fmt::format("/proc/self/fd/{}", copy_.get());
    }
    const std::string& name() const { return place_; }

  private:
    std::string place_;
    http::ClientOptions options_;
    harvest::HarvestListener& listener_;
    Fd copy_{};
};

// One list, whose later records replace the earlier ones.
std::int64_t take_list(DumpPlace& place, const DumpList& list, harvest::Sink& sink,
                       harvest::HarvestListener& listener) {
    harvest::ListPosition position;
    position.list.prefix = list.prefix;
    position.response_date = list.response_date;
    sink.begin(position);
    for (const DumpFile& file : list.files) {
        if (file.form != "xml") continue;
        const std::string path = place.path_of(file.name, file.bytes);
        if (checksum_of_file(path) != file.sha256)
            throw std::runtime_error(place.name() + "/" + file.name + ": its SHA-256 is another");
        read_pages(path, [&](const harvest::ParsedAnswer& page) {
            position.records += std::ssize(page.records);
            for (const harvest::Record& record : page.records)
                position.counts.deleted += record.deleted;
            ++position.pages;
            sink.take(page.records, position);
            listener.on_page(position);
        });
    }
    sink.finish(position);
    return position.records;
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

std::vector<DumpList> read_manifest(const std::string& json) {
    try {
        const Json manifest = Json::parse(json);
        if (manifest.at("manifest") != kVersion)
            throw std::runtime_error("a manifest of another version; this program reads " +
                                     std::to_string(kVersion));
        std::vector<DumpList> lists;
        for (const Json& list : manifest.at("lists"))
            lists.push_back(list_of(list, manifest.at("baseURL")));
        return lists;
    } catch (const Json::exception& e) {
        throw std::runtime_error(std::string("no manifest of a dump: ") + e.what());
    }
}

std::int64_t begin_harvest(const std::string& address, const http::ClientOptions& client,
                           const harvest::RepositoryIdentity& identity,
                           const std::vector<std::string>& prefixes, harvest::Sink& sink,
                           harvest::HarvestListener& listener) {
    constexpr std::int64_t kMaxManifestBytes = 64 << 20;
    DumpPlace place(address, client, listener);
    const auto lists =
        read_manifest(xml::read_file(place.path_of("manifest.json", kMaxManifestBytes)));
    std::int64_t records = 0;
    for (const std::string& prefix : prefixes) {
        if (sink.last_complete(prefix, "") || !sink.format_fault(prefix).empty()) continue;
        const auto list = std::find_if(lists.begin(), lists.end(),
                                       [&](const DumpList& l) { return l.prefix == prefix; });
        if (list == lists.end())
            throw std::runtime_error(place.name() + ": there is no list of " + prefix);
        if (list->base_url != identity.base_url)
            throw std::runtime_error(place.name() + ": a dump of " + list->base_url);
        if (std::none_of(list->files.begin(), list->files.end(),
                         [](const DumpFile& file) { return file.form == "xml"; }))
            throw std::runtime_error(place.name() + ": there is no XML of " + prefix);
        records += take_list(place, *list, sink, listener);
    }
    return records;
}

std::string fault_of(const std::string& path, const DumpFile& file) try {
    if (checksum_of_file(path) != file.sha256) return path + ": its SHA-256 is another";
    std::int64_t records = 0, deleted = 0;
    if (file.form == "xml") {
        read_pages(
            path,
            [&](const harvest::ParsedAnswer& page) {
                records += static_cast<std::int64_t>(page.records.size());
                for (const harvest::Record& record : page.records) deleted += record.deleted;
            });
    } else {
        read_members(
            path,
            [&](const std::string& member) {
                for (std::size_t at = 0, end; (end = member.find('\n', at)) != member.npos;
                     at = end + 1) {
                    ++records;
                    deleted += Json::parse(member.substr(at, end - at)).at("deleted").get<bool>();
                }
            });
    }
    if (records == file.records && deleted == file.deleted) return "";
    return fmt::format("{}: {} records, {} of them deleted, where the manifest has {} and {}", path,
                       records, deleted, file.records, file.deleted);
} catch (const std::exception& e) {
    return path + ": " + e.what();
}

}  // namespace oai::dump
