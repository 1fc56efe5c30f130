// SPDX-License-Identifier: MIT
#include "command/schema_state.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "base/text.h"
#include "command/options.h"
#include "command/queries.h"
#include "pg/binary.h"

namespace oai::command {
namespace {

constexpr int kAttempts = 100;
constexpr std::chrono::milliseconds kPause{700};

// Whether another session was in the way: it holds a lock, waits for one of ours, or changed the
// same row of a catalog, as VACUUM does.
bool may_succeed_later(const pg::Error& e) {
    constexpr std::string_view kLockNotAvailable = "55P03", kDeadlock = "40P01";
    return e.sqlstate() == kLockNotAvailable || e.sqlstate() == kDeadlock ||
           std::string_view(e.what()).find("tuple concurrently updated") != std::string_view::npos;
}

using Names = std::set<std::string, std::less<>>;

struct Model {
    std::string_view name;
    std::vector<std::string_view> rooms;
};
const Model kModels[] = {{"", {"core"}},
                         {"webarchiv", {"core", "models", "webarchiv"}},
                         {"library", {"core", "models", "library", "harvest"}}};

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
    return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

// Matches kind and name of the object that a statement creates.
constexpr const char* kCreate =
    R"(create\s+(?:(?:or replace|unique|unlogged|temporary|materialized|constraint)\s+)*(\w+)\s+)"
    R"((?:if not exists\s+)?([^\s(),;'"]+))";

struct Creation {
    std::string kind, name;  // "view", "oai.record"
    std::string on;          // the table of an index or trigger
};

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// The objects created by statements that begin at the start of a line. The table of a trigger may
// be in the next line.
std::vector<Creation> creations(std::string_view text) {
    static const RE2 kForm(std::string("(?m)^") + kCreate +
                           R"((?:(?:[^\n]*?|[^\n]*\n [^\n]*?)\son ([^\s(),;'"]+))?)");
    std::vector<Creation> made;
    re2::StringPiece rest(text.data(), text.size());
    for (Creation next; RE2::FindAndConsume(&rest, kForm, &next.kind, &next.name, &next.on);)
        made.push_back(next);
    return made;
}

// The names of created definitions in the form that find_missing() uses: "oai.publish(", "trigger
// place_set on oai.set", "oai.record".
Names made_definitions(std::string_view text) {
    Names names;
    for (const Creation& made : creations(text)) {
        if (made.kind == "function") names.insert(fmt::format("{}(", made.name));
        if (made.kind == "view") names.emplace(made.name);
        if (made.kind == "trigger")
            names.insert(fmt::format("trigger {} on {}", made.name, made.on));
    }
    return names;
}

Names missing_of(const Names& wanted, const Names& present) {
    Names missing;
    for (const std::string& name : wanted) {
        const auto found = present.lower_bound(name);
        const bool there = found != present.end() &&
                           (name.back() == '(' ? found->starts_with(name) : *found == name);
        if (!there) missing.insert(name);
    }
    return missing;
}

std::string join(const auto& names, std::size_t most = 5) {
    std::string out;
    std::size_t n = 0;
    for (const auto& name : names) {
        if (n == most) return fmt::format("{} and {} more", out, names.size() - most);
        out += fmt::format("{}{}", n++ == 0 ? "" : ", ", name);
    }
    return out;
}

// 1.10 is later than 1.9.
bool is_later(std::string_view release, std::string_view than) {
    const auto a = text::split(release, '.'), b = text::split(than, '.');
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const auto x = i < a.size() ? text::to_integer(a[i]).value_or(0) : 0;
        const auto y = i < b.size() ? text::to_integer(b[i]).value_or(0) : 0;
        if (x != y) return x > y;
    }
    return false;
}

const InstalledFile* find_installed(const InstalledSchema& installed, std::string_view name) {
    const auto found = std::find_if(installed.files.begin(), installed.files.end(),
                                    [&](const InstalledFile& f) { return f.name == name; });
    return found == installed.files.end() ? nullptr : &*found;
}

bool has_room(const InstalledSchema& installed, std::string_view room) {
    return std::any_of(
        installed.files.begin(), installed.files.end(),
        [&](const InstalledFile& f) { return f.name == fmt::format("{}/tables.sql", room); });
}

std::string installed_model(const InstalledSchema& installed) {
    for (const Model& model : kModels)
        if (!model.name.empty() && has_room(installed, model.name)) return std::string(model.name);
    return "";
}

