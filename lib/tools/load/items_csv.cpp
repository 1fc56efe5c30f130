// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <unordered_set>

#include "base/text.h"
#include "tools/harvest/answer.h"
#include "tools/load/capture.h"
#include "tools/load/items.h"
#include "tools/load/words.h"

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
    {"kind", false,
     [](Item& i, const std::string& v) { i.kind = kind_of(v).empty() ? v : kind_of(v); }},
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

// Which column it is by the words of people: "Název", "dc.title[cs]", "Titel@de".
CsvHeader::Column column_by_words(const std::string& given) {
    const auto mark = given.find_first_of("[@");
    std::string language = mark == given.npos ? "" : given.substr(mark + 1);
    if (language.ends_with(']')) language.pop_back();
    std::replace(language.begin(), language.end(), '_', '-');
    const auto meant = column_meant_by(given.substr(0, mark));
    if (!meant) return {given, "", false};
    for (const std::string& name : {*meant + "@" + language, *meant})
        if (column_named(name)) return {given, language.empty() ? *meant : name, true};
    return {given, "", meant->empty()};
}

CsvHeader::Column column_of(const std::string& given, const CsvOptions& options) {
    const auto option = options.columns.find(given);
    if (option == options.columns.end())
        return column_named(given) ? CsvHeader::Column{given, given, true} : column_by_words(given);
    if (!option->second.empty() && !column_named(option->second))
        throw std::runtime_error("--column " + given + "=" + option->second +
                                 ": there is no such column to be: see oai(1)");
    return {given, option->second, true};
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

constexpr std::size_t kRemembered = 1'000'000;  // identifiers of rows, so that memory is bounded

class CsvReader {
  public:
    CsvReader(Input& input, char value_separator, ItemHandler& handler)
        : input_(input), value_separator_(value_separator), handler_(handler) {}

    void read(const CsvHeader& header) {
        encoding_ = header.encoding;
        separator_ = header.separator;
        for (const CsvHeader::Column& column : header.columns)
            columns_.push_back(column_named(column.name));
        pass(input_.peek_line(Input::kWindowBytes).size());
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
    // Reads one row, which may have several lines: as few of those at hand as end all quotes.
    void row(std::size_t first_line) {
        const std::string_view s = input_.peek(Input::kWindowBytes).substr(0, Input::kWindowBytes);
        std::size_t size = first_line;
        auto quotes = std::count(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(size), '"');
        while (quotes % 2 != 0 && size < s.size()) {
            const auto end = s.find('\n', size);
            const std::size_t next = end == s.npos ? s.size() : end + 1;
            quotes += std::count(s.begin() + static_cast<std::ptrdiff_t>(size),
                                 s.begin() + static_cast<std::ptrdiff_t>(next), '"');
            size = next;
        }
        const bool is_cut = size == Input::kWindowBytes && s.back() != '\n';
        if (quotes % 2 != 0 || is_cut) {
            if (s.size() == Input::kWindowBytes && !are_rows(s.substr(first_line)))
                return pass_large_row();
            handler_.damage(line_, "a quote that does not end");
            return pass(first_line);
        }
        const std::string_view row = without_line_end(s.substr(0, size));
        if (!text::trim(row).empty()) take(encoding_ ? to_utf8(row, encoding_) : std::string(row));
        pass(size);
    }

    // Whether most of these lines have as many fields as a row: then a quote before them is a slip.
    bool are_rows(std::string_view lines) const {
        std::size_t rows = 0, others = 0;
        for (std::size_t end = 0; (end = lines.find('\n')) != lines.npos;) {
            const auto fields = fields_of(lines.substr(0, end), separator_);
            ++(fields && fields->size() == columns_.size() ? rows : others);
            lines.remove_prefix(end + 1);
        }
        return rows > 3 * others;
    }

    void pass_large_row() {
        handler_.damage(line_, "a row of more than 1 MB, or a quote that does not end");
        std::ptrdiff_t quotes = 0;
        for (bool is_whole = false; !is_whole;) {
            const std::string_view line = input_.peek_line(Input::kWindowBytes);
            if (line.empty()) return;
            quotes += std::count(line.begin(), line.end(), '"');
            is_whole = line.back() == '\n' && quotes % 2 == 0;
            pass(line.size());
        }
    }

    void take(std::string row) {
        if (!text::is_xml_text(row)) {
            handler_.remark(kRepaired);
            row = harvest::repair_text(row).bytes;
        }
        const auto fields = fields_of(row, separator_);
        if (!fields) return handler_.damage(line_, "a quote that does not end");
        if (fields->size() != columns_.size())
            return handler_.damage(line_, std::to_string(fields->size()) +
                                              " fields where the header line has " +
                                              std::to_string(columns_.size()));
        Item item;
        for (std::size_t i = 0; i < columns_.size(); ++i)
            if (columns_[i]) fill(item, *columns_[i], (*fields)[i]);
        complete(item);
        if (item.local_id.empty())
            return handler_.damage(line_,
                                   "a row without identifier (or with one that is too long)");
        if (seen_.size() < kRemembered &&
            !seen_.insert(std::hash<std::string>()(item.local_id)).second)
            handler_.remark("identifier " + item.local_id +
                            " of an earlier row, which it replaces");
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
            else if (column.element == Element::language)
                add_language(item, value);
            else
                item.add(column.element, value, column.language);
            if (is_kind(column) && kind_of(value).empty())
                handler_.remark("kind " + value + " is not known");
        }
    }

    static bool is_kind(const Column& column) {
        return column.scalar == nullptr ? column.element == Element::type
                                        : std::string_view(column.scalar->name) == "kind";
    }

    void add_language(Item& item, const std::string& value) const {
        const std::string tag = language_meant_by(value);
        if (tag.empty()) handler_.remark("language " + value + " is not known");
        item.add(Element::language, tag.empty() ? value : tag);
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
    const char* encoding_ = nullptr;
    ItemHandler& handler_;
    std::vector<std::optional<Column>> columns_;  // nullopt: left out
    std::unordered_set<std::size_t> seen_;        // hashes of local_ids
    std::uint64_t line_ = 1;
};

std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "\"" : ", \"") + text::to_xml_text(name) + "\"";
    return list;
}

