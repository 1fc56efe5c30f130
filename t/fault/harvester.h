// SPDX-License-Identifier: MIT
// Harvesters that poll continuously. ServiceHarvester sends requests to the whole service and reads
// its XML, each page from a randomly chosen server with its own page size. StoreHarvester runs the
// store's statements and therefore sees the publication numbers too.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "holdings.h"
#include "server/service.h"
#include "store/store.h"
#include "web/request.h"
#include "xml/document.h"

namespace oai::fault {

// How a harvester chooses its next `from`.
struct Habit {
    bool own_clock =
        false;  // true: from its own clock (I2); false: the responseDate of its last harvest (I1)
    std::int64_t overlap = 3;  // seconds that it subtracts from its own clock
};

// The next `from` (Unix seconds). A harvester with its own clock keeps its `from` while the
// publisher lags by more than the overlap, since I2 is promised for a healthy publisher only. That
// cannot hide a missed record: a record that appears after an answer, with a datestamp more than
// the overlap behind that moment, lies at or after the responseDate of that answer, so the answer
// itself shows the lag.
class NextFrom {
  public:
    explicit NextFrom(Habit habit) : habit_(habit) {}
    void harvested(WallClock::time_point began, std::int64_t response_date, Fire& fire) {
        if (!habit_.own_clock) {
            from_ = response_date;
            return;
        }
        const double now = unix_seconds(began);
        if (now - static_cast<double>(response_date) > static_cast<double>(habit_.overlap)) {
            fire.counts.add("I2 rests");
            return;
        }
        from_ = static_cast<std::int64_t>(std::floor(now)) - habit_.overlap;
        fire.counts.add("I2 harvests");
    }
    const std::optional<std::int64_t>& value() const { return from_; }

