// SPDX-License-Identifier: MIT
#include "command/static_payloads.h"

#include <set>
#include <vector>

#include "aggregate/queries.h"
#include "aggregate/sources.h"
#include "load/queries.h"
#include "load/staging.h"
#include "pg/binary.h"
#include "static_repository/elements.h"

namespace oai::command {
namespace {

using static_repository::first_element;
using static_repository::next_element;

constexpr std::size_t kBatch = 1000;                         // records in one transaction
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

class Keeper final : public static_repository::Findings {
  public:
    Keeper(pg::Connection& connection, const static_repository::Survey& survey, const std::string& name_space)
        : connection_(connection), survey_(survey), name_space_(name_space) {
        for (const static_repository::Format& format : survey.formats)
            if (aggregate::keep_format(connection, format.prefix).starts_with("kept_")) met_[format.prefix];
    }

    void identity(const static_repository::Identity&) override {}
    void format(const static_repository::Format&) override {}
    void wrong(long, const std::string&) override {}
    void remark(long, const std::string&) override {}

    void record(const std::string& prefix, const xmlNode* record) override {
        const auto list = met_.find(prefix);
        const std::string id = static_repository::local_id_of(record, name_space_);
        if (list == met_.end() || !survey_.local_ids.contains(id) || !list->second.insert(id).second) return;
        add(prefix, id, payload_of(record));
    }

    // Items that a list does not have let go of what it once had.
    std::map<std::string, std::int64_t> finish() {
        for (const auto& [prefix, ids] : met_) {
            for (const std::string& id : survey_.local_ids)
                if (!ids.contains(id)) add(prefix, id, "");
            changed_[prefix] += 0;
        }
        flush();
        return std::move(changed_);
    }

  private:
    static std::string payload_of(const xmlNode* record) {
        for (const xmlNode* n = first_element(record->children); n != nullptr; n = next_element(n))
            if (static_repository::is_oai(n, "metadata")) return xml::document_text(first_element(n->children));
        return "";
    }

    void add(const std::string& prefix, const std::string& id, std::string payload) {
        if (prefix != prefix_) flush();
        prefix_ = prefix;
        ids_.push_back(id);
        bytes_ += payload.size();
        payloads_.push_back(std::move(payload));
        if (ids_.size() >= kBatch || bytes_ >= kBatchBytes) flush();
    }

    void flush() {
        if (ids_.empty()) return;
        const std::string nothing = load::array_literal(std::vector<std::string>(ids_.size()));
        connection_.query(load::queries::kBegin);
        connection_.query(load::queries::kOneLoader);
        const pg::Result row = connection_.query(
            aggregate::queries::kKeep,
            pg::Parameters().add(prefix_).add(load::array_literal(ids_)).add(load::array_literal(payloads_)).add(nothing).add(nothing));
        changed_[prefix_] += pg::read_integer(row.bytes(0, 0));
        connection_.query(load::queries::kCommit);
        ids_.clear();
        payloads_.clear();
        bytes_ = 0;
    }

    pg::Connection& connection_;
    const static_repository::Survey& survey_;
    const std::string& name_space_;
    std::map<std::string, std::set<std::string>> met_;  // local_ids by prefix
    std::map<std::string, std::int64_t> changed_;
    std::string prefix_;  // of the batch
    std::vector<std::string> ids_, payloads_;
    std::size_t bytes_ = 0;
};

}  // namespace

std::map<std::string, std::int64_t> keep_payloads(pg::Connection& connection, load::Input& input,
                                                  const static_repository::Survey& survey,
                                                  const std::string& name_space) {
    Keeper keeper(connection, survey, name_space);
    input.go_to(0);
    static_repository::read(input, keeper);
    return keeper.finish();
}

}  // namespace oai::command
