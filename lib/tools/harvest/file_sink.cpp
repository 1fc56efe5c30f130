// SPDX-License-Identifier: MIT
#include "tools/harvest/file_sink.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/new_file.h"
#include "xml/document.h"
#include "xml/escape.h"
#include "xml/reader.h"

namespace oai::harvest {
namespace {

Fd open_file(const std::string& path, int flags) {
    Fd file(::open(path.c_str(), flags | O_CLOEXEC, 0666));
    if (file.get() < 0) fail_at(path);
    return file;
}

void write_file(const Fd& file, std::string_view text, const std::string& path) {
    if (!write_all(file, text)) fail_at(path);
}

void append_attribute(std::string& out, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out.append(" ").append(name).append("=\"");
    xml::append_attribute(out, value);
    out += '"';
}

// Appends the element, wrapped in an element of this name; nothing if the element is "".
void append_wrapped(std::string& out, std::string_view name, std::string_view element) {
    if (!element.empty())
        out.append("<").append(name).append(">").append(element).append("</").append(name).append(
            ">");
}

constexpr std::size_t kWriteBytes = std::size_t{1} << 20;
constexpr std::string_view kIncomplete = "<!-- incomplete -->\n";
constexpr off_t kTailBytes = 100;  // longer than file_tail()

// Reads up to 16 KB at the offset.
std::string read_at(const Fd& file, off_t offset, const std::string& path) {
    std::string bytes(16384, '\0');
    const ssize_t n = ::pread(file.get(), bytes.data(), bytes.size(), offset);
    if (n < 0) fail_at(path);
    bytes.resize(static_cast<std::size_t>(n));
    return bytes;
}

// Throws unless the attribute of the document element has the requested value.
void require(const xml::Reader& head, const char* name, const std::string& asked,
             const std::string& path) {
    if (const std::string is = head.attribute(name); is != asked)
        throw std::runtime_error(path + ": harvested with " + name + "=\"" + is + "\", not \"" +
                                 asked + "\"");
}

// Moves to the document element. Returns false if there is none.
bool is_at_harvest(xml::Reader& head) try {
    return head.next() && head.name() == "harvest";
} catch (const xml::Error&) {
    return false;
}

nlohmann::json state_of(const std::string& base_url, std::uint64_t good_bytes,
                        const ListPosition& p) {
    nlohmann::json state{{"base_url", base_url},
                         {"good_bytes", good_bytes},
                         {"prefix", p.list.prefix},
                         {"set", p.list.set_spec},
                         {"from", p.list.from},
                         {"until", p.list.until},
                         {"token", p.token},
                         {"response_date", p.response_date},
                         {"records", p.records},
                         {"pages", p.pages},
                         {"pages_missing", p.pages_missing},
                         {"counts", counts_text(p.counts)}};
    if (p.list_size) state["list_size"] = *p.list_size;
    return state;
}

ListPosition position_of(const nlohmann::json& state) {
    ListPosition p;
    p.list = {state.at("prefix"), state.at("set"), state.at("from"), state.at("until")};
    p.token = state.at("token");
    p.response_date = state.at("response_date");
    p.records = state.at("records");
    p.pages = state.at("pages");
    p.pages_missing = state.at("pages_missing");
    if (state.contains("counts")) p.counts = read_counts(state.at("counts"));
    if (state.contains("list_size")) p.list_size = state.at("list_size").get<std::int64_t>();
    return p;
}

}  // namespace

void append_element(std::string& out, std::string_view name, std::string_view value) {
    out.append("<").append(name).append(">");
    xml::append_text(out, value);
    out.append("</").append(name).append(">");
}

std::string file_head(const std::string& base_url, const ListPosition& position) {
    std::string out =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<h:harvest xmlns:h=\"urn:oai-fcgi:harvest\" "
        "xmlns=\"http://www.openarchives.org/OAI/2.0/\"";
    append_attribute(out, "baseURL", base_url);
    append_attribute(out, "metadataPrefix", position.list.prefix);
    append_attribute(out, "set", position.list.set_spec);
    append_attribute(out, "from", position.list.from);
    append_attribute(out, "until", position.list.until);
    append_attribute(out, "responseDate", position.response_date);
    return out + ">\n";
}

void append_record(std::string& out, const Record& record) {
    out += record.deleted ? "<record><header status=\"deleted\">" : "<record><header>";
    append_element(out, "identifier", record.identifier);
    append_element(out, "datestamp", record.datestamp);
    for (const std::string& spec : record.set_specs) append_element(out, "setSpec", spec);
    out += "</header>";
    append_wrapped(out, "metadata", record.metadata);
    for (const std::string& about : record.abouts) append_wrapped(out, "about", about);
    out += "</record>\n";
}

std::string file_tail(bool complete) {
    return std::string(complete ? "" : kIncomplete) + "</h:harvest>\n";
}

std::string response_date_of(const std::string& path, const std::string& base_url,
                             const std::string& prefix, const std::string& set_spec) {
    const Fd file = open_file(path, O_RDONLY);
    const std::string begin = read_at(file, 0, path);
    xml::Reader head(begin);
    const std::string date = is_at_harvest(head) ? head.attribute("responseDate") : "";
    if (date.empty())
        throw std::runtime_error(
            path + ": not a file that oai harvest wrote, or one without a responseDate");
    require(head, "baseURL", base_url, path);
    require(head, "metadataPrefix", prefix, path);
    require(head, "set", set_spec, path);
    if (const auto until = head.attribute("until"); !until.empty())
        throw std::runtime_error(path + ": harvested until " + until +
                                 " alone; name the time by --from");
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    const std::string end = read_at(file, std::max<off_t>(0, size - kTailBytes), path);
    if (!end.ends_with(file_tail()) || end.ends_with(file_tail(false)))
        throw std::runtime_error(path + ": the list is not whole in it");
    return date;
}

FileSink::FileSink(std::string path, std::optional<std::string> last_complete)
    : path_(std::move(path)), last_complete_(std::move(last_complete)) {
    part_ = open_file(path_ + ".part", O_RDWR | O_CREAT);
    if (::flock(part_.get(), LOCK_EX | LOCK_NB) == 0) return;
    throw std::runtime_error(path_ + ".part: another oai harvest is writing it");
}

FileSink::~FileSink() {
    if (written_.empty() && ::lseek(part_.get(), 0, SEEK_END) == 0)
        ::unlink((path_ + ".part").c_str());
}

std::optional<ListPosition> FileSink::unfinished(const std::string& prefix,
                                                 const std::string& set_spec) {
    const std::string state_path = path_ + ".state";
    if (::access(state_path.c_str(), F_OK) != 0) return std::nullopt;
    nlohmann::json state;
    try {
        state = nlohmann::json::parse(xml::read_file(state_path));
        const ListPosition position = position_of(state);
        valid_bytes_ = state.at("good_bytes");
        if (state.at("base_url") != base_url_ || position.list.prefix != prefix ||
            position.list.set_spec != set_spec)
            throw std::runtime_error(path_ + ".part holds " + position.list.prefix + " of " +
                                     state.at("base_url").get<std::string>() +
                                     ", not yet whole: remove it, and " + state_path);
        if (::lseek(part_.get(), 0, SEEK_END) < static_cast<off_t>(valid_bytes_))
            return std::nullopt;  // something truncated FILE.part
        truncate_part(valid_bytes_);
        return position;
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error(state_path + ": not written by this program; remove it, and " +
                                 path_ + ".part");
    }
}

void FileSink::truncate_part(std::uint64_t bytes) {
    if (::ftruncate(part_.get(), static_cast<off_t>(bytes)) != 0 ||
        ::lseek(part_.get(), static_cast<off_t>(bytes), SEEK_SET) < 0)
        fail_at(path_ + ".part");
    valid_bytes_ = bytes;
}

void FileSink::begin(const ListPosition& start) {
    truncate_part(0);
    write_state(start);
}

void FileSink::take(std::span<const Record> records, const ListPosition& after) {
    std::string text = valid_bytes_ == 0 ? file_head(base_url_, after) : "";
    std::uint64_t bytes = 0;
    const auto write = [&] {
        write_file(part_, text, path_ + ".part");
        bytes += text.size();
        text.clear();
    };
    for (const Record& record : records) {
        append_record(text, record);
        if (text.size() >= kWriteBytes) write();
    }
    write();
    // The page must be on disk before the state that counts it.
    if (::fdatasync(part_.get()) != 0) fail_at(path_ + ".part");
    valid_bytes_ += bytes;
    write_state(after);
}

void FileSink::write_state(const ListPosition& position) {
    replace_file(path_ + ".state", state_of(base_url_, valid_bytes_, position).dump() + "\n",
                 Durable::content);
}

// The state does not count the tail, so a harvest that is killed in this function writes it again.
void FileSink::close(const ListPosition& end, const std::string& path, bool complete) {
    write_file(part_, (valid_bytes_ == 0 ? file_head(base_url_, end) : "") + file_tail(complete),
               path_ + ".part");
    if (::fdatasync(part_.get()) != 0) fail_at(path_ + ".part");
    if (std::rename((path_ + ".part").c_str(), path.c_str()) != 0) fail_at(path);
    sync_directory_of(path);
    ::unlink((path_ + ".state").c_str());
    written_ = path;
}

void FileSink::abandon(const ListPosition& end) {
    if (end.records > 0) return close(end, path_ + ".incomplete", false);
    ::unlink((path_ + ".state").c_str());
    truncate_part(0);
}

}  // namespace oai::harvest