// Returns why this program cannot upgrade the database, whatever its model.
std::optional<std::string> find_age_problem(std::span<const SchemaFile> files,
                                            std::string_view release,
                                            const InstalledSchema& installed) {
    if (installed.is_test_version)
        return "the database was made by a test version before the first release, which cannot be "
               "upgraded: make a new database, run oai schema install in it, and load again";
    for (const InstalledFile& file : installed.files) {
        const bool known = std::any_of(files.begin(), files.end(),
                                       [&](const SchemaFile& f) { return f.name == file.name; });
        if (is_later(file.release, release) || (!known && file.name.starts_with("upgrade/")))
            return fmt::format(
                "the database has {} of oai-fcgi {}, this program is oai-fcgi {}: the database was "
                "upgraded by a later version; install that version here",
                file.name, file.release, release);
    }
    return std::nullopt;
}

std::optional<std::string> find_upgrade_problem(const SchemaFile& file,
                                                const InstalledSchema& installed) {
    const InstalledFile* done = find_installed(installed, file.name);
    if (!is_upgrade(file) || done == nullptr || done->checksum == file.checksum)
        return std::nullopt;
    return fmt::format(
        "{} was applied to the database with checksum {:.12}, in this program it has {:.12}: it "
        "was changed after a release; install the release that applied it ({})",
        file.name, done->checksum, file.checksum, done->release);
}

std::optional<std::string> find_restore_problem(const InstalledSchema& installed,
                                                const Names& missing) {
    constexpr std::string_view kAdvice =
        "a restore broke off, or objects were dropped; restore a whole dump into an empty database";
    if (installed.files.empty()) {
        Names present;
        for (const DatabaseObject& object : installed.objects)
            if (object.kind == "table") present.insert(object.name);
        if (present.empty()) return std::nullopt;
        return fmt::format(
            "the database has tables ({}), but oai.schema_version does not say what made them: {}",
            join(present), kAdvice);
    }
    if (!missing.empty()) return fmt::format("the database lacks {}: {}", join(missing), kAdvice);
    if (!installed.has_horizon)
        return fmt::format("oai.horizon has no row: its data was not restored; {}", kAdvice);
    return std::nullopt;
}

// Fills in rooms, new_rooms, upgrades and differing; returns the tables that are missing.
Names compare_files(std::span<const SchemaFile> files, const InstalledSchema& installed,
                    SchemaComparison& result) {
    Names present, missing;
    for (const DatabaseObject& object : installed.objects)
        present.insert(object.kind == "trigger" ? "trigger " + object.name : object.name);
    for (const SchemaFile& file : files) {
        const std::string_view room = room_of(file);
        if (!contains(result.rooms, room) || contains(result.new_rooms, room)) continue;
        const InstalledFile* done = find_installed(installed, file.name);
        if (auto problem = find_upgrade_problem(file, installed))
            result.problems.push_back(std::move(*problem));
        if (is_upgrade(file)) {
            if (done == nullptr) result.upgrades.push_back(&file);
        } else if (is_tables(file)) {
            missing.merge(missing_of(made_tables(file.text), present));
        } else if (done == nullptr || done->checksum != file.checksum ||
                   !missing_of(made_definitions(file.text), present).empty()) {
            result.differing.push_back(file.name);
        }
    }
    return missing;
}

}  // namespace

void with_short_locks(pg::Connection& connection, const std::string& what,
                      const std::function<void()>& work) {
    for (int attempt = 1;; ++attempt) {
        try {
            connection.query(queries::kBegin);
            connection.query(queries::kShortLocks);
            work();
            connection.query(queries::kCommit);
            return;
        } catch (const pg::Error& e) {
            if (!may_succeed_later(e) || attempt == kAttempts) throw;
            connection.query(queries::kRollback);
            if (attempt == 1) print_problem(what + " waits for locks of other sessions");
            std::this_thread::sleep_for(kPause);
        }
    }
}

std::string_view room_of(const SchemaFile& file) {
    const std::string_view room = file.name.substr(0, file.name.find('/'));
    if (room != "upgrade") return room;
    const std::string_view rest = file.name.substr(std::string_view("upgrade/0000-").size());
    return rest.substr(0, rest.find('-'));
}

bool is_upgrade(const SchemaFile& file) { return file.name.starts_with("upgrade/"); }
bool is_tables(const SchemaFile& file) { return file.name.ends_with("/tables.sql"); }

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const Model& model : kModels)
        if (!model.name.empty()) names.emplace_back(model.name);
    return names;
}

