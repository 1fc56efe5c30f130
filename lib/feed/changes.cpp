// SPDX-License-Identifier: MIT
#include "feed/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "format/format.h"
#include "protocol/identifier.h"
#include "protocol/record.h"

namespace oai {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kPageNumbers = 1000;
// Numbers that were lost with a primary are given out again (oai.fork): not after so long.
constexpr std::chrono::hours kSettled{1};
constexpr const char* kPrefixes =
    "@prefix as: <https://www.w3.org/ns/activitystreams#> .\n"
    "@prefix ldes: <https://w3id.org/ldes#> .\n"
    "@prefix tree: <https://w3id.org/tree#> .\n"
    "@prefix oai: <http://www.openarchives.org/OAI/2.0/> .\n"
    "@prefix dcterms: <http://purl.org/dc/terms/> .\n"
    "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n";

struct Change {
    std::int64_t seq;
    std::string identifier, time;
    std::string type;  // "Update", "Delete": of the record; "Add", "Remove": to and from the set
    std::vector<std::string> sets{};  // in which the record is now, or the one set
    bool is_of_record() const { return type == "Update" || type == "Delete"; }
    const char* set_role() const { return type == "Add" ? "target" : "origin"; }
};

struct Page {
    std::int64_t number = 0;
    Horizon horizon{};
    std::vector<Change> changes{};
    std::optional<std::int64_t> next{};  // none while numbers of this page are to come
    bool settled = false;
};

// Puts the sets that records have entered or left before their last changes: who reads backwards,
// and takes of each record what comes first, takes these.
void add_set_moves(Store& store, const ListQuery& query, std::vector<Change>& changes) {
    std::vector<Change> all;
    for (const Store::SetMove& move : store.set_moves(*query.after, query.upto)) {
        const auto of = std::ranges::lower_bound(changes, move.seq, {}, &Change::seq);
        if (of != changes.end() && of->seq == move.seq)
            all.push_back({of->seq, of->identifier, of->time, move.type, {move.spec}});
    }
    std::move(changes.begin(), changes.end(), std::back_inserter(all));
    std::ranges::stable_sort(all, {}, &Change::seq);
    changes = std::move(all);
}

Page read_page(const Context& context, std::int64_t number) {
    ListQuery query;
    query.records = static_cast<int>(kPageNumbers);
    query.after = number * kPageNumbers;
    query.upto = *query.after + kPageNumbers;
    RecordCursor cursor = context.store.list(query);
    Page page{.number = number, .horizon = cursor.position().horizon};
    for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
        for (int i = 0; i < batch.size(); ++i) {
            const Header& header = batch.header(i);
            if (!is_visible(context.repository, header)) continue;
            Change change{header.seq,
                          identifier_text(context.repository.identifier_prefix, header.local_id),
                          print_datestamp(header.datestamp), header.deleted ? "Delete" : "Update"};
            if (context.repository.facts.sets)
                for (const int id : header.set_ids) change.sets.emplace_back(batch.set_spec(id));
            page.changes.push_back(std::move(change));
            page.settled = header.datestamp + kSettled < page.horizon.h;
        }
    if (context.repository.facts.sets) add_set_moves(context.store, query, page.changes);
    if (query.upto > page.horizon.last_seq) {
        page.settled = false;
        return page;
    }
    // Pages between have nothing left, though they are there for who has their address.
    const ListQuery behind{.records = 1, .after = query.upto};
    RecordCursor further = context.store.list(behind);
    const RecordBatch first = further.next();
    page.next = first.size() == 0 ? number + 1 : (first.header(0).seq - 1) / kPageNumbers;
    return page;
}

Json context_of_json() {
    return {{{"setSpec",
              {{"@id", "http://www.openarchives.org/OAI/2.0/setSpec"}, {"@container", "@set"}}}},
            "http://iiif.io/api/discovery/1/context.json"};
}

// What both forms are written from.
class Feed {
  public:
    Feed(const Context& context, bool in_turtle)
        : turtle(in_turtle),
          base_url_(context.repository.facts.base_url),
          base_(without_last_slash(base_url_)) {}

    std::string collection(const Horizon& horizon) const {
        const std::string first = address(horizon, 0);
        if (turtle)
            return stream() + fmt::format(
                                  "<{0}> a tree:Node ; ldes:retentionPolicy"
                                  " [ a ldes:LatestVersionSubset ; ldes:amount 1 ] ;"
                                  " tree:relation [ a tree:Relation ; tree:node <{1}> ] .\n",
                                  address(), first);
        Json json = {{"@context", context_of_json()}};
        json.update(link(address(), "OrderedCollection"));
        json["first"] = link(first);
        json["last"] = link(address(horizon, horizon.last_seq / kPageNumbers));
        return json.dump() + "\n";
    }
    std::string page(const Page& page) const {
        return turtle ? turtle_page(page) : json_page(page).dump() + "\n";
    }

    const bool turtle;

