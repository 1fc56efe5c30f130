// SPDX-License-Identifier: MIT
// What a page for people costs beside the same for harvesters, in one process: rows of name, value, unit.
//   browse CONFIG ROUNDS      CONFIG has [browse]; the repository is one of t/bench/generate
// Processor time of this process and, by wall clock, the whole with the database's; both the least of all rounds.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <limits>

#include <fmt/format.h>

#include "base/log.h"
#include "service.h"
#include "xml/document.h"

using namespace oai;

namespace {

struct Cost {
    double processor = std::numeric_limits<double>::max(), wall = std::numeric_limits<double>::max();  // ms
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
    cost.wall = std::min(cost.wall, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
}

struct Pair {
    const char* name;
    std::vector<Request> xml, page;  // the same for harvesters and for people
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

void run(const std::string& path, int rounds) {
    Config config = read_config(path);
    config.lists.records = config.browse.records;  // as many to a page
    const SystemClock clock;
    Service service(config, clock);
    service.read_horizon();
    const std::string identifier = "oai:" + config.repository.identifier_namespace + ":1000";
    std::vector<Request> every_format;
    for (const std::string& prefix : prefixes_of(service))
        every_format.push_back(asking("/oai", {{"verb", "GetRecord"}, {"metadataPrefix", prefix}, {"identifier", identifier}}));
    const auto list = [](const char* from) {
        return asking("/oai", {{"verb", "ListRecords"}, {"metadataPrefix", "oai_dc"}, {"set", "dom:cz"}, {"from", from}});
    };
    std::vector<Pair> pairs{
        {"list", {list("2006-01-02")}, {asking("/oai/browse/list", {{"set", "dom:cz"}, {"from", "2006-01-02"}})}},
        {"list_deep", {list("2006-01-02")}, {asking("/oai/browse/list", {{"set", "dom:cz"}, {"after", "5000"}, {"n", "4500"}})}},
        {"record", every_format, {asking("/oai/browse/record/" + identifier, {})}},
        {"sets", {asking("/oai", {{"verb", "ListSets"}})}, {asking("/oai/browse/sets", {{"set", "dom:cz"}})}},
    };
    for (int round = 0; round < rounds; ++round)
        for (Pair& pair : pairs) {
            measure(pair.xml_cost, [&] { ask(service, pair.xml); });
            measure(pair.page_cost, [&] { ask(service, pair.page); });
        }
    for (const Pair& pair : pairs) {
        fmt::print("browse.{}.xml\t{:.2f}\tms\nbrowse.{}.page\t{:.2f}\tms\n", pair.name, pair.xml_cost.wall, pair.name, pair.page_cost.wall);
        fmt::print("browse.{}.ratio\t{:.2f}\ttimes\n", pair.name, pair.page_cost.wall / pair.xml_cost.wall);
        fmt::print("browse.{}.processor\t{:.2f}\tms\n", pair.name, pair.page_cost.processor);
        fmt::print("browse.{}.xml.processor\t{:.2f}\tms\n", pair.name, pair.xml_cost.processor);
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 3) throw std::runtime_error("usage: browse CONFIG ROUNDS");
        xml::initialise();
        log::set_level(log::Level::error);
        run(argv[1], std::stoi(argv[2]));
        return 0;
    } catch (const std::exception& e) {
        std::cerr << "browse: " << e.what() << "\n";
        return 1;
    }
}
