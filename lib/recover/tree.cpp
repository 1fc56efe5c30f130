// SPDX-License-Identifier: MIT
#include "recover/tree.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "base/text.h"
#include "datestamp.h"
#include "recover/file.h"
#include "recover/place.h"

namespace oai::recover {
namespace {

namespace fs = std::filesystem;

// Their names cannot be a host's.
constexpr const char* kList = "/.recovered.tsv";
constexpr const char* kRewritten = "/.rewritten.tsv";
constexpr const char* kBeside = "/.recovering";
constexpr std::size_t kDigestBytes = 16;

std::string without_tabs(std::string s) {
    for (char& c : s)
        if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    return s;
}

std::string line_of(const std::string& place, std::string_view bytes) {
    std::array<unsigned char, kDigestBytes> digest{};
    crypto_generichash(digest.data(), digest.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
    std::string line = place + '\t';
    for (const unsigned char byte : digest) line += fmt::format("{:02x}", byte);
    return line;
}

}  // namespace

Tree::Tree(const std::string& directory) : directory_(directory) {
    fs::create_directories(directory_);
    if (!fs::exists(directory_ + kList) && !fs::is_empty(directory_))
        throw std::runtime_error(
            directory_ + " holds other files: name an empty directory, or one of an earlier recovery");
    read_list();
    read_rewritten();
    list_.open(directory_ + kList, std::ios::app);
    if (!list_) throw std::runtime_error(directory_ + kList + " cannot be written");
}

// identifier, time, media type, place, URL. The last line may be cut off: its document is then fetched again.
void Tree::read_list() {
    std::ifstream in(directory_ + kList);
    std::string line, sound;
    while (std::getline(in, line) && !in.eof()) {
        const auto words = text::split(line, '\t');
        const auto time = words.size() == 5 ? parse_datestamp(words[1]) : std::nullopt;
        if (!time || !fs::exists(directory_ + "/" + std::string(words[3]))) continue;
        Entry entry{std::string(words[0]), std::string(words[3]), std::string(words[4]),
                    std::string(words[2]), time->first};
        note(tree_key(words[4]), std::move(entry));
        (sound += line) += '\n';
    }
    in.close();
    if (!sound.empty()) write_whole(directory_ + kList, directory_ + kBeside, sound);
}

// One of another media type had another place: that is given up. True if there was an older one.
bool Tree::note(const std::string& key, Entry entry) {
    const auto before = entries_.find(key);
    const bool older = before != entries_.end();
    if (older && before->second.place != entry.place) {
        fs::remove(directory_ + "/" + before->second.place);
        key_at_.erase(before->second.place);
    }
    key_at_[entry.place] = key;
    done_.insert(entry.identifier);
    entries_[key] = std::move(entry);
    return older;
}

bool Tree::has(const std::string& identifier) const { return done_.contains(identifier); }

bool Tree::has_newer(const Document& document) const {
    const auto entry = entries_.find(tree_key(document.url));
    return entry != entries_.end() && entry->second.time >= document.time &&
           entry->second.identifier != document.identifier;
}

// A second document at the same place gets a number before its ending.
std::string Tree::free_place(const Document& document, const std::string& key) const {
    const std::string wanted = place_of(document.url, document.media_type);
    std::string place = wanted;
    const auto dot = wanted.rfind('.');
    for (int n = 2; key_at_.contains(place) && key_at_.at(place) != key; ++n)
        place = wanted.substr(0, dot) + "-" + std::to_string(n) + wanted.substr(dot);
    return place;
}

bool Tree::put(const Document& document, std::string_view bytes) {
    const std::string key = tree_key(document.url);
    Entry entry{document.identifier, free_place(document, key), document.url, document.media_type,
                document.time};
    fs::create_directories(fs::path(directory_ + "/" + entry.place).parent_path());
    replace(entry.place, bytes);
    list_ << without_tabs(entry.identifier) << '\t' << print_datestamp(entry.time) << '\t'
          << without_tabs(entry.media_type) << '\t' << entry.place << '\t' << without_tabs(entry.url) << '\n'
          << std::flush;
    if (!list_) throw std::runtime_error(directory_ + kList + " cannot be written");
    return note(key, std::move(entry));
}

std::string Tree::read(const std::string& place) const {
    std::ifstream in(directory_ + "/" + place, std::ios::binary);
    if (!in) throw std::runtime_error(directory_ + "/" + place + " cannot be read");
    return {std::istreambuf_iterator<char>(in), {}};
}

// Lines of what was replaced since, or cut off, do no harm.
void Tree::read_rewritten() {
    std::ifstream in(directory_ + kRewritten);
    for (std::string line; std::getline(in, line);) rewritten_.insert(line);
}

void Tree::rewrite(const std::string& place, std::string_view bytes) {
    const std::string line = line_of(place, bytes);
    std::ofstream list(directory_ + kRewritten, std::ios::app);
    list << line << '\n' << std::flush;
    if (!list) throw std::runtime_error(directory_ + kRewritten + " cannot be written");
    replace(place, bytes);
    rewritten_.insert(line);
}

bool Tree::is_rewritten(const std::string& place, std::string_view bytes) const { return rewritten_.contains(line_of(place, bytes)); }

void Tree::replace(const std::string& place, std::string_view bytes) const {
    write_whole(directory_ + "/" + place, directory_ + kBeside, bytes);
}

}  // namespace oai::recover
