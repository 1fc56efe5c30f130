// SPDX-License-Identifier: MIT
// A harvester against a model. While a writer inserts, changes, deletes, undeletes and re-files
// documents by plain SQL, some of it rolled back, a harvester takes the list again and again: by
// tokens, from = responseDate of the harvest before (invariant I1 of the README). Once the writer
// rests and one more incremental harvest is through, what the harvester holds must equal what the
// repository holds, and that must equal the model: nothing missed, nothing stale.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "base/log.h"
#include "server/service.h"
#include "t/lib/testdb.h"
#include "web/request.h"
#include "xml/document.h"

using namespace oai;

namespace {

struct HarvestedItem {
    std::string datestamp;
    bool deleted = false;
    std::set<std::string> sets;
    std::string url;  // dc:identifier; empty for header lists and deleted records
    bool operator==(const HarvestedItem&) const = default;
};
using HarvestedItems = std::map<std::string, HarvestedItem>;  // by identifier

std::string text_of(const xmlNode* node) {
    const std::unique_ptr<xmlChar, decltype(xmlFree)> content(xmlNodeGetContent(node), xmlFree);
    return reinterpret_cast<const char*>(content.get());
}

const xmlNode* child(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = parent->children; n; n = n->next)
        if (n->type == XML_ELEMENT_NODE && name == reinterpret_cast<const char*>(n->name)) return n;
    return nullptr;
}

HarvestedItem read_header(const xmlNode* header) {
    HarvestedItem held;
    held.datestamp = text_of(child(header, "datestamp"));
    held.deleted = xmlHasProp(const_cast<xmlNode*>(header),
                              reinterpret_cast<const xmlChar*>("status")) != nullptr;
    for (const xmlNode* n = header->children; n; n = n->next)
        if (n->type == XML_ELEMENT_NODE &&
            std::string_view("setSpec") == reinterpret_cast<const char*>(n->name))
            held.sets.insert(text_of(n));
    return held;
}

class Harvester {
  public:
    explicit Harvester(Service& service) : service_(service) {}

    // Harvests one whole list, from the responseDate of the first page of the previous harvest.
    void harvest(const std::string& verb, const std::string& set = "") {
        std::string query = "verb=" + verb + "&metadataPrefix=oai_dc";
        if (!set.empty()) query += "&set=" + set;
        if (!from_.empty()) query += "&from=" + from_;
        std::string first_response_date;
        while (!query.empty()) {
            const std::string token = page(verb, query, first_response_date);
            query = token.empty() ? "" : "verb=" + verb + "&resumptionToken=" + token;
        }
        from_ = first_response_date;
    }
    const HarvestedItems& holdings() const { return holdings_; }
    int pages = 0;
    std::size_t largest_page = 0;

  private:
    std::string page(const std::string& verb, const std::string& query,
                     std::string& first_response_date) {
        Request request;
        request.method = "GET";
        request.path = "/oai";
        bool fine = true;
        request.arguments = split_arguments(query, &fine);
        const Response response = service_.answer(request);
        REQUIRE(response.status == 200);
        const xml::DocumentHandle document = xml::parse_memory(response.body, "answer");
        const xmlNode* root = xmlDocGetRootElement(document.get());
        if (first_response_date.empty()) first_response_date = text_of(child(root, "responseDate"));
        ++pages;
        if (const xmlNode* error = child(root, "error")) {
            INFO(response.body);
            REQUIRE(text_of(error).find("No record") == 0);
            return "";
        }
        const xmlNode* list = child(root, verb);
        REQUIRE(list != nullptr);
        std::size_t records = 0;
        for (const xmlNode* n = list->children; n; n = n->next)
            records += n->type == XML_ELEMENT_NODE && take(n);
        largest_page = std::max(largest_page, records);
        const xmlNode* token = child(list, "resumptionToken");
        return token ? text_of(token) : "";
    }

    bool take(const xmlNode* n) {
        const std::string_view name(reinterpret_cast<const char*>(n->name));
        if (name == "resumptionToken") return false;
        const xmlNode* header = name == "record" ? child(n, "header") : n;
        HarvestedItem held = read_header(header);
        if (name == "record" && !held.deleted)
            held.url = text_of(child(child(child(n, "metadata"), "dc"), "identifier"));
        holdings_[text_of(child(header, "identifier"))] = held;
        return true;
    }

    Service& service_;
    HarvestedItems holdings_;
    std::string from_;
};

