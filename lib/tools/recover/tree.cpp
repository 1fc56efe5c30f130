// SPDX-License-Identifier: MIT
#include "tools/recover/tree.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <filesystem>
#include <iterator>
#include <stdexcept>

#include "base/text.h"
#include "protocol/datestamp.h"
#include "tools/recover/file.h"
#include "tools/recover/place.h"

namespace oai::recover {
namespace {

namespace fs = std::filesystem;

// No host has such a name, so no document can have the same place.
constexpr const char* kList = "/.recovered.tsv";
constexpr const char* kRewritten = "/.rewritten.tsv";
constexpr const char* kTemporary = "/.recovering";
constexpr std::size_t kDigestBytes = 16;

std::string replace_tabs(std::string s) {
    for (char& c : s)
        if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    return s;
}

std::string rewritten_line(const std::string& place, std::string_view bytes) {
    std::array<unsigned char, kDigestBytes> digest{};
    crypto_generichash(digest.data(), digest.size(),
                       reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr,
                       0);
    std::string line = place + '\t';
    for (const unsigned char byte : digest) line += fmt::format("{:02x}", byte);
    return line;
}

}  // namespace

Tree::Tree(const std::string& directory) : directory_(directory) {
    fs::create_directories(directory_);
    lock_ = lock_exclusively(directory_, false);
    if (!fs::exists(directory_ + kList) && !fs::is_empty(directory_))
        throw std::runtime_error(
            directory_ +
            " holds other files: name an empty directory, or one of an earlier recovery");
    read_list();
    read_rewritten();
    list_.open(directory_ + kList, std::ios::app);
    if (!list_) throw std::runtime_error(directory_ + kList + " cannot be written");
}

// Columns: identifier, time, media type, place, URL, and how_column(). The last line may be
// truncated; its document is then recovered again.
void Tree::read_list() {
    std::ifstream in(directory_ + kList);
    std::string line, sound;
    while (std::getline(in, line) && !in.eof()) {
        const auto words = text::split(line, '\t');
        const auto time =
            words.size() == 5 || words.size() == 6 ? parse_datestamp(words[1]) : std::nullopt;
        if (!time || !is_place(words[3]) || !fs::exists(directory_ + "/" + std::string(words[3])))
            continue;
        Entry entry{std::string(words[0]), std::string(words[3]),
                    std::string(words[4]), std::string(words[2]),
                    time->first,           read_how(words.size() == 6 ? words[5] : "")};
        add_entry(tree_key(words[4]), std::move(entry));
        (sound += line) += '\n';
    }
    in.close();
    if (fs::exists(directory_ + kList))
        replace_file(directory_ + kList, directory_ + kTemporary, sound);
}

// Returns true if there was an older document. If that has another place, as one of another media
// type has, it is removed.
bool Tree::add_entry(const std::string& key, Entry entry) {
    const auto [known, fresh] = entries_.try_emplace(key);
    const std::string before = known->second.place;
    if (!fresh && before != entry.place) {
        refuse_links(before);
        fs::remove(directory_ + "/" + before);
        key_at_.erase(text::lower_ascii(before));
    }
    key_at_[text::lower_ascii(entry.place)] = &known->first;
    done_[entry.identifier] = entry.how;
    known->second = std::move(entry);
    return !fresh;
}

bool Tree::has_newer(const RecoveredDocument& document) const {
    const auto entry = entries_.find(tree_key(document.url));
    return entry != entries_.end() && entry->second.time >= document.time &&
           entry->second.identifier != document.identifier;
}

// A second document at the same place gets a number before its extension.
std::string Tree::free_place(const RecoveredDocument& document, const std::string& key) const {
    const std::string wanted = place_of(document.url, document.media_type);
    std::string place = wanted;
    const auto dot = wanted.rfind('.');
    const auto is_taken = [&] {
        const auto other = key_at_.find(text::lower_ascii(place));
        return other != key_at_.end() && *other->second != key;
    };
    for (int n = 2; is_taken(); ++n)
        place = wanted.substr(0, dot) + "-" + std::to_string(n) + wanted.substr(dot);
    return place;
}

bool Tree::put(const RecoveredDocument& document, std::string_view bytes) {
    const std::string key = tree_key(document.url);
    Entry entry{document.identifier, free_place(document, key),
                document.url,        document.media_type,
                document.time,       document.how};
    refuse_links(entry.place);  // before directories are created
    fs::create_directories(fs::path(directory_ + "/" + entry.place).parent_path());
    replace(entry.place, bytes);
    list_ << replace_tabs(entry.identifier) << '\t' << print_datestamp(entry.time) << '\t'
          << replace_tabs(entry.media_type) << '\t' << entry.place << '\t'
          << replace_tabs(entry.url) << how_column(entry.how) << '\n'
          << std::flush;
    if (!list_) throw std::runtime_error(directory_ + kList + " cannot be written");
    return add_entry(key, std::move(entry));
}

std::string Tree::read(const std::string& place) const {
    std::ifstream in(directory_ + "/" + place, std::ios::binary);
    if (!in) throw std::runtime_error(directory_ + "/" + place + " cannot be read");
    return {std::istreambuf_iterator<char>(in), {}};
}

// Lines of documents that were replaced since, and a truncated last line, match no document.
void Tree::read_rewritten() {
    std::ifstream in(directory_ + kRewritten);
    for (std::string line; std::getline(in, line);) rewritten_.insert(line);
}

void Tree::rewrite(const std::string& place, std::string_view bytes) {
    const std::string line = rewritten_line(place, bytes);
    std::ofstream list(directory_ + kRewritten, std::ios::app);
    list << line << '\n' << std::flush;
    if (!list) throw std::runtime_error(directory_ + kRewritten + " cannot be written");
    replace(place, bytes);
    rewritten_.insert(line);
}

bool Tree::is_rewritten(const std::string& place, std::string_view bytes) const {
    return rewritten_.contains(rewritten_line(place, bytes));
}

void Tree::replace(const std::string& place, std::string_view bytes) const {
    refuse_links(place);
    replace_file(directory_ + "/" + place, directory_ + kTemporary, bytes);
}

// Throws if a directory on the path is a symbolic link. The directory of the tree itself may be
// one.
void Tree::refuse_links(const std::string& place) const {
    for (auto slash = place.find('/'); slash != place.npos; slash = place.find('/', slash + 1)) {
        const std::string directory = directory_ + "/" + place.substr(0, slash);
        if (fs::is_symlink(directory)) throw std::runtime_error(directory + " is a symbolic link");
    }
}

}  // namespace oai::recover
