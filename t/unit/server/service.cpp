// SPDX-License-Identifier: MIT
// The service without a database: what it must say then, and never say.
#include "server/service.h"

#include "base/log.h"
#include "monitor/request_log.h"
#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"
#include "xml/document.h"

namespace {

constexpr const char* kSheet =
    R"(<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
  xmlns:f="urn:oai-fcgi:format"><f:format prefix="oai_dc" schema="http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
  namespace="http://www.openarchives.org/OAI/2.0/oai_dc/"/><xsl:template match="record"><d:dc
  xmlns:d="http://www.openarchives.org/OAI/2.0/oai_dc/"/></xsl:template></xsl:stylesheet>)";

// A configuration whose database does not exist.
class Unreachable {
  public:
    Unreachable() {
        log::set_level(log::Level::error);
        directory_.write("formats/oai_dc.xsl", kSheet);
        fs::permissions(directory_.write("key", std::string(64, 'a')), fs::perms::owner_read);
    }

    Config config() const {
        Config c;
        c.repository.name = "Unreachable";
        c.repository.base_url = "http://archive.example.org/oai";
        c.repository.admin_email = {"archive@example.org"};
        c.repository.identifier_namespace = "archive.example.org";
        c.token.key_file = directory_.at("key");
        c.formats.directory = directory_.at("formats");
        c.database.connection = "host=" + directory_.at("no-database-here");
        c.server.retry_after_seconds = 17;
        return c;
    }

  private:
    TemporaryDirectory directory_;
};

Request asking(std::vector<Argument> arguments) {
    Request request;
    request.method = "GET";
    request.path = "/oai";
    request.arguments = std::move(arguments);
    return request;
}

std::string value_of(const Response& response, const std::string& name) {
    for (const auto& [n, v] : response.headers)
        if (n == name) return v;
    return "";
}

struct WithoutDatabase {
    const Unreachable world;
    const FixedClock clock{Seconds{}};
    Service service{world.config(), clock};
};

}  // namespace

TEST_CASE_METHOD(
    WithoutDatabase,
    "without a horizon Identify tells what the configuration says, with dates that nobody misses "
    "anything by, and every other request of OAI-PMH is answered by 503") {
    for (int time = 0; time < 2; ++time) {  // what the first tells is not taken for a horizon
        const Response known = service.answer(asking({{"verb", "Identify"}}));
        CHECK(known.status == 200);
        CHECK_THAT(known.body, Contains("<responseDate>1970-01-01T00:00:00Z</responseDate>"));
        CHECK_THAT(known.body,
                   Contains("<earliestDatestamp>1970-01-01T00:00:00Z</earliestDatestamp>"));
        CHECK(value_of(known, "Cache-Control") == "no-cache");
    }
    for (const char* verb : {"ListMetadataFormats", "ListSets", "Nonsense"}) {
        const Response response = service.answer(asking({{"verb", verb}}));
        CHECK(response.status == 503);
        CHECK(value_of(response, "Retry-After") != "");
        CHECK(value_of(response, "Cache-Control") == "no-cache");
        CHECK_THAT(response.body, !Contains("<OAI-PMH"));
    }
    CHECK_THROWS(service.read_horizon());
}

TEST_CASE_METHOD(WithoutDatabase,
                 "a database that cannot be reached is answered by 503, never by noRecordsMatch") {
    const Response response =
        service.answer(asking({{"verb", "ListRecords"}, {"metadataPrefix", "oai_dc"}}));
    CHECK(response.status == 503);
    CHECK(value_of(response, "Retry-After") == "17");
    CHECK_THAT(response.body, !Contains("noRecordsMatch"));
}

TEST_CASE_METHOD(WithoutDatabase, "refuse() answers with the status of the refusal") {
    Request seen;
    seen.method = "DELETE";
    RequestLog log{seen};
    const Response response = service.refuse({405, "Only GET, HEAD and POST."}, log);
    CHECK(response.status == 405);
    CHECK_THAT(value_of(response, "Allow"), Contains("POST"));
}

TEST_CASE("a service cannot be constructed without its token key or its formats") {
    const Unreachable world;
    const FixedClock clock{Seconds{}};
    Config without_key = world.config();
    without_key.token.key_file += "-missing";
    CHECK_THROWS_AS(Service(without_key, clock), std::runtime_error);
    Config without_formats = world.config();
    without_formats.formats.directory += "-missing";
    CHECK_THROWS_AS(Service(without_formats, clock), std::runtime_error);
}

TEST_CASE_METHOD(WithoutDatabase, "the destructor of a watching service returns") {
    service.start_watching();
    CHECK(service.answer(asking({{"verb", "ListSets"}})).status == 503);
}

TEST_CASE_METHOD(WithoutDatabase, "admin pages are answered whatever the state of the database") {
    Request page = asking({});
    page.path = "/oai/-/health";
    CHECK(service.answer(page).status == 503);
    CHECK_THAT(service.answer(page).body, Contains("\"live\": true"));
    page.path = "/oai/-/metrics";
    CHECK(service.answer(page).status == 200);
    CHECK_THAT(service.answer(page).body,
               Contains("\noai_requests_total{outcome=\"ok\",verb=\"page\"} 1\n"));
    page.forwarded_for = "203.0.113.9";
    for (const char* name : {"health", "metrics", "status"}) {
        page.path = std::string("/oai/-/") + name;
        CHECK(service.answer(page).status == 403);
    }
    page.forwarded_for.clear();
    page.path = "/elsewhere/-/metrics";
    CHECK_THAT(service.answer(page).body, !Contains("oai_requests_total"));
}

TEST_CASE("a client beyond its rate limit is answered by 503 with Retry-After") {
    const Unreachable world;
    const FixedClock clock{Seconds{}};
    Config config = world.config();
    config.clients.requests_per_minute = 2;
    config.clients.burst = 1;
    Service service(config, clock);
    const auto list = [] {
        return asking({{"verb", "ListIdentifiers"}, {"metadataPrefix", "oai_dc"}});
    };
    CHECK(value_of(service.answer(list()), "Retry-After") == "17");
    const Request request = list();
    RequestLog log{request};
    const Response limited = service.answer(log);
    service.finish(log, limited);
    CHECK(log.limited);
    CHECK(limited.status == 503);
    CHECK(value_of(limited, "Retry-After") == "30");
    CHECK_THAT(service.answer(asking({{"verb", "Identify"}})).body,
               Contains("<repositoryName>Unreachable"));
}
