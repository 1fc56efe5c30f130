// SPDX-License-Identifier: MIT
#include "static_repository/importer.h"

#include <stdexcept>

#include "load/items_xml.h"
#include "xml/push_parser.h"

namespace oai::static_repository {
namespace {

constexpr std::size_t kSliceBytes = std::size_t{64} << 20;

// A gateway gives out identifiers as they are: those of this repository's own namespace by what is behind it,
// others whole.
std::string read_item(const xmlNode* record, const std::string& name_space, load::Item& item) {
    std::string wrong = load::read_oai_item(record, item);
    const std::string identifier = load::identifier_of(record);
    if (!identifier.starts_with("oai:" + name_space + ":"))
        item.local_id = load::local_id_from_elsewhere(identifier);
    if (wrong.empty() && item.local_id.empty()) wrong = "an identifier that is too long";
    return wrong;
}

// Of a record in another format, what the library has a place for makes one.
bool makes_item(const std::string& prefix, const load::Item& item) {
    return prefix == "oai_dc" || !item.marc.empty() || !item.mods.empty();
}

class Surveyor final : public Findings {
  public:
    Surveyor(const std::string& name_space, const Listener& listener)
        : name_space_(name_space), listener_(listener) {}

    void identity(const Identity& identity) override { survey_.identity = identity; }
    void format(const Format& format) override { survey_.formats.push_back(format); }

    void record(const std::string& prefix, const xmlNode* record) override {
        ++survey_.records[prefix];
        load::Item item;
        const std::string what = read_item(record, name_space_, item);
        const bool said = survey_.wrong > wrong_before_;
        if (what.empty() && makes_item(prefix, item)) survey_.local_ids.insert(item.local_id);
        if (prefix != "oai_dc" && what.empty()) keep(std::move(item));
        if (prefix == "oai_dc" && !what.empty() && !said) wrong(xml::line_of(record), what);
        wrong_before_ = survey_.wrong;
    }

    void wrong(long line, const std::string& what) override {
        ++survey_.wrong;
        listener_.wrong(line, what);
    }

    void remark(long line, const std::string& what) override {
        ++survey_.remarks;
        listener_.remark(line, what);
    }

    Survey take() { return std::move(survey_); }

  private:
    void keep(load::Item item) {
        bytes_ += item.marc.size() + item.mods.size();
        if (bytes_ > kMostPayloadBytes)
            throw std::runtime_error("its MARCXML and MODS are more than " +
                                     std::to_string(kMostPayloadBytes) + " bytes");
        if (!item.marc.empty()) survey_.marc[item.local_id] = std::move(item.marc);
        if (!item.mods.empty()) survey_.mods[item.local_id] = std::move(item.mods);
    }

    const std::string& name_space_;
    const Listener& listener_;
    Survey survey_;
    std::int64_t wrong_before_ = 0;  // this record
    std::size_t bytes_ = 0;
};

// oai_dc in the first reading, what is in no oai_dc in the second.
class Loading final : public Findings {
  public:
    Loading(const Survey& survey, const std::string& name_space, load::ItemStaging& staging,
            int slice_records)
        : survey_(survey),
          name_space_(name_space),
          staging_(staging),
          slice_records_(static_cast<std::size_t>(slice_records)) {}

    void identity(const Identity&) override {}
    void format(const Format&) override {}
    void wrong(long, const std::string&) override {}
    void remark(long, const std::string&) override {}

    void record(const std::string& prefix, const xmlNode* record) override {
        if ((prefix == "oai_dc") != first_) return;
        load::Item item;
        const bool sound = read_item(record, name_space_, item).empty();
        if (!first_ && !(sound && makes_item(prefix, item))) return report_.pass_over("records in " + prefix);
        if (taken_ids_.insert(item.local_id).second) add(std::move(item));
    }

    void read_again() { first_ = false; }

    load::LoadReport finish() {
        move();
        return report_;
    }

  private:
    void add(load::Item item) {
        ++report_.records;
        if (const auto marc = survey_.marc.find(item.local_id); marc != survey_.marc.end())
            item.marc = marc->second;
        if (const auto mods = survey_.mods.find(item.local_id); mods != survey_.mods.end())
            item.mods = mods->second;
        slice_.add(std::move(item));
        if (slice_.items().size() >= slice_records_ || slice_.bytes() >= kSliceBytes) move();
    }

    void move() {
        if (slice_.items().empty()) return;
        const load::ItemsMoved moved = staging_.move(slice_.items());
        report_.inserted += moved.inserted;
        report_.updated += moved.updated;
        slice_.clear();
    }

    const Survey& survey_;
    const std::string& name_space_;
    load::ItemStaging& staging_;
    const std::size_t slice_records_;
    bool first_ = true;
    std::set<std::string> taken_ids_;
    load::ItemSlice slice_;
    load::LoadReport report_;
};

}  // namespace

Survey survey(load::Input& input, const std::string& name_space, const Listener& listener) {
    Surveyor surveyor(name_space, listener);
    read(input, surveyor);
    return surveyor.take();
}

std::string local_id_of(const xmlNode* record, const std::string& name_space) {
    load::Item item;
    read_item(record, name_space, item);
    return item.local_id;
}

load::LoadReport import(load::Input& input, const Survey& survey, const std::string& name_space,
                        load::ItemStaging& staging, int slice_records) {
    Loading loading(survey, name_space, staging, slice_records);
    input.go_to(0);
    read(input, loading);
    if (survey.formats.size() > 1) {
        loading.read_again();
        input.go_to(0);
        read(input, loading);
    }
    return loading.finish();
}

}  // namespace oai::static_repository
