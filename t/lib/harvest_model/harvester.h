// SPDX-License-Identifier: MIT
// The model of harvests (run_state.h): a harvester that polls continuously. It sends requests to
// the whole service and reads its XML, each page from a randomly chosen server, which may have a
// page size of its own.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/config.h"
#include "server/service.h"
#include "t/lib/harvest_model/holdings.h"
#include "t/lib/wait.h"
#include "web/request.h"
#include "xml/document.h"

namespace oai::harvest_model {

// How a harvester chooses its next `from`.
struct FromPolicy {
    // true: from its own clock (I2); false: the responseDate of its last harvest (I1)
    bool own_clock = false;
    std::int64_t overlap = 3;  // seconds that it subtracts from its own clock
};

// The next `from` (Unix seconds). A harvester with its own clock keeps its `from` while the
// publisher lags by more than the overlap, since I2 is promised for a healthy publisher only. That
// cannot hide a missed record: a record that appears after an answer, with a datestamp more than
// the overlap behind that moment, lies at or after the responseDate of that answer, so the answer
// itself shows the lag.
class NextFrom {
  public:
    explicit NextFrom(FromPolicy policy) : policy_(policy) {}
    void harvest_ended(WallClock::time_point began, std::int64_t response_date, RunState& state) {
        if (!policy_.own_clock) {
            from_ = response_date;
            return;
        }
        state.counts.add("harvests by own clock");
        const double now = unix_seconds(began);
        if (now - static_cast<double>(response_date) > static_cast<double>(policy_.overlap)) {
            state.counts.add(
                "harvests by own clock that keep their from, because the publisher lags");
            return;
        }
        from_ = static_cast<std::int64_t>(std::floor(now)) - policy_.overlap;
    }
    const std::optional<std::int64_t>& value() const { return from_; }

  private:
    FromPolicy policy_;
    std::optional<std::int64_t> from_;
};

inline std::string text_of(const xmlNode* node) {
    if (!node) return "";
    const std::unique_ptr<xmlChar, decltype(xmlFree)> content(xmlNodeGetContent(node), xmlFree);
    return reinterpret_cast<const char*>(content.get());
}

inline std::string_view name_of(const xmlNode* node) {
    return reinterpret_cast<const char*>(node->name);
}

inline const xmlNode* child(const xmlNode* parent, std::string_view name) {
    for (const xmlNode* n = parent ? parent->children : nullptr; n; n = n->next)
        if (n->type == XML_ELEMENT_NODE && name == name_of(n)) return n;
    return nullptr;
}

inline std::int64_t seconds_of(const std::string& datestamp) {
    const auto parsed = parse_datestamp(datestamp);
    return parsed ? parsed->first.time_since_epoch().count() : -1;
}

// Reads a <record> or a <header>.
inline HeldRecord read_record(const xmlNode* node, std::int64_t& id) {
    const xmlNode* header = name_of(node) == "record" ? child(node, "header") : node;
    HeldRecord held;
    id = std::atoll(text_of(child(header, "identifier")).substr(kIdentifierBegin.size()).c_str());
    held.datestamp = seconds_of(text_of(child(header, "datestamp")));
    held.deleted = xmlHasProp(const_cast<xmlNode*>(header),
                              reinterpret_cast<const xmlChar*>("status")) != nullptr;
    for (const xmlNode* n = header->children; n; n = n->next)
        if (n->type == XML_ELEMENT_NODE && name_of(n) == "setSpec")
            held.sets += hash_of(text_of(n));
    if (const xmlNode* metadata = child(node, "metadata"))
        held.version = version_of(text_of(child(child(metadata, "dc"), "identifier")));
    return held;
}

// Several servers of the same repository, which differ only in their page sizes.
using Servers = std::vector<std::unique_ptr<Service>>;

// A server with pages of so many records. Its repository is that of the database `reader`, or the
// view `only`.
inline std::unique_ptr<Service> make_server(const std::string& reader, const std::string& key_file,
                                            int records, const Clock& clock,
                                            const RepositoryModel& model = kWebarchiv,
                                            const std::string& only = "") {
    Config config;
    config.repository.only = only;
    config.repository.name = "Harvest model";
    config.repository.base_url = "http://127.0.0.1/oai";
    config.repository.admin_email = {"admin@example.org"};
    config.repository.identifier_namespace = "example.org";
    config.lists.records = records;
    config.token.key_file = key_file;
    config.formats.directory = model.formats;
    config.database.connection = reader;
    config.database.max_wait_milliseconds = 60'000;
    return std::make_unique<Service>(config, clock);
}

// Returns the answer of a randomly chosen server. A request answered by 503 is repeated for
// minutes; any other status but 200 is a finding, and then the result is empty.
inline std::string get_body(Servers& servers, const Request& request, RandomNumbers& random,
                            RunState& state) {
    const auto give_up = Stopwatch::now() + std::chrono::minutes{5};
    for (;;) {
        const auto which = static_cast<std::size_t>(
            random.between(0, static_cast<std::int64_t>(servers.size()) - 1));
        const Response response = servers[which]->answer(request);
        if (response.status == 200) return response.body;
        state.counts.add("answers " + std::to_string(response.status));
        if (response.status != 503 || Stopwatch::now() > give_up) {
            std::string asked = request.path;
            for (const Argument& argument : request.arguments)
                asked += " " + argument.name + "=" + argument.value;
            state.findings.add("every answer is complete", asked + ": " + response.body);
            return "";
        }
        test::pace(std::chrono::milliseconds{200});
    }
}
inline xml::DocumentHandle get_answer(Servers& servers, const std::string& query,
                                      RandomNumbers& random, RunState& state) {
    Request request;
    request.method = "GET";
    request.path = "/oai";
    request.arguments = split_arguments(query, &request.well_encoded);
    const std::string body = get_body(servers, request, random, state);
    return body.empty() ? nullptr : xml::parse_memory(body, "answer");
}

// One list, harvested again and again. For one thread at a time.
class ServiceHarvester {
  public:
    struct Task {
        std::string name = {};  // in findings
        std::string verb;
        std::string set = {};  // empty: the whole repository
        FromPolicy policy = {};
        bool measures_lag = false;
    };
    ServiceHarvester(RunState& state, Servers& servers, Task task, SeenRecords& seen_records,
                     unsigned seed)
        : state_(state),
          servers_(servers),
          task_(std::move(task)),
          seen_records_(seen_records),
          from_(task_.policy),
          random_(seed) {}

