// SPDX-License-Identifier: MIT
#include "command/static_payloads.h"

#include <set>
#include <vector>

#include "pg/binary.h"
#include "pg/text_format.h"
#include "tools/aggregate/queries.h"
#include "tools/aggregate/sources.h"
#include "tools/load/queries.h"
#include "tools/static_repository/elements.h"

namespace oai::command {
namespace {

using static_repository::first_element;
using static_repository::next_element;

constexpr std::size_t kPayloadsInBatch = 1000;  // records in one transaction
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

class PayloadWriter final : public static_repository::RepositoryHandler {
  public:
    PayloadWriter(pg::Connection& connection, const static_repository::RepositorySurvey& survey,
                  const std::string& name_space)
        : connection_(connection), survey_(survey), name_space_(name_space) {
        for (const static_repository::StaticFormat& format : survey.formats)
            if (aggregate::keep_format(connection, format.prefix).starts_with("kept_"))
                local_ids_[format.prefix];
    }

    void identity(const static_repository::StaticIdentity&) override {}
    void format(const static_repository::StaticFormat&) override {}
    void fault(long, const std::string&) override {}
    void note(long, const std::string&) override {}

    void record(const std::string& prefix, const xmlNode* record) override {
        const auto list = local_ids_.find(prefix);
        const std::string id = static_repository::local_id_of(record, name_space_);
        if (list == local_ids_.end() || !survey_.local_ids.contains(id) ||
            !list->second.insert(id).second)
            return;
        add(prefix, id, payload_of(record));
    }

    // Writes what is left. Items that are not in a list lose the payload that they had from it.
    std::map<std::string, std::int64_t> finish() {
        for (const auto& [prefix, ids] : local_ids_) {
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
            if (static_repository::is_oai(n, "metadata"))
                return xml::document_text(first_element(n->children));
        return "";
    }

    void add(const std::string& prefix, const std::string& id, std::string payload) {
        if (prefix != prefix_) flush();
        prefix_ = prefix;
        ids_.push_back(id);
        bytes_ += payload.size();
        payloads_.push_back(std::move(payload));
        if (ids_.size() >= kPayloadsInBatch || bytes_ >= kBatchBytes) flush();
    }

    void flush() {
        if (ids_.empty()) return;
        const std::string nothing = pg::array_literal(std::vector<std::string>(ids_.size()));
        connection_.query(load::queries::kBegin);
        connection_.query(load::queries::kOneLoader);
        const pg::Result row =
            connection_.query(aggregate::queries::kKeep, pg::Parameters()
                                                             .add(prefix_)
                                                             .add(pg::array_literal(ids_))
                                                             .add(pg::array_literal(payloads_))
                                                             .add(nothing)
                                                             .add(nothing));
        changed_[prefix_] += pg::read_integer(row.bytes(0, 0));
        connection_.query(load::queries::kCommit);
        ids_.clear();
        payloads_.clear();
        bytes_ = 0;
    }

    pg::Connection& connection_;
    const static_repository::RepositorySurvey& survey_;
    const std::string& name_space_;
    std::map<std::string, std::set<std::string>> local_ids_;  // in the lists, by prefix
    std::map<std::string, std::int64_t> changed_;
    std::string prefix_;  // of the batch
    std::vector<std::string> ids_, payloads_;
    std::size_t bytes_ = 0;
};

}  // namespace

std::map<std::string, std::int64_t> keep_payloads(pg::Connection& connection, load::Input& input,
                                                  const static_repository::RepositorySurvey& survey,
                                                  const std::string& name_space) {
    PayloadWriter writer(connection, survey, name_space);
    input.go_to(0);
    static_repository::read(input, writer);
    return writer.finish();
}

}  // namespace oai::command
