// SPDX-License-Identifier: MIT
#include "command/static_payloads.h"

#include <set>
#include <vector>

#include "pg/binary.h"
#include "tools/aggregate/queries.h"
#include "tools/aggregate/sources.h"
#include "tools/load/queries.h"
#include "tools/static_repository/reader.h"

namespace oai::command {
namespace {

using static_repository::first_element;
using static_repository::next_element;

constexpr std::size_t kPayloadsInBatch = 1000;  // records in one transaction
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

enum class Content { payloads, abouts };

// Writes one column of items, batch by batch.
class ColumnWriter {
  public:
    ColumnWriter(pg::Connection& connection, Content content, std::string prefix)
        : connection_(connection), content_(content), prefix_(std::move(prefix)) {}

    // text: "" for an item that has nothing in the column.
    void add(const std::string& local_id, std::string text) {
        ids_.push_back(local_id);
        bytes_ += text.size();
        texts_.push_back(std::move(text));
        if (ids_.size() >= kPayloadsInBatch || bytes_ >= kBatchBytes) flush();
    }

    // Writes what is left. Returns how many items were changed.
    std::int64_t finish() {
        flush();
        return changed_;
    }

  private:
    void flush() {
        if (ids_.empty()) return;
        pg::Parameters parameters;
        parameters.add(prefix_).add(pg::array_literal(ids_)).add(pg::array_literal(texts_));
        if (content_ == Content::payloads) {  // without namespaces and origins
            const std::string nothing = pg::array_literal(std::vector<std::string>(ids_.size()));
            parameters.add(nothing).add(nothing);
        }
        const pg::Statement& statement = content_ == Content::payloads
                                             ? aggregate::queries::kKeep
                                             : aggregate::queries::kWriteAbouts;
        connection_.query(load::queries::kBegin);
        connection_.query(load::queries::kOneLoader);
        changed_ += pg::read_integer(connection_.query(statement, parameters).bytes(0, 0));
        connection_.query(load::queries::kCommit);
        ids_.clear();
        texts_.clear();
        bytes_ = 0;
    }

    pg::Connection& connection_;
    const Content content_;
    const std::string prefix_;
    std::vector<std::string> ids_, texts_;
    std::size_t bytes_ = 0;
    std::int64_t changed_ = 0;
};

std::string payload_of(const xmlNode* record) {
    for (const xmlNode* n = first_element(record->children); n != nullptr; n = next_element(n))
        if (static_repository::is_oai(n, "metadata"))
            return xml::document_text(first_element(n->children));
    return "";
}

// <abouts> with the content of each <about>, in order; "" if there is none.
std::string abouts_of(const xmlNode* record) {
    std::string out;
    for (const xmlNode* n = first_element(record->children); n != nullptr; n = next_element(n))
        if (static_repository::is_oai(n, "about"))
            out += xml::document_text(first_element(n->children));
    return out.empty() ? "" : "<abouts>" + out + "</abouts>";
}

class PayloadWriter final : public static_repository::RepositoryHandler {
  public:
    PayloadWriter(pg::Connection& connection, const static_repository::RepositorySurvey& survey,
                  const std::string& name_space)
        : survey_(survey), name_space_(name_space) {
        for (const auto& [prefix, records] : survey.abouts)
            aggregate::keep_abouts(connection, prefix);
        const std::set<std::string> with_abouts = aggregate::kept_abouts(connection);
        for (const static_repository::StaticFormat& format : survey.formats) {
            List& list = lists_[format.prefix];
            if (aggregate::keep_format(connection, format.prefix).starts_with("kept_"))
                list.payloads.emplace(connection, Content::payloads, format.prefix);
            if (with_abouts.contains(format.prefix))
                list.abouts.emplace(connection, Content::abouts, format.prefix);
        }
    }

    void identity(const static_repository::StaticIdentity&) override {}
    void format(const static_repository::StaticFormat&) override {}
    void fault(long, const std::string&) override {}
    void note(long, const std::string&) override {}

    void record(const std::string& prefix, const xmlNode* record) override {
        const auto list = lists_.find(prefix);
        const std::string id = static_repository::local_id_of(record, name_space_);
        if (list == lists_.end() || !survey_.local_ids.contains(id) ||
            !list->second.local_ids.insert(id).second)
            return;
        if (list->second.payloads) list->second.payloads->add(id, payload_of(record));
        if (list->second.abouts) list->second.abouts->add(id, abouts_of(record));
    }

    // Writes what is left. Items that are not in a list lose what they had from it.
    std::map<std::string, KeptChanges> finish() {
        std::map<std::string, KeptChanges> changes;
        for (auto& [prefix, list] : lists_) {
            for (const std::string& id : survey_.local_ids) {
                if (list.local_ids.contains(id)) continue;
                if (list.payloads) list.payloads->add(id, "");
                if (list.abouts) list.abouts->add(id, "");
            }
            KeptChanges& changed = changes[prefix];
            if (list.payloads) changed.payloads = list.payloads->finish();
            if (list.abouts) changed.abouts = list.abouts->finish();
        }
        return changes;
    }

  private:
    struct List {
        std::set<std::string> local_ids;
        std::optional<ColumnWriter> payloads, abouts;
    };
    const static_repository::RepositorySurvey& survey_;
    const std::string& name_space_;
    std::map<std::string, List> lists_;  // by prefix
};

}  // namespace

std::map<std::string, KeptChanges> keep_payloads(pg::Connection& connection, load::Input& input,
                                                 const static_repository::RepositorySurvey& survey,
                                                 const std::string& name_space) {
    PayloadWriter writer(connection, survey, name_space);
    input.go_to(0);
    static_repository::read(input, writer);
    return writer.finish();
}

}  // namespace oai::command
