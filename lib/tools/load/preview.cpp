// SPDX-License-Identifier: MIT
#include "tools/load/preview.h"

#include <fmt/core.h>
#include <unistd.h>

#include "base/text.h"
#include "tools/load/capture.h"
#include "tools/load/loader.h"

namespace oai::load {
namespace {

constexpr int kShownItems = 10;

void print(const char* name, const std::string& value) {
    constexpr std::size_t kShownBytes = 100;
    const std::string_view shown = text::utf8_prefix(value, kShownBytes);
    fmt::print("    {}: {}{}\n", name, text::to_terminal_text(shown),
               shown.size() < value.size() ? "..." : "");
}

void print(const Item& item) {
    fmt::print("  {}{}\n", item.local_id, item.deleted.value_or(false) ? ", deleted" : "");
    for (std::size_t e = 0; e < kElements; ++e)
        for (const Value& value : item.elements[e])
            print((kElementNames[e].name + (value.language.empty() ? "" : "@" + value.language))
                      .c_str(),
                  value.text);
    for (const auto& column : kTextColumns)
        if (!(item.*column.value).empty()) print(column.name, item.*column.value);
    for (const std::string& name : item.collections) print("collection", name);
}

class Preview final : public ItemHandler {
  public:
    Preview(const std::string& path, Progress& progress) : damages_(path, progress) {}

    void item(Item item) override {
        if (items_++ < kShownItems) print(item);
        for (const std::string& name : item.collections) sets_.pass_over("col:" + name);
        if (!item.kind.empty()) sets_.pass_over("kind:" + item.kind);
    }
    void damage(std::uint64_t line, const std::string& what) override {
        damages_.add(std::to_string(line), what);
    }
    void note(std::uint64_t, const std::string&) override {}
    void unknown(const std::string& word) override { unknown_.pass_over(word); }

    bool finish() {
        for (const auto& [set, n] : sets_.passed_over) fmt::print("set {}: {} items\n", set, n);
        for (const auto& [word, n] : unknown_.passed_over)
            fmt::print("not in a list, and taken as it is: {}, {} times\n",
                       text::to_terminal_text(word), n);
        const std::int64_t damages = damages_.finish();
        fmt::print("{} items, {} damaged\n", items_, damages);
        return damages == 0;
    }

  private:
    DamageReport damages_;
    LoadReport sets_, unknown_;
    std::int64_t items_ = 0;
};

// In single quotes, for a shell.
std::string shell_word(const std::string& s) {
    std::string word = "'";
    for (const char c : s) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

// Returns whether all columns are known; else says how the rest is told.
bool print_columns(const std::string& path, const CsvHeader& header) {
    fmt::print("{}: CSV in {}, fields between '{}'\n", path,
               header.encoding == nullptr ? "UTF-8" : standard_name(header.encoding),
               header.separator == '\t' ? std::string("tab") : std::string(1, header.separator));
    for (const CsvHeader::Column& column : header.columns)
        fmt::print("  {} -> {}\n", text::to_terminal_text(column.given),
                   !column.is_known      ? "not known"
                   : column.name.empty() ? "left out"
                                         : column.name);
    const auto unknown = header.unknown();
    if (unknown.empty()) return true;
    fmt::print(
        "Name the column that each of these is behind its =, or leave it out by nothing:\n"
        "  oai load");
    for (const std::string& name : unknown) fmt::print(" --column {}", shell_word(name + "="));
    fmt::print(" {}\n", shell_word(path));
    return false;
}

}  // namespace

bool preview(const std::string& path, const CsvOptions& options, bool keep_deleted_marc) {
    Input input = Input::open(path);
    Progress progress(stderr, ::isatty(STDERR_FILENO) != 0);
    Preview handler(path, progress);
    bool sound = true;
    switch (sniff_items(input, options)) {
        case ItemFormat::xml: read_items_xml(input, keep_deleted_marc, handler); break;
        case ItemFormat::iso2709: read_items_mrc(input, keep_deleted_marc, handler); break;
        case ItemFormat::csv:
            sound = print_columns(path, *csv_header(input, options));
            preview_items_csv(input, options, handler);
    }
    return handler.finish() && sound;
}

}  // namespace oai::load
