// SPDX-License-Identifier: MIT
// Fuzzes the complete processing of a request, with a database of its own, from CGI variables and a
// body to the answer. The input consists of lines: REQUEST_METHOD, REQUEST_URI, QUERY_STRING,
// CONTENT_TYPE, CONTENT_LENGTH, HTTP_ACCEPT_ENCODING, HTTP_IF_NONE_MATCH; the rest is the body.
// "@R", "@I" and "@S" stand for tokens that the repository issued for ListRecords, ListIdentifiers
// and ListSets. The database works, so no answer may be 5xx.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "monitor/request_log.h"
#include "server/service.h"
#include "t/lib/temporary_directory.h"
#include "t/lib/testdb.h"
#include "xml/document.h"

namespace {

using namespace oai;

constexpr std::array<std::string_view, 7> kNames = {
    "REQUEST_METHOD", "REQUEST_URI",          "QUERY_STRING",      "CONTENT_TYPE",
    "CONTENT_LENGTH", "HTTP_ACCEPT_ENCODING", "HTTP_IF_NONE_MATCH"};

// The repository of the golden cases, with pages of three records.
class World {
  public:
    World() : database_("fuzz") {
        log::set_level(log::Level::error);
        xml::initialise();
        database_.install_schema();
        std::ifstream data("t/golden/data.sql");
        database_.run(std::string(std::istreambuf_iterator<char>(data), {}));
        for (int i = 0; i < 3; ++i) database_.run("select oai.publish(1000)");
        std::filesystem::permissions(directory_.write("key", std::string(64, 'a')),
                                     std::filesystem::perms::owner_read);
        service_ = std::make_unique<Service>(config(), clock_);
        service_->read_horizon();
        tokens_ = {
            {"@R", token_of("verb=ListRecords&metadataPrefix=oai_dc")},
            {"@I", token_of("verb=ListIdentifiers&metadataPrefix=oai_dc&set=dom&from=2019-01-01")},
            {"@S", token_of("verb=ListSets")}};
    }
    std::string with_tokens(std::string text) const {
        for (const auto& [mark, token] : tokens_)
            if (const std::size_t at = text.find(mark); at != std::string::npos)
                text.replace(at, mark.size(), token);
        return text;
    }

    Response answer(const CgiVariables& cgi, std::string_view body) const {
        const auto length = body_length(cgi, 65'536);
        if (const auto* refusal = std::get_if<Refusal>(&length)) return refuse(*refusal);
        const auto read = read_request(cgi, body.substr(0, std::get<std::size_t>(length)));
        if (const auto* refusal = std::get_if<Refusal>(&read)) return refuse(*refusal);
        return service_->answer(std::get<Request>(read));
    }

  private:
    Response refuse(const Refusal& refusal) const {
        const Request none;
        RequestLog log{none};
        return service_->refuse(refusal, log);
    }
    Config config() const {
        Config c;
        c.repository.name = "Fuzzed";
        c.repository.base_url = "http://archive.example.org/oai";
        c.repository.admin_email = {"archive@example.org"};
        c.repository.identifier_namespace = "archive.example.org";
        c.lists.records = 3;
        c.lists.sets = 4;
        c.token.key_file = directory_.at("key");
        c.formats.directory = "xslt";
        c.database.connection = database_.conninfo("oai_reader");
        return c;
    }
    std::string token_of(const std::string& query) const {
        Request request;
        request.method = "GET";
        request.path = "/oai";
        request.arguments = split_arguments(query, &request.well_encoded);
        const std::string body = service_->answer(request).body;
        const std::size_t end = body.find("</resumptionToken>");
        if (end == std::string::npos) std::abort();
        const std::size_t begin = body.rfind('>', end) + 1;
        return body.substr(begin, end - begin);
    }

    test::TestDb database_;
    SystemClock clock_;
    test::TemporaryDirectory directory_;
    std::unique_ptr<Service> service_;
    std::vector<std::pair<std::string, std::string>> tokens_;
};

std::string header(const Response& response, std::string_view name) {
    for (const auto& [n, value] : response.headers)
        if (n == name) return value;
    return "";
}

const char* fault_of(const Response& response) {
    if (response.status < 200 || response.status >= 500)
        return "a status that a healthy repository does not give";
    const std::string head = cgi_head(response);
    if (head.find("\r\n\r\n") != head.size() - 4) return "headers that end elsewhere";
    if (response.status != 200 || header(response, "Content-Encoding") == "gzip") return nullptr;
    const std::string type = header(response, "Content-Type");
    if (!type.starts_with("text/xml") && type != "application/xml") return "no XML";
    try {
        const auto document = xml::parse_memory(response.body, "answer");
        if (xml::root_namespace(document.get()) == "http://www.openarchives.org/OAI/2.0/")
            return nullptr;
        return xml::root_name(document.get()) == "schema" ? nullptr : "no OAI-PMH";
    } catch (const xml::Error&) {
        return "not well-formed";
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const World world;
    const std::string text =
        world.with_tokens(std::string(reinterpret_cast<const char*>(data), size));
    std::string_view rest = text;
    std::array<std::string_view, kNames.size()> values;
    for (auto& value : values) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        value = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const Response response = world.answer(
        [&](std::string_view name) {
            const auto* found = std::find(kNames.begin(), kNames.end(), name);
            return found == kNames.end() ? std::string_view{}
                                         : values[static_cast<std::size_t>(found - kNames.begin())];
        },
        rest);
    if (const char* fault = fault_of(response)) {
        std::fprintf(stderr, "%s: %d\n%s\n", fault, response.status, response.body.c_str());
        std::abort();
    }
    return 0;
}