  private:
    std::string address(const std::string& path = "") const {
        return fmt::format("{}/changes{}{}", base_, path, turtle ? ".ttl" : "");
    }
    std::string address(const Horizon& horizon, std::int64_t number) const {
        return address(fmt::format("/{:x}/{}", horizon.epoch, number));
    }
    static Json link(const std::string& id, const char* type = "OrderedCollectionPage") {
        return {{"id", id}, {"type", type}};
    }
    std::string request(std::string_view verb, const std::string& value) const {
        return fmt::format("{}?metadataPrefix=oai_dc&verb={}={}", base_url_, verb,
                           text::percent_encode(value, ":/"));
    }
    std::string change_address(const Page& page, const Change& change) const {
        return fmt::format("{}/changes#{:x}-{}{}", base_, page.horizon.epoch, change.seq,
                           change.is_of_record() ? "" : "-" + change.sets[0]);
    }
    std::string stream() const {
        return fmt::format(
            "{}<{}/changes#stream> a ldes:EventStream ; ldes:timestampPath as:endTime ;"
            " ldes:versionOfPath dcterms:isVersionOf ; ldes:versionDeleteObject as:Delete ;"
            " tree:view <{}> .\n",
            kPrefixes, base_, address());
    }

    Json json_page(const Page& page) const {
        Json json = {{"@context", context_of_json()}};
        json.update(link(address(page.horizon, page.number)));
        json["partOf"] = link(address(), "OrderedCollection");
        if (page.number > 0) json["prev"] = link(address(page.horizon, page.number - 1));
        if (page.next) json["next"] = link(address(page.horizon, *page.next));
        json["orderedItems"] = Json::array();
        for (const Change& change : page.changes) {
            Json activity = {{"id", change_address(page, change)},
                             {"type", change.type},
                             {"endTime", change.time},
                             {"object",
                              {{"id", request("GetRecord&identifier", change.identifier)},
                               {"type", "Document"},
                               {"canonical", change.identifier}}}};
            if (change.is_of_record())
                activity["object"]["setSpec"] = change.sets;
            else
                activity[change.set_role()] = {{"id", request("ListRecords&set", change.sets[0])},
                                               {"type", "Collection"},
                                               {"setSpec", change.sets}};
            json["orderedItems"].push_back(std::move(activity));
        }
        return json;
    }

    std::string turtle_page(const Page& page) const {
        const std::string node = address(page.horizon, page.number);
        std::string out = stream() + fmt::format("<{}> a tree:Node .\n", node);
        if (page.next)
            out += fmt::format(
                "<{}> tree:relation [ a tree:{} ; tree:node <{}> ] .\n", node,
                page.changes.empty()
                    ? "Relation"
                    : fmt::format("GreaterThanOrEqualToRelation ; tree:path as:endTime ;"
                                  " tree:value \"{}\"^^xsd:dateTime",
                                  page.changes.back().time),
                address(page.horizon, *page.next));
        for (const Change& change : page.changes) {
            const std::string id = "<" + change_address(page, change) + ">";
            const std::string record = request("GetRecord&identifier", change.identifier);
            out += fmt::format(
                "<{}/changes#stream> tree:member {} .\n"
                "{} a as:{} ; as:object <{}> ; dcterms:isVersionOf <{}{}> ;"
                " as:endTime \"{}\"^^xsd:dateTime",
                base_, id, id, change.type, record, record,
                change.is_of_record() ? "" : "#" + change.sets[0], change.time);
            if (!change.is_of_record())
                out += fmt::format(" ; as:{} <{}>", change.set_role(),
                                   request("ListRecords&set", change.sets[0]));
            for (const std::string& spec : change.sets)
                out += fmt::format(" ; oai:setSpec \"{}\"", spec);
            out += " .\n";
        }
        return out;
    }

    const std::string& base_url_;
    const std::string_view base_;
};

Response respond(const Context& context, const Request& request, std::string body, bool turtle,
                 bool settled) {
    const std::string tag = entity_tag(body);
    Response response = text_response(
        turtle ? "text/turtle; charset=UTF-8" : "application/activity+json", std::move(body),
        context.repository.facts.compression && request.accepts_gzip);
    vary_by(response, "Accept");
    mark_closed(response, request, tag, {settled ? 31'536'000 : 0, 7 * 31'536'000});
    return response;
}

}  // namespace

std::optional<std::string_view> changes_path(std::string_view path, std::string_view base_url) {
    const std::string at = std::string(mount_of(base_url)) + "/changes";
    if (!path.starts_with(at)) return std::nullopt;
    path.remove_prefix(at.size());
    if (!path.empty() && path.front() != '/' && path.front() != '.') return std::nullopt;
    return path;
}

Response changes_response(const Context& context, const Request& request, std::string_view path,
                          RequestStats& stats) {
    if (request.method == "POST") return only_by_get("The feed of changes is asked for by GET.");
    // Turtle by the suffix, or where its type is wanted and JSON is not.
    const bool has_suffix = path.ends_with(".ttl");
    const auto accepts = [&](const char* type) {
        return request.accept.find(type) != std::string::npos;
    };
    const Feed feed(context, has_suffix || (accepts("text/turtle") && !accepts("json")));
    if (has_suffix) path.remove_suffix(4);
    if (path.empty())
        return respond(context, request, feed.collection(context.store.horizon()), feed.turtle,
                       false);
    const std::vector<std::string_view> parts = text::split(path, '/');
    const std::int64_t number = parts.size() == 3 ? text::to_integer(parts[2]).value_or(-1) : -1;
    if (number >= 0 && std::to_string(number) == parts[2]) {
        const Page page = read_page(context, number);
        stats.records = static_cast<int>(page.changes.size());
        if (parts[1] == fmt::format("{:x}", page.horizon.epoch) &&
            number <= page.horizon.last_seq / kPageNumbers)
            return respond(context, request, feed.page(page), feed.turtle, page.settled);
    }
    return plain_response(404, "There is no such page of the feed of changes.");
}

}  // namespace oai