  private:
    Habit habit_;
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
inline Held read_record(const xmlNode* node, std::int64_t& id) {
    const xmlNode* header = name_of(node) == "record" ? child(node, "header") : node;
    Held held;
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

// Returns the answer of a randomly chosen server. A request answered by 503 is repeated; any other
// status but 200 is a finding, and then the result is empty.
inline xml::DocumentHandle ask(Servers& servers, const std::string& query, Dice& dice, Fire& fire) {
    Request request;
    request.method = "GET";
    request.path = "/oai";
    request.arguments = split_arguments(query, &request.well_encoded);
    for (;;) {
        const auto which = static_cast<std::size_t>(
            dice.between(0, static_cast<std::int64_t>(servers.size()) - 1));
        const Response response = servers[which]->answer(request);
        if (response.status == 200) return xml::parse_memory(response.body, "answer");
        fire.counts.add("answers " + std::to_string(response.status));
        if (response.status != 503) {
            fire.findings.wrong("every answer is complete", query + ": " + response.body);
            return nullptr;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{200});
    }
}

class ServiceHarvester {
  public:
    struct Task {
        std::string name, verb, set;
        Habit habit;
        bool measures_lag = false;
    };
    ServiceHarvester(Fire& fire, Servers& servers, Task task, SeenBoard& board, unsigned seed)
        : fire_(fire),
          servers_(servers),
          task_(std::move(task)),
          board_(board),
          from_(task_.habit),
          dice_(seed) {}

    void run_until_out() {
        while (!fire_.out) {
            harvest();
            Fire::pause(dice_);
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
        const bool calm = fire_.trouble.calm();
        while (!query.empty()) {
            const auto token = page(query);
            if (!token || (fire_.out && !last)) return;
            query = token->empty() ? "" : "verb=" + task_.verb + "&resumptionToken=" + *token;
        }
        if (task_.measures_lag && calm && fire_.trouble.calm() && !fire_.out)
            fire_.lags.add(unix_seconds(began) - static_cast<double>(response_date_), began);
        from_.harvested(began, response_date_, fire_);
        fire_.counts.add("harvests");
    }
    const Holdings& holdings() const { return holdings_; }
    const Task& task() const { return task_; }

  private:
    // Returns the token of the next page, "" on the last page, nothing if there was no valid
    // answer.
    std::optional<std::string> page(const std::string& query) {
        const xml::DocumentHandle document = ask(servers_, query, dice_, fire_);
        if (!document) return std::nullopt;
        const xmlNode* root = xmlDocGetRootElement(document.get());
        const auto response_date = seconds_of(text_of(child(root, "responseDate")));
        if (response_date_ < 0) response_date_ = response_date;
        if (const xmlNode* error = child(root, "error")) return judge_error(query, text_of(error));
        const xmlNode* list = child(root, task_.verb);
        for (const xmlNode* n = list ? list->children : nullptr; n; n = n->next)
            if (n->type == XML_ELEMENT_NODE && name_of(n) != "resumptionToken") take(n);
        const xmlNode* token = child(list, "resumptionToken");
        fire_.counts.add("pages");
        return token ? text_of(token) : "";
    }
    std::optional<std::string> judge_error(const std::string& query, const std::string& words) {
        if (words.starts_with("No record")) return "";
        fire_.findings.wrong("every answer is complete", query + ": " + words);
        return std::nullopt;
    }
    void take(const xmlNode* n) {
        std::int64_t id = 0;
        const Held seen = read_record(n, id);
        if (seen.datestamp < last_datestamp_)
            fire_.findings.wrong(kOrder,
                                 task_.name + ": " + std::to_string(id) + " follows a later one");
        last_datestamp_ = seen.datestamp;
        holdings_.take(id, seen, task_.name, fire_);
        board_.note(id, seen.datestamp);
    }

  public:
    static constexpr const char* kOrder = "numbers ascend in every list, and datestamps never fall";

  private:
    Fire& fire_;
    Servers& servers_;
    const Task task_;
    SeenBoard& board_;
    NextFrom from_;
    Dice dice_;
    Holdings holdings_;
    std::int64_t response_date_ = -1, last_datestamp_ = 0;
};

// Lists headers by the store's statements, in pages of 1 to 700.
class StoreHarvester {
  public:
    StoreHarvester(Fire& fire, Store& store, Habit habit, SeenBoard& board, unsigned seed)
        : fire_(fire), store_(store), from_(habit), board_(board), dice_(seed) {}

    void run_until_out() {
        while (!fire_.out) {
            harvest();
            Fire::pause(dice_);
        }
    }
    void harvest() {
        const auto began = WallClock::now();
        in_list_.clear();
        from_.harvested(began, list(from_.value()), fire_);
        fire_.counts.add("harvests");
    }
    // I5: a list read from its beginning contains every record that had been seen before, even
    // though records move to its end meanwhile.
    void census() {
        const std::vector<std::int64_t> known = board_.all();
        in_list_.clear();
        list(std::nullopt);
        for (const auto id : known)
            if (!in_list_.contains(id))
                fire_.findings.wrong(kNeverAbsent, "a whole list lacks " + std::to_string(id));
        fire_.counts.add("whole lists");
    }
    const Holdings& holdings() const { return holdings_; }

    static constexpr const char* kNeverAbsent = "I5: a record once seen is never absent";

  private:
    // Reads a list and returns the responseDate of its first page.
    std::int64_t list(const std::optional<std::int64_t>& from) {
        ListQuery query;
        if (from) query.from = Seconds{std::chrono::seconds{*from}};
        std::optional<std::int64_t> date;
        std::int64_t last_seq = 0, last_datestamp = 0;
        for (bool more = true; more;) {
            query.records = static_cast<int>(dice_.between(1, 700));
            RecordCursor cursor = store_.list(query);
            const Horizon& horizon = cursor.position().horizon;
            if (!date) date = response_date(horizon).time_since_epoch().count();
            query.after = cursor.position().after;
            for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
                for (int i = 0; i < batch.size(); ++i) {
                    const Header& header = batch.header(i);
                    const auto datestamp = header.datestamp.time_since_epoch().count();
                    if (header.seq <= last_seq || datestamp < last_datestamp ||
                        header.seq > horizon.last_seq)
                        fire_.findings.wrong(ServiceHarvester::kOrder,
                                             "seq " + std::to_string(header.seq) + " after " +
                                                 std::to_string(last_seq));
                    last_seq = header.seq;
                    last_datestamp = datestamp;
                    query.after = header.seq;
                    take(batch, header);
                }
            more = cursor.more();
            fire_.counts.add("pages");
        }
        return *date;
    }
    void take(const RecordBatch& batch, const Header& header) {
        Held seen{.datestamp = header.datestamp.time_since_epoch().count(),
                  .deleted = header.deleted};
        for (const int id : header.set_ids) seen.sets += hash_of(batch.set_spec(id));
        holdings_.take(header.id, seen, "store", fire_);
        board_.note(header.id, seen.datestamp);
        in_list_.insert(header.id);
    }

    Fire& fire_;
    Store& store_;
    NextFrom from_;
    SeenBoard& board_;
    Dice dice_;
    Holdings holdings_;
    std::unordered_set<std::int64_t> in_list_;
};

}  // namespace oai::fault
