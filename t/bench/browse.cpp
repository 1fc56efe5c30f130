// SPDX-License-Identifier: MIT
// Compares the cost of an HTML page with that of the OAI-PMH answers with the same content, in one
// process. Prints rows of name, value, unit.
//   browse CONFIG ROUNDS         CONFIG has [browse]; the repository is one of t/bench/generate
//   browse CONFIG ROUNDS PAGE    only that page, without measuring, for a profiler
// Measures the processor time of this process and the wall-clock time including the database's
// work, each the minimum of all rounds. A page is compared with the requests that a harvester needs
// to learn what the page shows: for a record, the record in each of its formats; for the formats,
// an example of each; for the start page, Identify, the formats and the same number of the newest
// records. Content that no verb returns (histograms, counts, links to previous pages) has no
// counterpart. A histogram is cached until something is published; `list.drawn` is the time of the
// first page that draws it.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <limits>

#include "base/log.h"
#include "server/service.h"
#include "xml/document.h"

using namespace oai;

namespace {

struct Cost {
    double processor = std::numeric_limits<double>::max(),
           wall = std::numeric_limits<double>::max();  // ms
};

double processor_ms() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

Request asking(const std::string& path, std::vector<Argument> arguments) {
    Request request;
    request.method = "GET";
    request.path = path;
    request.arguments = std::move(arguments);
    return request;
}

void measure(Cost& cost, const std::function<void()>& work) {
    const auto began = std::chrono::steady_clock::now();
    const double before = processor_ms();
    work();
    cost.processor = std::min(cost.processor, processor_ms() - before);
    cost.wall =
        std::min(cost.wall,
                 std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began)
                     .count());
}

constexpr int kNewest = 10;  // records on the start page

struct Pair {
    const char* name;
    std::vector<Request> xml;  // the OAI-PMH requests with the same content
    Request page;              // the request for the HTML page
    bool few = false;          // lists of kNewest records
    Cost xml_cost{}, page_cost{};
};

void ask(Service& service, const std::vector<Request>& requests) {
    for (const Request& request : requests)
        if (const Response response = service.answer(request); response.status != 200)
            throw std::runtime_error(fmt::format("{}: {}", request.path, response.status));
}

std::vector<std::string> prefixes_of(Service& service) {
    const std::string body = service.answer(asking("/oai", {{"verb", "ListMetadataFormats"}})).body;
    std::vector<std::string> prefixes;
    constexpr std::string_view kTag = "<metadataPrefix>";
    for (std::size_t at = 0; (at = body.find(kTag, at)) != std::string::npos;) {
        at += kTag.size();
        prefixes.push_back(body.substr(at, body.find('<', at) - at));
    }
    return prefixes;
}

std::vector<Pair> pairs_of(Service& service, const std::string& identifier) {
    const Request identify = asking("/oai", {{"verb", "Identify"}}),
                  formats = asking("/oai", {{"verb", "ListMetadataFormats"}});
    std::vector<Request> every_format, examples{formats};
    for (const std::string& prefix : prefixes_of(service))
        every_format.push_back(asking(
            "/oai",
            {{"verb", "GetRecord"}, {"metadataPrefix", prefix}, {"identifier", identifier}}));
    examples.insert(examples.end(), every_format.begin(), every_format.end());
    const auto list = [](const char* from) {
        return asking("/oai", {{"verb", "ListRecords"},
                               {"metadataPrefix", "oai_dc"},
                               {"set", "dom:cz"},
                               {"from", from}});
    };
    const Request last_day = asking(
        "/oai", {{"verb", "ListRecords"}, {"metadataPrefix", "oai_dc"}, {"from", "2006-10-01"}});
    return {
        {"home", {identify, formats, last_day}, asking("/oai/browse", {}), true},
        {"formats", examples, asking("/oai/browse/formats", {})},
        {"sets",
         {asking("/oai", {{"verb", "ListSets"}})},
         asking("/oai/browse/sets", {{"set", "dom:cz"}})},
        {"list",
         {list("2006-01-02")},
         asking("/oai/browse/list", {{"set", "dom:cz"}, {"from", "2006-01-02"}})},
        {"list_deep",
         {list("2006-01-02")},
         asking("/oai/browse/list", {{"set", "dom:cz"}, {"after", "5000"}, {"n", "4500"}})},
        {"record", every_format, asking("/oai/browse/record/" + identifier, {})},
    };
}

void print(const Pair& pair) {
    fmt::print("browse.{}.xml\t{:.2f}\tms\nbrowse.{}.page\t{:.2f}\tms\n", pair.name,
               pair.xml_cost.wall, pair.name, pair.page_cost.wall);
    fmt::print("browse.{}.ratio\t{:.2f}\ttimes\n", pair.name,
               pair.page_cost.wall / pair.xml_cost.wall);
    fmt::print("browse.{}.processor\t{:.2f}\tms\n", pair.name, pair.page_cost.processor);
    fmt::print("browse.{}.xml.processor\t{:.2f}\tms\n", pair.name, pair.xml_cost.processor);
}

// Measures drawing a histogram that is not cached: each round starts at a different second. All
// bars of the histogram are drawn.
void print_drawing(Service& service, int rounds) {
    Cost cost;
    for (int round = 0; round < std::min(rounds, 60); ++round) {
        const std::string from = fmt::format("2006-02-03T00:00:{:02}Z", round);
        const Request list =
            asking("/oai/browse/list",
                   {{"set", "dom:cz"}, {"from", from}, {"until", "2006-10-08T00:00:00Z"}});
        measure(cost, [&] { ask(service, {list}); });
    }
    fmt::print("browse.list.drawn\t{:.2f}\tms\n", cost.wall);
}

void run(const std::string& path, int rounds, std::string_view only) {
    Config config = read_config(path);
    config.lists.records = config.browse.records;  // the same number per page
    const SystemClock clock;
    Service service(config, clock);
    config.lists.records = kNewest;
    Service of_few(config, clock);
    service.read_horizon();
    of_few.read_horizon();
    std::vector<Pair> pairs =
        pairs_of(service, "oai:" + config.repository.identifier_namespace + ":1000");
    for (int round = 0; round < rounds; ++round)
        for (Pair& pair : pairs) {
            if (only == pair.name) ask(service, {pair.page});
            if (!only.empty()) continue;
            measure(
                pair.xml_cost, [&] { ask(pair.few ? of_few : service, pair.xml); });
            measure(pair.page_cost, [&] { ask(service, {pair.page}); });
        }
    if (!only.empty()) return;
    for (const Pair& pair : pairs) print(pair);
    print_drawing(service, rounds);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 3 && argc != 4) throw std::runtime_error("usage: browse CONFIG ROUNDS [PAGE]");
        xml::initialise();
        log::set_level(log::Level::error);
        run(argv[1], std::stoi(argv[2]), argc == 4 ? argv[3] : "");
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "browse: " << e.what() << "\n";
        return 1;
    }
}
