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
    lock_ = for_one(directory_, false);
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
        if (!time || !is_place(words[3]) || !fs::exists(directory_ + "/" + std::string(words[3]))) continue;
        Entry entry{std::string(words[0]), std::string(words[3]), std::string(words[4]),
                    std::string(words[2]), time->first};
        note(tree_key(words[4]), std::move(entry));
        (sound += line) += '\n';
    }
    in.close();
    if (fs::exists(directory_ + kList)) write_whole(directory_ + kList, directory_ + kBeside, sound);
}

// One of another media type had another place: that is given up. True if there was an older one.
bool Tree::note(const std::string& key, Entry entry) {
    const auto [known, fresh] = entries_.try_emplace(key);
    const std::string before = known->second.place;
    if (!fresh && before != entry.place) {
        refuse_links(before);
        fs::remove(directory_ + "/" + before);
        key_at_.erase(text::lower_ascii(before));
    }
    key_at_[text::lower_ascii(entry.place)] = &known->first;
    done_.insert(entry.identifier);
    known->second = std::move(entry);
    return !fresh;
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
    const auto is_taken = [&] {
        const auto other = key_at_.find(text::lower_ascii(place));
        return other != key_at_.end() && *other->second != key;
    };
    for (int n = 2; is_taken(); ++n) place = wanted.substr(0, dot) + "-" + std::to_string(n) + wanted.substr(dot);
    return place;
}

bool Tree::put(const Document& document, std::string_view bytes) {
    const std::string key = tree_key(document.url);
    Entry entry{document.identifier, free_place(document, key), document.url, document.media_type,
                document.time};
    refuse_links(entry.place);  // before anything is made behind one
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
    refuse_links(place);
    write_whole(directory_ + "/" + place, directory_ + kBeside, bytes);
}

// Directories on the way to it. The name of the tree itself is its owner's affair.
void Tree::refuse_links(const std::string& place) const {
    for (auto slash = place.find('/'); slash != place.npos; slash = place.find('/', slash + 1)) {
        const std::string directory = directory_ + "/" + place.substr(0, slash);
        if (fs::is_symlink(directory)) throw std::runtime_error(directory + " is a symbolic link");
    }
}

}  // namespace oai::recover