Names named_objects(std::string_view text) {
    static const RE2 kCreated(std::string(R"(\b)") + kCreate),
        kNamed(R"((?:\brename\s+to\s+|\boai\.remove_with\(')([^\s(),;'"]+))");
    Names names;
    std::string kind, name;
    re2::StringPiece rest(text.data(), text.size()), named = rest;
    while (RE2::FindAndConsume(&rest, kCreated, &kind, &name)) names.emplace(last_part(name));
    while (RE2::FindAndConsume(&named, kNamed, &name)) names.emplace(last_part(name));
    return names;
}

Names made_tables(std::string_view text) {
    Names names;
    for (const Creation& made : creations(text)) {
        if (made.kind == "table") names.emplace(made.name);
        if (made.kind == "index")
            names.insert(fmt::format("{}.{}", made.on.substr(0, made.on.find('.')), made.name));
    }
    return names;
}

std::vector<Statement> split_definitions(std::string_view text) {
    constexpr std::string_view kLocking[] = {
        "create or replace view ", "create or replace trigger ", "comment on table ",
        "comment on view ",        "comment on column ",         "comment on index ",
        "comment on function "};
    std::vector<Statement> parts;
    Statement part;
    std::size_t begin = 0;
    int line = 1;
    const auto end_part = [&](std::size_t end) {
        part.text = text.substr(begin, end - begin);
        if (!part.text.empty()) parts.push_back(part);
        part = {{}, false, line};
        begin = end;
    };
    for (std::size_t at = 0; at < text.size();) {
        const bool begins = std::any_of(
            std::begin(kLocking), std::end(kLocking),
            [&](std::string_view locking) { return text.substr(at).starts_with(locking); });
        if (begins && !part.may_lock) {
            end_part(at);
            part.may_lock = true;
        }
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
        ++line;
        const std::string_view so_far = text.substr(begin, at - begin);
        if (part.may_lock && so_far.ends_with(so_far.starts_with("comment") ? "';\n" : ";\n"))
            end_part(at);
    }
    end_part(text.size());
    return parts;
}

SchemaComparison compare_schema(std::span<const SchemaFile> files, std::string_view release,
                                const InstalledSchema& installed, const std::string& wanted_model) {
    SchemaComparison result;
    const std::string present = installed_model(installed);
    result.model = present.empty() ? wanted_model : present;
    if (auto problem = find_age_problem(files, release, installed)) {
        result.problems.push_back(std::move(*problem));
        return result;
    }
    for (const Model& model : kModels)
        if (model.name == result.model) result.rooms = model.rooms;
    for (const std::string_view room : result.rooms)
        if (!has_room(installed, room)) result.new_rooms.push_back(room);
    const Names missing = compare_files(files, installed, result);
    if (auto problem = find_restore_problem(installed, missing))
        result.problems.push_back(std::move(*problem));
    if (!wanted_model.empty() && wanted_model != result.model)
        result.problems.push_back(fmt::format(
            "the database has the model {}, not {}: a database has one model; use another database",
            present, wanted_model));
    Names known;
    for (const SchemaFile& file : files) known.merge(named_objects(file.text));
    for (const DatabaseObject& object : installed.objects)
        if (!object.bare.empty() && !known.contains(object.bare)) result.foreign.push_back(&object);
    return result;
}

InstalledSchema read_installed(pg::Connection& connection) {
    InstalledSchema installed;
    const pg::Result state = connection.query(queries::kSchemaState);
    const auto text_of = [](const pg::Result& rows, int row, int column) {
        return std::string(rows.bytes(row, column));
    };
    installed.lacks_right = text_of(state, 0, 2);
    installed.is_readable = pg::read_bool(state.bytes(0, 0)) == pg::read_bool(state.bytes(0, 1));
    if (!installed.is_readable) return installed;
    if (pg::read_bool(state.bytes(0, 0))) {
        const pg::Result rows = connection.query(queries::kSchemaVersions);
        for (int i = 0; i < rows.rows(); ++i)
            installed.files.push_back({text_of(rows, i, 0), text_of(rows, i, 1),
                                       text_of(rows, i, 2),
                                       pg::read_timestamptz(rows.bytes(i, 3))});
    }
    installed.is_test_version =
        std::any_of(installed.files.begin(), installed.files.end(),
                    [](const InstalledFile& f) { return f.name.find('/') == f.name.npos; });
    const pg::Result objects = connection.query(queries::kSchemaObjects);
    for (int i = 0; i < objects.rows(); ++i) {
        installed.objects.push_back(
            {text_of(objects, i, 0), text_of(objects, i, 1), text_of(objects, i, 2)});
        if (installed.objects.back().name == "oai.horizon")
            installed.has_horizon =
                pg::read_bool(connection.query(queries::kHorizonExists).bytes(0, 0));
    }
    return installed;
}

}  // namespace oai::command
