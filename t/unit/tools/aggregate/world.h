// SPDX-License-Identifier: MIT
// A database with the model library, and repositories whose records are given to the sink page by
// page, as a harvest would.
#pragma once

#include "t/lib/testdb.h"
#include "t/lib/unit_headers.h"
#include "tools/aggregate/database_sink.h"
#include "tools/aggregate/sources.h"
#include "xml/document.h"

namespace oai::test {

using aggregate::DatabaseSink, aggregate::Source, harvest::ListPosition, harvest::Record;

constexpr const char* kWhen = "2024-05-01T10:00:00Z";

class Listener final : public harvest::HarvestListener {
  public:
    void on_page(const ListPosition&) override {}
    void note(const std::string& what) override {
        if (fails) throw std::runtime_error("nobody listens");
        notes.push_back(what);
    }
    Strings notes;
    bool fails = false;
};

inline std::string dc(const std::string& content) {
    return "<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "
           "xmlns:dc=\"http://purl.org/dc/elements/1.1/\">" +
           content + "</oai_dc:dc>";
}
inline Record record(const std::string& identifier, const std::string& title, Strings sets = {}) {
    return {.identifier = identifier,
            .datestamp = "2024-01-01",
            .deleted = false,
            .set_specs = std::move(sets),
            .metadata = dc("<dc:title>" + title + "</dc:title><dc:identifier>https://e.org/" +
                           title + "</dc:identifier>"),
            .abouts = {},
            .response_date = kWhen};
}
inline Record deleted(const std::string& identifier) {
    return {.identifier = identifier,
            .datestamp = "2024-02-01",
            .deleted = true,
            .set_specs = {},
            .metadata = "",
            .abouts = {}};
}

inline ListPosition start_of(const std::string& prefix, const std::string& from = "") {
    ListPosition position;
    position.list = {prefix, "", from, ""};
    return position;
}
inline harvest::RepositoryIdentity identity_of(const Source& source) {
    harvest::RepositoryIdentity identity;
    identity.address = source.base_url;
    identity.base_url = "http://" + source.name + ".example/told";
    identity.name = "The " + source.name;
    return identity;
}

// A database with the library, and what a harvesting program has.
class World {
  public:
    World() : db_(shared()) {
        db_.run(R"(
            set session_replication_role = replica;
            truncate library.item, library.mapped, library.item_collection, library.collection, library.kind, library.language, oai.queue,
                     oai.set_chunk, oai.calendar, harvest.repository, harvest.set, harvest.list, harvest.record,
                     harvest.refused, harvest.format restart identity;
            delete from oai.set where parent is not null;
            update oai.horizon set h = null, last_seq = 0, item_count = 0, filling = null;
            reset session_replication_role)");
        connection_ = std::make_unique<pg::Connection>(db_.conninfo("oai_loader"), "test");
    }
    TestDb& db() { return db_; }
    pg::Connection& connection() { return *connection_; }
    Listener& listener() { return listener_; }

    Source add(Source source) {
        REQUIRE(aggregate::add_source(*connection_, source));
        return aggregate::read_sources(*connection_, {source.name}).at(0).source;
    }
    // A run of its own, with a connection of its own as a new process has.
    void run(const Source& source, const std::function<void(DatabaseSink&)>& what,
             int batch_records = 5000, const std::string& normalise = "") {
        const aggregate::Normaliser normaliser(normalise, source.normalise);
        pg::Connection connection(db_.conninfo("oai_loader"), "test");
        {
            DatabaseSink sink(connection, source, normaliser, listener_,
                              {"oai:ours.example:", batch_records});
            what(sink);
            counts = sink.counts();
        }
        departures = aggregate::depart(connection, source, false);
    }
    // A whole list of one page.
    void harvest(const Source& source, const std::vector<Record>& records,
                 const std::string& prefix = "oai_dc", const std::string& from = "",
                 const std::string& when = kWhen) {
        run(
            source,
            [&](DatabaseSink& sink) {
                sink.identity(identity_of(source));
                const ListPosition start = start_of(prefix, from);
                sink.begin(start);
                ListPosition after = start;
                after.response_date = when;
                after.records = static_cast<std::int64_t>(records.size());
                sink.take(records, after);
                sink.finish(after);
            },
            5000, "xslt/normalise");
    }
    // Publishes all that is queued.
    void publish() {
        for (;;) {
            const auto said =
                db_.column("select published::text || waiting from oai.publish(1000)");
            if (said.at(0) == "0false") return;
            pg::Connection(db_.conninfo(), "test").script("wait", "select pg_sleep(0.2)");
        }
    }
    std::string item(const std::string& local_id, const std::string& what) {
        const auto found = db_.column("select " + what + " from library.item i where local_id = '" +
                                      local_id + "'");
        return found.empty() ? "none" : found.at(0);
    }
    std::string sets(const std::string& local_id) {
        return db_.value(
            "select coalesce(string_agg(s.spec, ' ' order by s.spec), '') from oai.membership m "
            "join oai.set s on s.id = any (m.sets_now) where m.local_id = '" +
            local_id + "'");
    }
    aggregate::WriteCounts counts;
    aggregate::Departures departures;

  private:
    // One for all tests, emptied each time: installing a schema takes longer than any of them.
    static TestDb& shared() {
        static TestDb db("sink");
        static const bool installed = (db.install_schema(kLibrary), true);
        return installed ? db : throw std::logic_error("no schema");
    }
    TestDb& db_;
    std::unique_ptr<pg::Connection> connection_;
    Listener listener_;
};

inline Source source_named(const std::string& name) {
    Source source;
    source.name = source.label = name;
    source.base_url = "http://" + name + ".example/oai";
    return source;
}

// One with a repository.
struct WorldOfOne : World {
    const Source a = add(source_named("a"));
};

}  // namespace oai::test
