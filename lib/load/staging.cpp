// SPDX-License-Identifier: MIT
#include "load/staging.h"

#include <stdexcept>

#include "datestamp.h"
#include "pg/binary.h"

namespace oai::load {
namespace {

constexpr std::size_t kRememberedNames = 300'000;
constexpr std::size_t kCopyBytes = std::size_t{256} << 10;
constexpr int kTries = 4;

bool passes(const std::string& sqlstate) { return sqlstate == "40P01" || sqlstate == "40001"; }

template <class T>
void append_number(std::string& out, const std::optional<T>& n) {
    out += n ? std::to_string(*n) : "\\N";
}

void append_text(std::string& out, std::string_view value) {
    if (value.empty()) {
        out += "\\N";
    } else {
        append_copy_text(out, value);
    }
}

void append_id(std::string& out, const Names& names, const std::string& name) {
    out += name.empty() ? "\\N" : std::to_string(names.id(name));
}

}  // namespace

void append_copy_text(std::string& out, std::string_view value) {
    std::size_t plain = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const char c = value[i];
        if (c != '\\' && c != '\n' && c != '\r' && c != '\t') continue;
        out.append(value, plain, i - plain).append(c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\t' ? "\\t" : "\\\\");
        plain = i + 1;
    }
    out.append(value, plain);
}

std::string array_literal(const std::vector<std::string>& values) {
    std::size_t n = 2;
    for (const std::string& value : values) n += value.size() + 3;
    std::string out;
    out.reserve(n);
    out = "{";
    for (const std::string& value : values) {
        out += out.size() > 1 ? ",\"" : "\"";
        std::size_t plain = 0;
        for (std::size_t i = 0; i < value.size(); ++i) {
            if (value[i] != '"' && value[i] != '\\') continue;
            out.append(value, plain, i - plain) += '\\';
            plain = i;
        }
        out.append(value, plain) += '"';
    }
    return out += '}';
}

void Names::find(pg::Connection& connection, const std::vector<std::string>& names) {
    const pg::Result found = connection.query(table_.find, pg::Parameters().add(array_literal(names)));
    for (int i = 0; i < found.rows(); ++i)
        ids_.emplace(found.bytes(i, 0), static_cast<int>(pg::read_integer(found.bytes(i, 1))));
}

void Names::resolve(pg::Connection& connection) {
    if (ids_.size() + wanted_.size() > kRememberedNames) ids_.clear();
    const auto unknown = [this] {
        std::vector<std::string> names;
        for (const std::string& name : wanted_)
            if (!name.empty() && !ids_.contains(name)) names.push_back(name);
        return names;
    };
    if (const auto names = unknown(); !names.empty()) find(connection, names);
    if (const auto names = unknown(); !names.empty()) {
        connection.query(table_.add, pg::Parameters().add(array_literal(names)));
        find(connection, names);
    }
    wanted_.clear();
}

Staging::Staging(pg::Connection& connection, StagingOptions options)
    : connection_(connection), options_(std::move(options)) {
    if (!pg::read_bool(connection_.query(queries::kModel).bytes(0, 0)))
        throw std::runtime_error("the database has no model webarchiv: make it by `oai schema`");
    connection_.query(queries::kSession);
    connection_.query(queries::kStaging);
}

Moved Staging::move(const std::vector<Entry>& entries) {
    for (int tries = 1;; ++tries) {
        try {
            return try_move(entries);
        } catch (const pg::Error& e) {
            roll_back();
            if (!passes(e.sqlstate()) || tries == kTries) throw;
        } catch (...) {
            roll_back();
            throw;
        }
    }
}

void Staging::roll_back() {
    connection_.reset_quietly();
    for (Names* names : {&arcs_, &domains_, &mimetypes_, &collections_}) names->forget();
}

Moved Staging::try_move(const std::vector<Entry>& entries) {
    connection_.query(queries::kBegin);
    connection_.query(queries::kOneLoader);
    if (options_.captured_datestamps && pg::read_bool(connection_.query(queries::kBegun).bytes(0, 0)))
        throw std::runtime_error("--datestamps captured is for the first fill: the repository is published already, and "
                                 "records with old datestamps would be missed by its harvesters");
    resolve(entries);
    copy(entries);
    const Moved moved = merge(entries.size());
    connection_.query(queries::kCommit);
    return moved;
}

void Staging::resolve(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) {
        arcs_.want(entry.capture.file);
        domains_.want(entry.canonical.domain);
        mimetypes_.want(mimetype_name(entry.capture.mimetype));
    }
    for (const std::string& name : options_.collections) collections_.want(name);
    for (Names* names : {&arcs_, &domains_, &mimetypes_, &collections_}) names->resolve(connection_);
}

void Staging::copy(const std::vector<Entry>& entries) {
    connection_.copy_begin(queries::kCopy);
    std::string out;
    for (const Entry& entry : entries) {
        const Capture& c = entry.capture;
        append_copy_text(out, c.url);
        append_copy_text(out += '\t', entry.canonical.surt);
        append_datestamp(out += '\t', c.archived_time);
        append_number(out += '\t', c.status);
        append_text(out += '\t', c.digest);
        append_number(out += '\t', c.length);
        append_number(out += '\t', c.offset);
        append_id(out += '\t', arcs_, c.file);
        append_id(out += '\t', domains_, entry.canonical.domain);
        append_id(out += '\t', mimetypes_, mimetype_name(c.mimetype));
        out += '\n';
        if (out.size() < kCopyBytes) continue;
        connection_.copy_data(out);
        out.clear();
    }
    connection_.copy_data(out);
    connection_.copy_end();
}

Moved Staging::merge(std::size_t staged) {
    connection_.query(queries::kAnalyze);
    const std::string known = connection_.query(queries::kMatch).affected();
    if (known != "0") connection_.query(queries::kFill);
    const std::string inserted =
        connection_.query(queries::kInsert, pg::Parameters().add(options_.captured_datestamps ? "t" : "f")).affected();
    if (std::stoull(inserted) + std::stoull(known) != staged) connection_.query(queries::kRematch);
    if (!options_.collections.empty()) {
        std::vector<std::string> ids;
        for (const std::string& name : options_.collections) ids.push_back(std::to_string(collections_.id(name)));
        connection_.query(queries::kFile, pg::Parameters().add(array_literal(ids)));
    }
    const pg::Result counts = connection_.query(queries::kCount);
    return {pg::read_integer(counts.bytes(0, 0)), pg::read_integer(counts.bytes(0, 1))};
}

}  // namespace oai::load