    void run_until_stop() {
        while (!state_.stop) {
            harvest();
            state_.pause(random_);
        }
    }
    // A harvest that ends early, because an answer is missing or the run is over, is not counted,
    // and the next one uses the same `from`. The last harvest, after everything is published, is
    // always completed.
    void harvest(bool last = false) {
        const auto began = WallClock::now();
        std::string query = "verb=" + task_.verb + "&metadataPrefix=oai_dc";
        if (!task_.set.empty()) query += "&set=" + task_.set;
        if (from_.value())
            query += "&from=" + print_datestamp(Seconds{std::chrono::seconds{*from_.value()}});
        response_date_ = -1;
        last_datestamp_ = 0;
        const bool undisturbed = state_.disturbance.is_over();
        while (!query.empty()) {
            const auto token = page(query);
            if (!token || (state_.stop && !last)) return;
            query = token->empty() ? "" : "verb=" + task_.verb + "&resumptionToken=" + *token;
        }
        if (task_.measures_lag && undisturbed && state_.disturbance.is_over() && !state_.stop)
            state_.lags.add(unix_seconds(began) - static_cast<double>(response_date_));
        from_.harvest_ended(began, response_date_, state_);
        state_.counts.add("harvests");
    }
    const Holdings& holdings() const { return holdings_; }
    const Task& task() const { return task_; }
    std::size_t largest_page() const { return largest_page_; }  // in records

  private:
    // Returns the token of the next page, "" on the last page, nothing if there was no valid
    // answer.
    std::optional<std::string> page(const std::string& query) {
        const xml::DocumentHandle document = get_answer(servers_, query, random_, state_);
        if (!document) return std::nullopt;
        const xmlNode* root = xmlDocGetRootElement(document.get());
        const auto response_date = seconds_of(text_of(child(root, "responseDate")));
        if (response_date_ < 0) response_date_ = response_date;
        if (const xmlNode* error = child(root, "error")) return check_error(query, text_of(error));
        const xmlNode* list = child(root, task_.verb);
        if (!list) return check_error(query, "there is neither a list nor an error");
        std::size_t records = 0;
        for (const xmlNode* n = list->children; n; n = n->next)
            if (n->type == XML_ELEMENT_NODE && name_of(n) != "resumptionToken") {
                take(n);
                ++records;
            }
        largest_page_ = std::max(largest_page_, records);
        const xmlNode* token = child(list, "resumptionToken");
        state_.counts.add("pages");
        return token ? text_of(token) : "";
    }
    std::optional<std::string> check_error(const std::string& query, const std::string& words) {
        if (words.starts_with("No record")) return "";
        state_.findings.add("every answer is complete", query + ": " + words);
        return std::nullopt;
    }
    void take(const xmlNode* n) {
        std::int64_t id = 0;
        const HeldRecord seen = read_record(n, id);
        if (seen.datestamp < last_datestamp_)
            state_.findings.add(kOrder,
                                task_.name + ": " + std::to_string(id) + " follows a later one");
        last_datestamp_ = seen.datestamp;
        holdings_.add(id, seen, task_.name, state_);
        seen_records_.add(id, seen.datestamp);
    }

  public:
    static constexpr const char* kOrder = "numbers ascend in every list, and datestamps never fall";

  private:
    RunState& state_;
    Servers& servers_;
    const Task task_;
    SeenRecords& seen_records_;
    NextFrom from_;
    RandomNumbers random_;
    Holdings holdings_;
    std::size_t largest_page_ = 0;
    std::int64_t response_date_ = -1, last_datestamp_ = 0;
};

}  // namespace oai::harvest_model
