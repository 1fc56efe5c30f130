// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "tools/load/capture.h"
#include "tools/load/field.h"
#include "tools/load/items.h"
#include "tools/load/words.h"

namespace oai::load {
namespace {

// Puts a column's value into the item.
using Setter = void (*)(Item&, const std::string&);
enum class Holds { one, several, moment };
struct ScalarColumn {
    std::string_view name;
    Holds holds;
    Setter set;
};
constexpr ScalarColumn kColumns[] = {
    {"local_id", Holds::one, [](Item& i, const std::string& v) { i.local_id = local_id_of(v); }},
    {"doi", Holds::one,
     [](Item& i, const std::string& v) {
         i.add(Element::identifier, v.starts_with("10.") ? "https://doi.org/" + v : v);
     }},
    {"urn", Holds::one, [](Item& i, const std::string& v) { i.add(Element::identifier, v); }},
    {"landing_page", Holds::one,
     [](Item& i, const std::string& v) { i.add(Element::identifier, v); }},
    {"licence", Holds::one, [](Item& i, const std::string& v) { i.add(Element::rights, v); }},
    {"year", Holds::one, [](Item& i, const std::string& v) { i.add(Element::date, v); }},
    {"isbn", Holds::several,
     [](Item& i, const std::string& v) { i.add(Element::identifier, "urn:isbn:" + v); }},
    {"issn", Holds::several,
     [](Item& i, const std::string& v) { i.add(Element::identifier, "urn:issn:" + v); }},
    {"kind", Holds::one,
     [](Item& i, const std::string& v) { i.kind = kind_of(v).empty() ? v : kind_of(v); }},
    {"access", Holds::one, [](Item& i, const std::string& v) { i.access = access_of(v); }},
    {"access_from", Holds::moment, [](Item& i, const std::string& v) { i.access_from = v; }},
    {"visible_from", Holds::moment, [](Item& i, const std::string& v) { i.visible_from = v; }},
    {"visible_until", Holds::moment, [](Item& i, const std::string& v) { i.visible_until = v; }},
    {"collection", Holds::several,
     [](Item& i, const std::string& v) { i.collections.push_back(v); }},
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

std::string name_of(const Column& column) {
    return std::string(column.scalar != nullptr
                           ? column.scalar->name
                           : kElementNames[static_cast<std::size_t>(column.element)].name);
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
    if (given.empty()) return {given, "", true};  // behind a separator at the end of the line
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

// How many bytes the row has that s begins with: as few lines as end all quotes. 0: they do not
// end.
std::size_t row_bytes(std::string_view s) {
    std::ptrdiff_t quotes = 0;
    for (std::size_t begin = 0, end = 0; begin < s.size(); begin = end) {
        end = std::min(s.find('\n', begin), s.size() - 1) + 1;
        const std::string_view line = s.substr(begin, end - begin);
        quotes += std::count(line.begin(), line.end(), '"');
        if (quotes % 2 == 0) return end;
    }
    return 0;
}

// "31. 12. 2020" and "2020-12-31 00:00:00", as spreadsheets write days, are 2020-12-31.
std::string date_of(const std::string& given) {
    static const RE2 kDay(R"(\d\d?\..*|\d{4}-\d\d-\d\d[ T]00:00(?::00)?(?:\.0*)?)");
    const auto day = RE2::FullMatch(given, kDay) ? parse_date(given) : std::nullopt;
    return day ? print_utc(*day).substr(0, 10) : given;
}

constexpr int kHeaderRows = 10;  // among which the one with the columns is looked for
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
        pass(header.bytes);
        for (;;) {
            const std::string_view line = input_.peek_line(Input::kWindowBytes);
            if (!line.empty())
                row(line.size());
            else if (input_.broken().empty() || !next_stretch())
                return;
        }
    }

  private:
    // Reads one row, which may have several lines.
    void row(std::size_t first_line) {
        const std::string_view s = input_.peek(Input::kWindowBytes).substr(0, Input::kWindowBytes);
        const std::size_t size = row_bytes(s);
        if (size == 0 || (size == Input::kWindowBytes && s.back() != '\n')) {
            if (s.size() == Input::kWindowBytes && !are_rows(s.substr(first_line)))
                return pass_large_row();
            handler_.damage(line_, "a quote that does not end");
            return pass(first_line);
        }
        const std::string_view row = without_line_end(s.substr(0, size));
        take(encoding_ ? to_utf8(row, encoding_) : std::string(row));
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
        if (text::clean(row) > 0) handler_.remark(kRepaired);
        auto fields = fields_of(row, separator_);
        if (!fields) return handler_.damage(line_, "a quote that does not end");
        const auto is_blank = [](const std::string& field) { return text::trim(field).empty(); };
        if (std::all_of(fields->begin(), fields->end(), is_blank)) return;
        while (fields->size() > columns_.size() && is_blank(fields->back())) fields->pop_back();
        if (fields->size() != columns_.size())
            return handler_.damage(line_, std::to_string(fields->size()) +
                                              " fields where the header line has " +
                                              std::to_string(columns_.size()));
        Item item;
        wrong_.clear();
        for (std::size_t i = 0; i < columns_.size(); ++i)
            if (columns_[i]) fill(item, *columns_[i], (*fields)[i]);
        complete(item);
        if (item.local_id.empty())
            wrong_ = "a row without identifier (or with one that is too long)";
        if (!wrong_.empty()) return handler_.damage(line_, wrong_);
        if (seen_.size() < kRemembered &&
            !seen_.insert(std::hash<std::string>()(item.local_id)).second)
            handler_.remark("identifier " + item.local_id +
                            " of an earlier row, which it replaces");
        handler_.item(std::move(item));
    }

    void fill(Item& item, const Column& column, const std::string& field) {
        const bool several = column.scalar == nullptr || column.scalar->holds == Holds::several;
        const std::string name = name_of(column);
        std::string text = field;
        if (name == "language")
            for (const char c : {',', ';', '/'})
                std::replace(text.begin(), text.end(), c, value_separator_);
        std::vector<std::string_view> values = {text};
        if (several) values = text::split(text, value_separator_);
        for (const std::string_view given : values) {
            const std::string value = judged(name, std::string(text::trim(given)));
            if (value.empty()) continue;
            if (column.scalar != nullptr)
                column.scalar->set(item, value);
            else
                item.add(column.element, value, column.language);
        }
        if ((name == "creator" || name == "subject") && values.size() == 1 &&
            field.find(';') != field.npos)
            handler_.remark(name + " has \";\" within one value, which --separator ';' would part");
    }

    // The value as it is meant. Says what is not known; a date that decides who may see an item
    // has to be one.
    std::string judged(const std::string& name, const std::string& value) {
        if (value.empty()) return "";
        const auto judge = [&](const std::string& meant, std::string_view words) {
            if (!meant.empty()) return meant;
            const std::string near = near_word(words, value);
            handler_.remark(name + " " + value + " is not known" +
                            (near.empty() ? "" : "; near to it is " + near));
            return value;
        };
        if (name == "date" || name == "year") return date_of(value);
        if (name.ends_with("_from") || name.ends_with("_until")) {
            const std::string moment = moment_of(date_of(value));
            if (moment.empty()) wrong_ = name + " is no date: " + value;
            return moment;
        }
        if (name == "language") return judge(language_meant_by(value), "languages");
        if (name == "kind" || name == "type") judge(kind_of(value), "kinds");
        if (name == "access" && access_of(judge(access_of(value), "access")).empty()) return "";
        return value;
    }

    bool next_stretch() {
        handler_.damage(line_, input_.broken());
        if (!input_.resume()) return false;
        input_.skip_line();  // its start is lost
        return true;
    }

    void pass(std::size_t n) { line_ += input_.consume_lines(n); }

    Input& input_;
    char value_separator_, separator_ = ',';
    const char* encoding_ = nullptr;
    ItemHandler& handler_;
    std::vector<std::optional<Column>> columns_;  // nullopt: left out
    std::string wrong_;                           // with the row that is read
    std::unordered_set<std::size_t> seen_;        // hashes of local_ids
    std::uint64_t line_ = 1;
};

// How many columns are known, which is what a separator and an encoding are chosen by.
std::ptrdiff_t known(const CsvHeader& header) {
    return std::count_if(
        header.columns.begin(), header.columns.end(),
        [](const CsvHeader::Column& column) { return !column.name.empty(); });
}

CsvHeader columns_in(std::string line, const char* encoding, std::string_view separators,
                     const CsvOptions& options) {
    if (encoding != nullptr) line = to_utf8(line, encoding);
    CsvHeader best;
    for (const char separator : separators) {
        CsvHeader header{.encoding = encoding, .separator = separator, .columns = {}};
        for (const std::string& name :
             fields_of(line, separator).value_or(std::vector<std::string>()))
            header.columns.push_back(column_of(std::string(text::trim(name)), options));
        if (best.columns.empty() || known(header) > known(best)) best = std::move(header);
    }
    return best;
}

// nullptr: UTF-8, if most lines beyond ASCII are: a few that are not are damaged.
const char* encoding_of(std::string_view lines) {
    std::ptrdiff_t other = 0;
    for (const std::string_view line : text::split(lines, '\n'))
        other += !text::is_utf8(line) ? 1 : is_surely_utf8(line) ? -1 : 0;
    return other > 0 ? guess_encoding(lines) : nullptr;
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
    const char* const encoding = encoding_of(lines);
    std::string_view separators = "\t;,|";
    std::size_t at = window.starts_with("\xEF\xBB\xBF") ? 3 : 0, bytes = 0;
    for (int row = 0; row < kHeaderRows && (bytes = row_bytes(window.substr(at))) > 0; ++row) {
        const std::string line(without_line_end(window.substr(at, bytes)));
        const std::size_t begin = std::exchange(at, at + bytes);
        if (line.size() == 5 && line.starts_with("sep=")) {  // Excel's
            separators = window.substr(begin + 4, 1);
            --row;
            continue;
        }
        CsvHeader header = columns_in(line, encoding, separators, options);
        // A table has few sentences to guess by, but names that are words in one encoding alone.
        if (encoding != nullptr)
            if (CsvHeader other = columns_in(line, "windows-1250", separators, options);
                known(other) > known(header))
                header = std::move(other);
        header.bytes = at;
        header.rows_before = row;
        // A title above the columns may be the word for one.
        if (known(header) > (row == 0 ? 0 : 1)) return header;
    }
    return std::nullopt;
}

void require_known(const CsvHeader& header) {
    if (const auto unknown = header.unknown(); !unknown.empty())
        throw std::runtime_error(
            fmt::format("columns that are not known: \"{}\": `oai load --dry-run` shows what "
                        "becomes of all, and how to say what these are",
                        text::to_xml_text(fmt::format("{}", fmt::join(unknown, "\", \"")))));
}

void read_items_csv(Input& input, const CsvHeader& header, char value_separator,
                    ItemHandler& handler) {
    CsvReader(input, value_separator, handler).read(header);
}

}  // namespace oai::load
