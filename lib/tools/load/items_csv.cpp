// SPDX-License-Identifier: MIT
#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "tools/load/items.h"

namespace oai::load {
namespace {

// Puts a column's value into the item.
using Setter = void (*)(Item&, const std::string&);
struct ScalarColumn {
    std::string_view name;
    bool several;
    Setter set;
};
constexpr ScalarColumn kColumns[] = {
    {"local_id", false, [](Item& i, const std::string& v) { i.local_id = local_id_of(v); }},
    {"doi", false,
     [](Item& i, const std::string& v) { i.add(Element::identifier, "https://doi.org/" + v); }},
    {"urn", false, [](Item& i, const std::string& v) { i.add(Element::identifier, v); }},
    {"landing_page", false, [](Item& i, const std::string& v) { i.add(Element::identifier, v); }},
    {"licence", false, [](Item& i, const std::string& v) { i.add(Element::rights, v); }},
    {"year", false, [](Item& i, const std::string& v) { i.add(Element::date, v); }},
    {"isbn", true,
     [](Item& i, const std::string& v) { i.add(Element::identifier, "urn:isbn:" + v); }},
    {"issn", true,
     [](Item& i, const std::string& v) { i.add(Element::identifier, "urn:issn:" + v); }},
    {"kind", false, [](Item& i, const std::string& v) { i.kind = v; }},
    {"access", false, [](Item& i, const std::string& v) { i.access = access_of(v); }},
    {"access_from", false, [](Item& i, const std::string& v) { i.access_from = moment_of(v); }},
    {"visible_from", false, [](Item& i, const std::string& v) { i.visible_from = moment_of(v); }},
    {"visible_until", false, [](Item& i, const std::string& v) { i.visible_until = moment_of(v); }},
    {"collection", true, [](Item& i, const std::string& v) { i.collections.push_back(v); }},
};

struct Column {
    const ScalarColumn* scalar = nullptr;  // nullptr: an element
    Element element{};
    std::string language;
};

std::optional<Column> column_named(std::string_view given) {
    const std::string_view whole = text::trim(given);
    const auto at = whole.find('@');
    const std::string name = text::lower_ascii(whole.substr(0, at));
    Column column;
    if (at != whole.npos) column.language = whole.substr(at + 1);
    for (std::size_t i = 0; i < kElements; ++i) {
        column.element = static_cast<Element>(i);
        if (name == kElementNames[i].name &&
            (column.language.empty() || kElementNames[i].has_language))
            return column;
    }
    for (const ScalarColumn& scalar : kColumns) {
        column.scalar = &scalar;
        if (name == scalar.name && at == whole.npos) return column;
    }
    return std::nullopt;
}

std::string_view without_bom(std::string_view s) {
    return s.starts_with("\xEF\xBB\xBF") ? s.substr(3) : s;
}

// nullopt if a quote does not end in the row.
std::optional<std::vector<std::string>> fields_of(std::string_view row, char separator) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const char c = row[i];
        if (quoted && c == '"' && i + 1 < row.size() && row[i + 1] == '"')
            fields.back() += row[++i];
        else if (c == '"' && (quoted || fields.back().empty()))
            quoted = !quoted;
        else if (c == separator && !quoted)
            fields.emplace_back();
        else
            fields.back() += c;
    }
    if (quoted) return std::nullopt;
    return fields;
}

std::string_view without_line_end(std::string_view line) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

char field_separator(std::string_view header) {
    for (const char c : {'\t', ';'})
        if (header.find(c) != header.npos) return c;
    return ',';
}

class CsvReader {
  public:
    CsvReader(Input& input, char value_separator, ItemHandler& handler)
        : input_(input), value_separator_(value_separator), handler_(handler) {}