// What one document should look like, as far as the writer can know.
struct ExpectedItem {
    int version = 0;
    bool deleted = false;
    bool removed =
        false;  // by DELETE: becomes a deleted record, or nothing if it was never published
    int collection = -1;  // index; -1 if none
};

// Random transactions by plain SQL; a rolled back one leaves the model as it was.
class Writer {
  public:
    Writer(const std::string& conninfo, unsigned seed)
        : connection_(conninfo, "writer"), random_(seed) {}

    void transaction() {
        std::map<int, ExpectedItem> after = model;
        std::string sql = "begin;";
        for (int i = pick(8); i >= 0; --i) sql += change(after);
        const bool keep = pick(5) > 0;
        connection_.script("writer", sql + (keep ? "commit" : "rollback"));
        if (keep) model = std::move(after);
    }
    std::map<int, ExpectedItem> model;

  private:
    int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
    static std::string collection(int i) {
        return "(select id from webarchiv.collection where name = 'c" + std::to_string(i / 3) +
               ":d" + std::to_string(i % 3) + "')";
    }
    static std::string url(int id, int version) {
        return "http://www.example.cz/" + std::to_string(id) + "/" + std::to_string(version);
    }
    std::string change(std::map<int, ExpectedItem>& after) {
        if (after.size() < 20 || pick(3) == 0)
            return insert(after, static_cast<int>(after.size()) + 1 + base_);
        auto it = after.begin();
        std::advance(it, pick(static_cast<int>(after.size())));
        if (it->second.removed) return "";
        const std::string where = " where id = " + std::to_string(it->first) + ";";
        switch (pick(4)) {
            case 0:
                return "update webarchiv.doc set url = '" + url(it->first, ++it->second.version) +
                       "'" + where;
            case 1:
                it->second.deleted = !it->second.deleted;
                return "update webarchiv.doc set deleted = not deleted" + where;
            case 2:
                return refile(it->first, it->second);
            default:
                if (pick(4) > 0) return "";
                it->second.removed = true;
                return "delete from webarchiv.doc" + where;
        }
    }
    std::string insert(std::map<int, ExpectedItem>& after, int id) {
        after[id] = {};
        const std::string n = std::to_string(id);
        return "insert into webarchiv.doc (id, archived_time, id_domain, url, surt) select " + n +
               ", '2007-01-01', id, '" + url(id, 0) + "', '" + n +
               "' from webarchiv.domain where name = 'cz:example:www';";
    }
    std::string refile(int id, ExpectedItem& doc) {
        const std::string n = std::to_string(id);
        const std::string clear = "delete from webarchiv.doc_collection where id_doc = " + n + ";";
        doc.collection = pick(7) - 1;
        if (doc.collection < 0) return clear;
        return clear + "insert into webarchiv.doc_collection values (" + n + ", " +
               collection(doc.collection) + ");";
    }
    static constexpr int base_ = 1000;
    pg::Connection connection_;
    std::mt19937 random_;
};

// The publisher's rounds in a thread of their own.
class PublishingThread {
  public:
    explicit PublishingThread(const std::string& conninfo)
        : thread_([this, conninfo] {
              pg::Connection connection(conninfo, "publisher");
              while (!stop_) {
                  connection.script("publish", "select oai.publish(50)");
                  std::this_thread::sleep_for(std::chrono::milliseconds{50});
              }
          }) {}
    ~PublishingThread() {
        stop_ = true;
        thread_.join();
    }

  private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

Config config_for(const test::TestDb& db, const std::string& key_file, int records) {
    Config config;
    config.repository.name = "Model";
    config.repository.base_url = "http://127.0.0.1/oai";
    config.repository.admin_email = {"admin@example.org"};
    config.repository.identifier_namespace = "example.org";
    config.lists.records = records;
    config.token.key_file = key_file;
    config.formats.directory = "xslt";
    config.database.connection = db.conninfo("oai_reader");
    return config;
}

HarvestedItems repository_holdings(test::TestDb& db) {
    HarvestedItems out;
    const std::string item = "from oai.record r where seq is not null order by id";
    const auto ids = db.column("select 'oai:example.org:' || local_id " + item);
    const auto stamps = db.column(
        "select to_char(datestamp at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') " + item);
    const auto deleted = db.column("select deleted " + item);
    const auto urls = db.column("select url " + item);
    const auto sets = db.column(
        "select (select string_agg(spec, ' ') from oai.set s where s.id = any (r.set_ids)) " +
        item);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        HarvestedItem held{stamps[i], deleted[i] == "t", {}, deleted[i] == "t" ? "" : urls[i]};
        std::istringstream words(sets[i]);
        for (std::string spec; words >> spec;) held.sets.insert(spec);
        out[ids[i]] = held;
    }
    return out;
}

