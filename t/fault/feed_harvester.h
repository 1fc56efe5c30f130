// SPDX-License-Identifier: MIT
// A harvester that follows the feed of changes (feed/changes.h) from page to page, and goes on each
// time at the page where it was.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "t/lib/harvest_model/harvester.h"

namespace oai::harvest_model {

class FeedHarvester {
  public:
    FeedHarvester(RunState& state, Servers& servers, SeenRecords& seen_records, unsigned seed)
        : state_(state), servers_(servers), seen_records_(seen_records), random_(seed) {}

    void run_until_stop() {
        for (; !state_.stop; state_.pause(random_)) harvest();
    }
    void harvest() {
        while (page_.empty()) page_ = get("/oai/changes").at("first").at("id");
        for (;;) {
            const Json page = get(page_.substr(page_.find("/oai/")));
            for (const Json& activity : page.at("orderedItems")) take(activity);
            state_.counts.add("pages of the feed");
            if (!page.contains("next")) return;
            page_ = page.at("next").at("id");
        }
    }
    const Holdings& holdings() const { return holdings_; }

  private:
    using Json = nlohmann::json;

    // Add and Remove stand before what the record is now.
    void take(const Json& activity) {
        const std::string type = activity.at("type");
        if (type != "Update" && type != "Delete") return;
        const Json& object = activity.at("object");
        const std::string identifier = object.at("canonical");
        HeldRecord seen{.datestamp = seconds_of(activity.at("endTime")),
                        .deleted = type == "Delete"};
        for (const std::string spec : object.at("setSpec")) seen.sets += hash_of(spec);
        const auto id = std::atoll(identifier.substr(kIdentifierBegin.size()).c_str());
        holdings_.add(id, seen, "feed", state_);
        seen_records_.add(id, seen.datestamp);
    }
    Json get(const std::string& path) {
        Request request;
        request.method = "GET";
        request.path = path;
        return Json::parse(get_body(servers_, request, random_, state_));
    }

    RunState& state_;
    Servers& servers_;
    SeenRecords& seen_records_;
    RandomNumbers random_;
    Holdings holdings_;
    std::string page_;
};

}  // namespace oai::harvest_model
