// SPDX-License-Identifier: MIT
#include "tools/recover/output.h"

#include <fcntl.h>
#include <re2/re2.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "base/new_file.h"
#include "base/text.h"
#include "protocol/record.h"
#include "tools/load/words.h"

namespace oai::recover {
namespace {

constexpr std::size_t kNameBytes = 200;
constexpr std::size_t kDirectoriesBytes = 1000;  // systems allow paths of up to some 4,000 bytes
constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()+,;=@%";

std::string_view extension_of(std::string_view media_type) {
    for (const load::TableRow& row : load::table("extensions"))
        if (std::find(row.begin() + 1, row.end(), media_type) != row.end()) return row[0];
    return ".bin";
}

std::string percent_escape(char c) {
    std::string out = "%";
    text::append_hex(out, c);
    return out;
}

// A name that is too long becomes its beginning and a hash of the whole name.
std::string shorten(const std::string& name) {
    if (name.size() <= kNameBytes) return name;
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    std::string out(name, 0, kNameBytes - 20);
    out += '%';
    for (int shift = 56; shift >= 0; shift -= 8)
        text::append_hex(out, static_cast<char>(hash >> shift));
    return out;
}

// Windows ignores what follows the first dot.
bool is_device(const std::string& name) {
    static const RE2 kDevices(
        R"((?i)(?:con|prn|aux|nul|(?:com|lpt)[1-9]|conin\$|conout\$)(?:\..*)?)");
    return RE2::FullMatch(name, kDevices);
}

// Makes a valid name. A trailing "~" and a leading dot are escaped, since they have a meaning in
// the tree. The empty name becomes "%", which no valid URL contains alone.
std::string safe_name(std::string_view name) {
    if (name.empty()) return "%";
    std::string out;
    for (const char c : name)
        out += kPlain.find(c) == kPlain.npos ? percent_escape(c) : std::string(1, c);
    if (out.front() == '.' || is_device(out)) out.replace(0, 1, percent_escape(out.front()));
    if (out.back() == '.') out.replace(out.size() - 1, 1, "%2E");  // Windows drops a final dot
    if (out.back() == '~') out.replace(out.size() - 1, 1, "%7E");
    return shorten(out);
}

std::string directory_name(std::string_view name) {
    std::string out = safe_name(name);
    return out.find('.') == out.npos ? out : out + "~";
}

std::string document_name(std::string_view name, std::string_view query, bool has_query,
                          std::string_view media_type) {
    std::string whole(name.empty() ? "index" : name);
    if (has_query) (whole += '@') += query;
    std::string out = safe_name(whole);
    const std::string_view extension = extension_of(media_type);
    const bool has_extension = !has_query && out.find('.') != out.npos;
    const bool html = out.ends_with(".html") || out.ends_with(".htm");
    if (!has_extension || (extension == ".html" && !html)) out += extension;
    return out;
}

struct UrlParts {
    std::string host;  // with a port that is not the default one
    std::string path;  // between the first '/' and '?'
    std::string query;
    bool has_query = false;
};

UrlParts parts_of(std::string_view url) {
    static const RE2 kForm(
        R"((?is)(https?|ftp)://(?:[^/?#]*@)?([^/?#]*)/?([^?#]*)(\??)([^#]*)(?:#.*)?)", RE2::Latin1);
    UrlParts parts;
    std::string scheme, question;
    if (!RE2::FullMatch(std::string(url), kForm, &scheme, &parts.host, &parts.path, &question,
                        &parts.query))
        return {};
    parts.has_query = !question.empty();
    parts.host = text::lower_ascii(parts.host);
    const std::string_view port = scheme.size() == 4 ? ":80" : scheme.size() == 5 ? ":443" : "";
    if (parts.host.ends_with(port)) parts.host.erase(parts.host.size() - port.size());
    return parts;
}

namespace fs = std::filesystem;

// No host has such a name, so no document can have the same place.
constexpr const char* kList = "/.recovered.tsv";
constexpr const char* kTemporary = "/.recovering";

}  // namespace

std::string on_one_line(std::string text) {
    for (char& c : text)
        if (c == '\t' || c == '\n' || c == '\r') c = ' ';
    return text;
}

std::string place_of(std::string_view url, std::string_view media_type) {
    const UrlParts parts = parts_of(url);
    if (parts.host.empty()) return "";
    std::string place = safe_name(parts.host);
    const auto names = text::split(parts.path, '/');
    std::string directories;
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
        (directories += '/') += directory_name(names[i]);
    if (directories.size() > kDirectoriesBytes)
        directories = "/" + directory_name(directories);  // a single directory instead of all
    (place += directories) += '/';
    place += document_name(names.back(), parts.query, parts.has_query, media_type);
    return place;
}

bool is_place(std::string_view path) {
    const auto names = text::split(path, '/');
    return names.size() >= 2 && std::all_of(names.begin(), names.end(), [](std::string_view name) {
               return !name.empty() && name.front() != '.' &&
                      name.find_first_not_of(kPlain) == name.npos;
           });
}

std::string tree_key(std::string_view url) {
    const UrlParts parts = parts_of(url);
    return parts.host.empty()
               ? ""
               : parts.host + "/" + parts.path + (parts.has_query ? "?" + parts.query : "");
}

std::string host_of(std::string_view url) {
    const std::string host = parts_of(url).host;
    const auto colon = host.rfind(':'), bracket = host.rfind(']');
    return colon == host.npos || (bracket != host.npos && colon < bracket) ? host
                                                                           : host.substr(0, colon);
}

Tree::Tree(const std::string& directory) : directory_(directory) {
    fs::create_directories(directory_);
    lock_ = Fd(::open(directory_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!lock_) throw std::runtime_error(directory_ + " cannot be opened: " + std::strerror(errno));
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw std::runtime_error("another recovery is at work in " + directory_);
    if (!fs::exists(directory_ + kList) && !fs::is_empty(directory_))
        throw std::runtime_error(
            directory_ +
            " holds other files: name an empty directory, or one of an earlier recovery");
    read_list();
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
        replace_file(directory_ + kList, sound, Durable::no, directory_ + kTemporary);
}

// Returns whether there was an older document, which is removed if it has another path, as with
// another media type.
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

bool Tree::put(const RecoveredDocument& document, const load::Bytes& bytes, std::size_t from) {
    const std::string key = tree_key(document.url);
    Entry entry{document.identifier, free_place(document, key),
                document.url,        document.media_type,
                document.time,       document.how};
    refuse_links(entry.place);  // before directories are created
    fs::create_directories(fs::path(directory_ + "/" + entry.place).parent_path());
    NewFile file(directory_ + "/" + entry.place, directory_ + kTemporary);
    bytes.each(from, [&](std::string_view piece) { file.write(piece); });
    file.finish(Durable::no);
    list_ << on_one_line(entry.identifier) << '\t' << print_datestamp(entry.time) << '\t'
          << on_one_line(entry.media_type) << '\t' << entry.place << '\t' << on_one_line(entry.url)
          << how_column(entry.how) << '\n'
          << std::flush;
    if (!list_) throw std::runtime_error(directory_ + kList + " cannot be written");
    return add_entry(key, std::move(entry));
}

// Throws if a directory on the path is a symbolic link. That of the tree may be one.
void Tree::refuse_links(const std::string& place) const {
    for (auto slash = place.find('/'); slash != place.npos; slash = place.find('/', slash + 1)) {
        const std::string directory = directory_ + "/" + place.substr(0, slash);
        if (fs::is_symlink(directory)) throw std::runtime_error(directory + " is a symbolic link");
    }
}

}  // namespace oai::recover