    void read() {
        const std::string header(input_.peek_line(Input::kWindowBytes));
        read_header(without_line_end(without_bom(header)));
        pass(header.size());
        for (;;) {
            const std::string_view line = input_.peek_line(Input::kWindowBytes);
            if (!line.empty())
                row(line.size());
            else if (input_.broken().empty())
                return;
            else if (!next_stretch())
                return;
        }
    }

  private:
    void read_header(std::string_view header) {
        separator_ = field_separator(header);
        const auto names = fields_of(header, separator_);
        if (!names) throw std::runtime_error("the header line has a quote that does not end");
        for (const std::string& name : *names) {
            const auto column = column_named(name);
            if (!column)
                throw std::runtime_error("the header line has a column that is not known: " +
                                         text::to_xml_text(name));
            columns_.push_back(*column);
        }
    }

    // Reads one row, which may have several lines: as few of those at hand as end all quotes.
    void row(std::size_t first_line) {
        const std::string_view s = input_.peek(Input::kWindowBytes);
        std::size_t size = first_line;
        auto quotes = std::count(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(size), '"');
        while (quotes % 2 != 0 && size < s.size()) {
            const auto end = s.find('\n', size);
            const std::size_t next = end == s.npos ? s.size() : end + 1;
            quotes += std::count(s.begin() + static_cast<std::ptrdiff_t>(size),
                                 s.begin() + static_cast<std::ptrdiff_t>(next), '"');
            size = next;
        }
        if (quotes % 2 != 0) {
            handler_.damage(line_, "a quote that does not end");
            return pass(first_line);
        }
        const std::string row(without_line_end(s.substr(0, size)));
        if (!text::trim(row).empty()) take(row);
        pass(size);
    }

    void take(const std::string& row) {
        if (!text::is_xml_text(row))
            return handler_.damage(line_,
                                   "bytes that are not UTF-8, or characters that XML cannot have");
        const auto fields = fields_of(row, separator_);
        if (!fields) return handler_.damage(line_, "a quote that does not end");
        if (fields->size() != columns_.size())
            return handler_.damage(line_, std::to_string(fields->size()) +
                                              " fields where the header line has " +
                                              std::to_string(columns_.size()));
        Item item;
        for (std::size_t i = 0; i < columns_.size(); ++i) fill(item, columns_[i], (*fields)[i]);
        complete(item);
        if (item.local_id.empty())
            return handler_.damage(line_,
                                   "a row without identifier (or with one that is too long)");
        handler_.item(std::move(item));
    }

    void fill(Item& item, const Column& column, const std::string& field) const {
        const bool several = column.scalar == nullptr || column.scalar->several;
        std::vector<std::string_view> values = {field};
        if (several) values = text::split(field, value_separator_);
        for (const std::string_view given : values) {
            const std::string value(text::trim(given));
            if (value.empty()) continue;
            if (column.scalar != nullptr)
                column.scalar->set(item, value);
            else
                item.add(column.element, value, column.language);
        }
    }

    bool next_stretch() {
        handler_.damage(line_, input_.broken());
        if (!input_.resume()) return false;
        input_.skip_line();  // its start is lost
        return true;
    }

    void pass(std::size_t n) {
        const std::string_view s = input_.peek(n).substr(0, n);
        line_ += static_cast<std::uint64_t>(std::count(s.begin(), s.end(), '\n'));
        input_.consume(s.size());
    }

    Input& input_;
    char value_separator_, separator_ = ',';
    ItemHandler& handler_;
    std::vector<Column> columns_;
    std::uint64_t line_ = 1;
};

}  // namespace

bool is_csv_header(std::string_view line) {
    const std::string_view header = without_line_end(without_bom(line));
    const auto names = fields_of(header, field_separator(header));
    return names && std::any_of(names->begin(), names->end(),
                                [](const std::string& n) { return column_named(n).has_value(); });
}

void read_items_csv(Input& input, char value_separator, ItemHandler& handler) {
    CsvReader(input, value_separator, handler).read();
}

}  // namespace oai::load