CsvHeader columns_in(std::string line, const char* encoding, const CsvOptions& options) {
    CsvHeader header;
    header.encoding = encoding;
    if (encoding != nullptr) line = to_utf8(line, encoding);
    header.separator = field_separator(line);
    const auto names = fields_of(line, header.separator);
    for (const std::string& name : names.value_or(std::vector<std::string>()))
        header.columns.push_back(column_of(std::string(text::trim(name)), options));
    return header;
}

}  // namespace

std::vector<std::string> CsvHeader::unknown() const {
    std::vector<std::string> names;
    for (const Column& column : columns)
        if (!column.is_known) names.push_back(column.given);
    return names;
}

std::optional<CsvHeader> csv_header(Input& input, const CsvOptions& options) {
    // Whole lines, since the window may end within a character.
    const std::string_view window = input.peek(Input::kWindowBytes);
    const std::string_view lines = window.substr(0, std::min(window.size(), window.rfind('\n')));
    const char* const encoding = text::is_utf8(lines) ? nullptr : guess_encoding(lines);
    std::string line(without_line_end(input.peek_line(Input::kWindowBytes)));
    if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    CsvHeader header = columns_in(line, encoding, options);
    // A table has few sentences to guess by, but names that are words in one encoding alone.
    if (CsvHeader other = columns_in(line, "windows-1250", options);
        encoding != nullptr && other.unknown().size() < header.unknown().size())
        header = std::move(other);
    if (std::all_of(header.columns.begin(), header.columns.end(),
                    [](const CsvHeader::Column& column) { return column.name.empty(); }))
        return std::nullopt;
    return header;
}

void require_known(const CsvHeader& header) {
    if (const auto unknown = header.unknown(); !unknown.empty())
        throw std::runtime_error("columns that are not known: " + listed(unknown) +
                                 ": `oai load --dry-run` shows what becomes of all, and how to say "
                                 "what these are");
}

void read_items_csv(Input& input, const CsvHeader& header, char value_separator,
                    ItemHandler& handler) {
    CsvReader(input, value_separator, handler).read(header);
}

}  // namespace oai::load
