// SPDX-License-Identifier: MIT
// The pages under /-/: their paths, what makes the server unhealthy, and the metrics page of an
// invented ServerStatus.
#include "monitor/admin_pages.h"

#include "base/text.h"
#include "t/lib/temporary_directory.h"
#include "t/lib/unit_headers.h"

namespace {

const Seconds kNow{1'700'000'000s};

ServerStatus healthy_status() {
    ServerStatus c;
    c.now = kNow;
    c.late_seconds = 60;
    c.connections = 4;
    c.database.horizon = Horizon{.h = kNow - 2s, .last_seq = 7};
    c.database.queued = 0;
    c.database.checked = std::chrono::steady_clock::now();
    return c;
}

std::string name_of(std::string_view path, std::string_view base_url) {
    const AdminPage* page = find_admin_page(path, base_url);
    return page == nullptr ? "none" : std::string(page->name);
}

class Folder {
  public:
    Folder() {
        directory_.write("secret.xsd", "not for you");
        write("a.xsd", "<schema/>");
    }
    void write(const std::string& name, const std::string& text) const {
        directory_.write("schema/" + name, text);
    }
    std::string path() const { return directory_.at("schema"); }
    Response ask(std::string_view name, const std::string& if_none_match = "") const {
        Request request;
        request.method = "GET";
        request.if_none_match = if_none_match;
        return schema_file_response(path(), name, request);
    }

  private:
    TemporaryDirectory directory_;
};

std::string header(const Response& response, const std::string& name) {
    for (const auto& [n, value] : response.headers)
        if (n == name) return value;
    return "";
}

}  // namespace

TEST_CASE("admin pages: each has one path and no other") {
    for (const char* base : {"http://a.org/oai", "https://a.org:8443/oai/", "http://a.org/oai//"}) {
        CAPTURE(base);
        CHECK(name_of("/oai/-/health", base) == "health");
        CHECK(name_of("/oai/-/metrics", base) == "metrics");
    }
    CHECK(name_of("/-/health", "http://a.org") == "health");
    CHECK(name_of("/-/health", "http://a.org/") == "health");
    for (const char* path :
         {"/oai/-/", "/oai/-", "/oai/-/healthy", "/oai/-/health/", "/oai//-/health",
          "/oai/x/-/health", "/x/-/health", "/-/health", "/oai/-/schema/../health",
          "/oai/%2d/health", "/OAI/-/health", "/oaix/-/health", "/oai/-/metrics/../health", ""}) {
        CAPTURE(path);
        CHECK(name_of(path, "http://a.org/oai") == "none");
    }
    for (const char* path : {"/oai/-/", "/oai/-/healthy", "/oai/-/health"})
        CHECK(find_admin_page(path, "http://a.org/oai") != nullptr);
    for (const char* path : {"/oai/-", "/oai", "/-/health", "/oai//-/health", ""})
        CHECK(find_admin_page(path, "http://a.org/oai") == nullptr);
}

TEST_CASE("health: healthy, and each reason for being unhealthy") {
    CHECK(health_of(healthy_status()).ready());
    CHECK(!health_of(healthy_status()).degraded());

    ServerStatus c = healthy_status();
    c.database.trouble = "no connection";
    CHECK(health_of(c).database == "no connection");
    CHECK(!health_of(c).ready());
    CHECK(!health_of(c).degraded());
    c = healthy_status();
    c.database.checked.reset();
    CHECK_THAT(health_of(c).database, Contains("not been asked"));
    c = healthy_status();
    c.database.checked = std::chrono::steady_clock::now() - 1min;
    CHECK_THAT(health_of(c).database, Contains("not answered for 60 s"));

    c = healthy_status();
    c.now += 58s;
    CHECK(health_of(c).ready());
    c.now += 1s;
    CHECK_THAT(health_of(c).publisher, Contains("61 s ago"));
    CHECK(health_of(c).ready());
    CHECK(health_of(c).degraded());
    c = healthy_status();
    c.now -= 3s;
    CHECK_THAT(health_of(c).publisher, Contains("clock is behind"));
    c = healthy_status();
    c.database.horizon.reset();
    c.database.unnumbered = "being numbered";
    CHECK(health_of(c).publisher == "being numbered");
    CHECK(health_of(c).database == "");
    CHECK(!health_of(c).ready());

    c = healthy_status();
    c.format_faults = {"a.xsl:3: wrong", "b.xsl:1: wrong too"};
    CHECK(health_of(c).formats == "a.xsl:3: wrong\nb.xsl:1: wrong too");
    CHECK(health_of(c).ready());
    CHECK(health_of(c).degraded());
}

TEST_CASE("health: the page is 200, or 503 while lists cannot be answered, with the reasons") {
    const Metrics metrics;
    CHECK(health_page(healthy_status(), metrics).status == 200);
    ServerStatus c = healthy_status();
    c.format_faults = {"a.xsl:3: \"wrong\" \xFF"};
    const Response response = health_page(c, metrics);
    CHECK(response.status == 200);
    CHECK_THAT(response.body, Contains("a.xsl:3: \\\"wrong\\\""));
    CHECK_THAT(response.body, Contains("\"ready\": true") && Contains("\"degraded\": true"));
    c.database.trouble = "no connection";
    CHECK(health_page(c, metrics).status == 503);
    CHECK_THAT(health_page(c, metrics).body,
               Contains("\"ready\": false") && Contains("\"degraded\": false"));
    CHECK_THAT(response.body, Contains("\"lag_seconds\": 2"));
}

TEST_CASE("metrics: text from clients and stylesheets cannot leave its label") {
    ServerStatus c = healthy_status();
    c.format_faults = {"a\"b.xsl:3: line one\nline \"two\" \\"};
    Harvester h{.address = "192.0.2.1", .agent = "x\"} 1\nforged 2 \\"};
    h.requests = 3;
    c.harvesters = {h};
    const std::string text = metrics_page(c, Metrics()).body;
    CHECK_THAT(
        text,
        Contains(R"(oai_format_fault{where="a\"b.xsl:3",why="line one\nline \"two\" \\"} 1)"));
    CHECK_THAT(text, Contains(R"(oai_harvester_requests_total{harvester="192.0.2.1",)"
                              R"(agent="x\"} 1\nforged 2 \\"} 3)"));
    CHECK_THAT(text, !Contains("\nforged"));
    CHECK_THAT(text, !Contains("oai_harvester_list_records"));
}

TEST_CASE("metrics: at most ten harvesters and fifty faults are listed") {
    ServerStatus c = healthy_status();
    for (int i = 0; i < 100; ++i) {
        c.harvesters.push_back({.address = std::to_string(i), .agent = ""});
        c.format_faults.push_back("f" + std::to_string(i) + ".xsl:1: " + std::string(10'000, 'x'));
    }
    const std::string text = metrics_page(c, Metrics()).body;
    const auto count = [lines = text::split(text, '\n')](std::string_view name) {
        return std::count_if(lines.begin(), lines.end(),
                             [&](std::string_view line) { return line.starts_with(name); });
    };
    CHECK(count("oai_harvester_requests_total{") == 10);
    CHECK(count("oai_format_fault{") == 50);
    CHECK(text.size() < 60'000);
    CHECK_THAT(text, Contains("oai_format_faults 100"));
}

TEST_CASE("the holder of a lock that changes wait for is shown, and is no fault") {
    ServerStatus c = healthy_status();
    CHECK_THAT(health_page(c, Metrics()).body, !Contains("blocked"));
    CHECK_THAT(metrics_page(c, Metrics()).body, Contains("\noai_publisher_blocked_seconds 0\n"));
    c.database.blocked_seconds = 7;
    c.database.blocked_by = "pid 1 oai_loader psql";
    CHECK(health_of(c).ready());
    CHECK(health_page(c, Metrics()).status == 200);
    CHECK_THAT(health_page(c, Metrics()).body,
               Contains("\"blocked_by\": \"pid 1 oai_loader psql\""));
    CHECK_THAT(status_page(c, Metrics()).body,
               Contains("\"blocked_by\": \"pid 1 oai_loader psql\""));
    CHECK_THAT(metrics_page(c, Metrics()).body, Contains("\noai_publisher_blocked_seconds 7\n"));
}

TEST_CASE("metrics: an unknown value has no series") {
    ServerStatus c = healthy_status();
    c.database.horizon.reset();
    c.database.queued = -1;
    const std::string text = metrics_page(c, Metrics()).body;
    CHECK_THAT(text, !Contains("oai_publisher_lag_seconds"));
    CHECK_THAT(text, !Contains("oai_publisher_queue"));
    CHECK_THAT(metrics_page(healthy_status(), Metrics()).body,
               Contains("oai_publisher_lag_seconds 2"));
}

TEST_CASE("schema file: which paths are requests for a schema") {
    CHECK(schema_file_name("/oai/-/schema/a.xsd") == "a.xsd");
    CHECK(schema_file_name("/-/schema/My_own-1.2.xsd") == "My_own-1.2.xsd");
    CHECK(schema_file_name("/a/b/oai/-/schema/a.xsd") == "a.xsd");
    for (const char* not_ours :
         {"/oai", "/oai/", "/oai/-/", "/oai/-/schema", "/oai/-/health", "/oai/schema/a.xsd",
          "/oai/-/health/../schema/a.xsd", "/oai/-/health/-/schema/a.xsd"}) {
        CAPTURE(not_ours);
        CHECK_FALSE(schema_file_name(not_ours));
    }
}

TEST_CASE("schema file: a name that contains a path, or is no name of a schema, is rejected") {
    for (const char* name :
         {"", ".xsd", "..xsd", ".a.xsd", "a.xsl", "a.xsd/", "a.XSD", "../secret.xsd",
          "/etc/passwd.xsd", "sub/a.xsd", "./a.xsd", "%2e%2e%2fsecret.xsd", "..%2fsecret.xsd",
          "a%00.xsd", "a b.xsd", "a.xsd%00", "..\\secret.xsd", "\xC3\xA4.xsd", "a.xsd~"}) {
        CAPTURE(name);
        CHECK(schema_file_name(std::string("/oai/-/schema/") + name) == "");
    }
    CHECK(schema_file_name(std::string_view("/oai/-/schema/a\0.xsd", 20)) == "");
}

TEST_CASE(
    "schema file: a regular file is returned with an ETag of its content, anything else is 404") {
    const Folder folder;
    const Response found = folder.ask("a.xsd");
    CHECK(found.status == 200);
    CHECK(found.body == "<schema/>");
    CHECK(header(found, "Content-Type") == "application/xml");
    CHECK(header(found, "Cache-Control") == "public, max-age=3600");
    fs::create_directory(folder.path() + "/folder.xsd");
    REQUIRE(mkfifo((folder.path() + "/pipe.xsd").c_str(), 0600) == 0);
    for (const char* name : {"", "b.xsd", "folder.xsd", "pipe.xsd"}) {
        CAPTURE(name);
        CHECK(folder.ask(name).status == 404);
    }
    fs::remove_all(folder.path());
    CHECK(folder.ask("a.xsd").status == 404);
}

TEST_CASE("schema file: If-None-Match is answered by 304 until the content changes") {
    const Folder folder;
    const std::string tag = header(folder.ask("a.xsd"), "ETag");
    CHECK(tag.size() == 34);
    for (const std::string& sent : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
        CAPTURE(sent);
        const Response same = folder.ask("a.xsd", sent);
        CHECK(same.status == 304);
        CHECK(same.body.empty());
        CHECK(header(same, "ETag") == tag);
        CHECK_THAT(cgi_head(same), !Contains("Content-Length"));
    }
    CHECK(folder.ask("a.xsd", "\"x\"").status == 200);
    folder.write("copy.xsd", "<schema/>");
    CHECK(folder.ask("copy.xsd", tag).status == 304);
    folder.write("a.xsd", "<schema />");
    CHECK(folder.ask("a.xsd", tag).status == 200);
}

TEST_CASE("schema file: methods other than GET and HEAD are 405") {
    Request post;
    post.method = "POST";
    const Response refused = schema_file_response("/nowhere", "a.xsd", post);
    CHECK(refused.status == 405);
    CHECK(header(refused, "Allow") == "GET, HEAD");
}