void require_equal(const HarvestedItems& got, const HarvestedItems& want) {
    for (const auto& [identifier, held] : want) {
        INFO(identifier << " of the repository: " << held.datestamp << " " << held.url);
        const auto it = got.find(identifier);
        REQUIRE(it != got.end());
        INFO("of the harvester: " << it->second.datestamp << " " << it->second.url);
        REQUIRE(it->second == held);
    }
    REQUIRE(got.size() == want.size());
}

void require_model(const HarvestedItems& got, const std::map<int, ExpectedItem>& model) {
    for (const auto& [id, wanted] : model) {
        const auto it = got.find("oai:example.org:" + std::to_string(id));
        INFO(id);
        if (wanted.removed) {
            if (it != got.end()) REQUIRE(it->second.deleted);
            continue;
        }
        REQUIRE(it != got.end());
        REQUIRE(it->second.deleted == wanted.deleted);
        if (wanted.deleted) continue;
        const std::string end = "/" + std::to_string(wanted.version);
        REQUIRE(it->second.url.substr(it->second.url.size() - end.size()) == end);
        REQUIRE(it->second.sets.size() == (wanted.collection < 0 ? 1u : 2u));
    }
}

// Every set, whole, equals the repository's records of that set and its descendants.
void require_equal_sets(Service& service, test::TestDb& db, const HarvestedItems& want) {
    for (const std::string& spec : db.column("select spec from oai.set")) {
        Harvester of_set(service);
        of_set.harvest("ListIdentifiers", spec);
        HarvestedItems members;
        for (const auto& [identifier, held] : want)
            for (const std::string& own : held.sets)
                if (own == spec || own.starts_with(spec + ":")) members[identifier] = held;
        INFO(spec);
        require_equal(of_set.holdings(), members);
    }
}

void run_model(int records, std::chrono::milliseconds duration) {
    xml::initialise();
    log::set_level(log::Level::error);
    test::TestDb db("model");
    db.install_schema();
    db.run(
        "insert into webarchiv.domain (name) values ('cz:example:www');"
        "insert into webarchiv.collection (name) select 'c' || i || ':d' || j from "
        "generate_series(0, 1) i, generate_series(0, 2) j");
    const std::string key_file = "/tmp/" + db.name() + ".key";
    std::ofstream(key_file) << std::string(64, 'a') << "\n";
    std::filesystem::permissions(key_file, std::filesystem::perms::owner_read);
    const SystemClock clock;
    Service service(config_for(db, key_file, records), clock);
    db.run("select oai.publish(1)");
    service.read_horizon();

    Writer writer(db.conninfo(), static_cast<unsigned>(records));
    Harvester of_records(service), of_headers(service);
    {
        const PublishingThread publisher(db.conninfo("oai_publisher"));
        const auto end = std::chrono::steady_clock::now() + duration;
        std::thread writing([&] {
            while (std::chrono::steady_clock::now() < end) {
                writer.transaction();
                std::this_thread::sleep_for(std::chrono::milliseconds{10});
            }
        });
        while (std::chrono::steady_clock::now() < end) {
            of_records.harvest("ListRecords");
            of_headers.harvest("ListIdentifiers");
        }
        writing.join();
        while (db.number("select count(*) from oai.queue") > 0)
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    of_records.harvest("ListRecords");
    of_headers.harvest("ListIdentifiers");

    HarvestedItems want = repository_holdings(db);
    REQUIRE(want.size() > 50);
    require_equal(of_records.holdings(), want);
    require_model(of_records.holdings(), writer.model);
    for (auto& [identifier, held] : want) held.url.clear();
    require_equal(of_headers.holdings(), want);
    REQUIRE(of_records.largest_page <= static_cast<std::size_t>(records));
    REQUIRE(db.column("select problem from oai.check_chunks()").empty());
    REQUIRE(db.column("select problem from oai.check_calendar()").empty());

    require_equal_sets(service, db, want);
    std::remove(key_file.c_str());
}

}  // namespace

TEST_CASE("a harvester misses nothing with 1 record per page", "[model]") {
    run_model(1, std::chrono::seconds{4});
}
TEST_CASE("a harvester misses nothing with 7 records per page", "[model]") {
    run_model(7, std::chrono::seconds{4});
}
TEST_CASE("a harvester misses nothing with 100 records per page", "[model]") {
    run_model(100, std::chrono::seconds{4});
}
