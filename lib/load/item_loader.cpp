// SPDX-License-Identifier: MIT
#include "load/item_loader.h"

#include <stdexcept>

#include "base/text.h"
#include "load/items_csv.h"
#include "load/items_xml.h"
#include "load/sniff.h"

namespace oai::load {
namespace {

constexpr std::size_t kSliceBytes = std::size_t{64} << 20;

// One file on its way.
class ItemsLoad final : public ItemFindings {
  public:
    ItemsLoad(const std::string& path, Input& input, const ItemLoaderOptions& options, ItemStaging& staging,
              Progress& progress)
        : input_(input), options_(options), staging_(staging), progress_(progress), damages_(path, progress) {}

    void item(Item item) override {
        ++report_.records;
        slice_.add(std::move(item));
        const bool full = slice_.items().size() >= static_cast<std::size_t>(options_.slice_records);
        if (full || slice_.bytes() >= kSliceBytes) move();
        progress_.step(report_.records, input_.raw_position(), std::chrono::steady_clock::now());
    }

    void damage(std::uint64_t line, const std::string& what) override { damages_.add(line, what); }

    LoadReport finish() {
        move();
        report_.damaged = damages_.finish();
        return report_;
    }

  private:
    void move() {
        if (slice_.items().empty()) return;
        const ItemsMoved moved = staging_.move(slice_.items());
        report_.inserted += moved.inserted;
        report_.updated += moved.updated;
        if (moved.left_deleted > 0) {
            report_.pass_over("deleted here", moved.left_deleted);
            report_.records -= moved.left_deleted;
        }
        slice_.clear();
    }

    Input& input_;
    const ItemLoaderOptions& options_;
    ItemStaging& staging_;
    Progress& progress_;
    DamageReport damages_;
    ItemSlice slice_;
    LoadReport report_;
};

// 24 bytes that a record of ISO 2709 begins with.
bool is_iso2709(std::string_view s) {
    return s.size() >= 24 && text::to_integer(s.substr(0, 5)).has_value() && s.substr(20, 4) == "4500";
}

}  // namespace

ItemFormat sniff_items(Input& input) {
    const std::string_view head = input.peek(512);
    if (head.empty()) throw std::runtime_error(input.broken().empty() ? "is empty" : input.broken());
    refuse_foreign(head);
    if (head.starts_with("\xFE\xFF") || head.starts_with("\xFF\xFE"))
        throw std::runtime_error("is UTF-16: convert it by iconv -f UTF-16 -t UTF-8 and load the result");
    if (is_iso2709(head))
        throw std::runtime_error("is MARC in ISO 2709: convert it by yaz-marcdump -o marcxml and load the result");
    const auto begin = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (begin != head.npos && head[begin] == '<') return ItemFormat::xml;
    if (is_csv_header(input.peek_line(Input::kWindowBytes))) return ItemFormat::csv;
    throw std::runtime_error("holds no bibliographic records: neither XML nor CSV with a header line begins in it");
}

ItemLoader::ItemLoader(pg::Connection& connection, ItemLoaderOptions options, Progress& progress)
    : options_(std::move(options)), staging_(connection, options_.collections), progress_(progress) {}

LoadReport ItemLoader::load(const std::string& path) {
    Input input = Input::open(path);
    progress_.begin(path, input.size(), std::chrono::steady_clock::now());
    ItemsLoad file(path, input, options_, staging_, progress_);
    switch (sniff_items(input)) {
        case ItemFormat::xml: read_items_xml(input, file); break;
        case ItemFormat::csv: read_items_csv(input, options_.value_separator, file); break;
    }
    return file.finish();
}

}  // namespace oai::load
