// SPDX-License-Identifier: MIT
#include "record_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/text.h"
#include "datestamp.h"
#include "error.h"
#include "pg/binary.h"
#include "pg/error.h"
#include "xml/document.h"
#include "xml/tree.h"

namespace oai {
namespace {

enum class Shape { scalar, array, tree, tree_array };

struct Type {
    unsigned oid;
    Shape shape;
};
constexpr std::array<Type, 13> kTypes = {{
    {pg::kText, Shape::scalar},         {pg::kVarchar, Shape::scalar},     {pg::kInt8, Shape::scalar},
    {pg::kInt4, Shape::scalar},         {pg::kInt2, Shape::scalar},        {pg::kBool, Shape::scalar},
    {pg::kTimestamptz, Shape::scalar},  {pg::kDate, Shape::scalar},        {pg::kTextArray, Shape::array},
    {pg::kVarcharArray, Shape::array},  {pg::kInt4Array, Shape::array},    {pg::kXml, Shape::tree},
    {pg::kXmlArray, Shape::tree_array},
}};

struct Column {
    int index;
    const xmlChar* name;  // in the document's dictionary
    unsigned type;
    Shape shape;
    std::string_view kind;  // of the names that its numbers stand for; "" a plain value
    int languages = -1;     // the column of its entries' languages; -1: there is none
};

// What is wrong with one value: its record fails, no other.
class BadValue : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Printable ASCII, eight bytes at a time: most values are, and need no second look.
bool is_plain(std::string_view s) {
    constexpr std::uint64_t high = 0x8080808080808080U;
    std::size_t i = 0;
    for (; i + 8 <= s.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, s.data() + i, 8);
        // A byte below 0x20 borrows from its high bit. A borrow beyond a byte only makes us look twice.
        if (((word | (word - 0x2020202020202020U)) & high) != 0) {
            return false;
        }
    }
    return std::all_of(s.begin() + static_cast<std::ptrdiff_t>(i), s.end(),
                       [](char c) { return static_cast<unsigned char>(c - 0x20) < 0x60; });
}

Seconds oai_time(std::chrono::sys_seconds t) {
    const auto year = std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(t)).year();
    if (year < std::chrono::year(1) || year > std::chrono::year(9999)) {
        throw BadValue("a time outside the years 0001 to 9999");
    }
    return t;
}

// Turns the rows of one slice into elements of one document. Scratch strings are kept between values.
class Builder {
  public:
    Builder(const Slice& slice, std::string_view identifier_prefix)
        : slice_(slice), identifier_prefix_(identifier_prefix), document_(xml::new_document()),
          record_(xml::intern(document_.get(), "record")), id_(xml::intern(document_.get(), "id")),
          identifier_(xml::intern(document_.get(), "identifier")),
          datestamp_(xml::intern(document_.get(), "datestamp")), lang_(xml::intern(document_.get(), "lang")),
          records_(xml::add_element(reinterpret_cast<xmlNode*>(document_.get()),
                                    xml::intern(document_.get(), "records"))) {
        for (int c = 0; c < slice.columns(); ++c) {
            if (!slice.is_language(c)) {
                add_column(c);
            }
        }
    }

    void add(int i);
    RecordXml finish() { return {std::move(document_), std::move(slice_index_), std::move(failures_)}; }

  private:
    void add_column(int index);
    void add_attributes(int i, xmlNode* record);
    void add_children(int i, xmlNode* record);
    void add_elements(xmlNode* record, const Column& column, std::string_view bytes);
    void add_texts_with_languages(int i, xmlNode* record, const Column& column);
    void add_tree(xmlNode* record, const Column& column, std::string_view content);
    std::string_view print_scalar(const Column& column, std::string_view bytes);
    void add_names(xmlNode* record, const Column& column);
    const Name& name_of(int id, const Column& column) const;
    std::string_view clean(std::string_view value);

    const Slice& slice_;
    const std::string_view identifier_prefix_;
    xml::DocumentHandle document_;
    const xmlChar *record_, *id_, *identifier_, *datestamp_, *lang_;
    xmlNode* records_;
    std::vector<Column> scalars_, others_;
    std::string scratch_;
    std::vector<std::string_view> texts_;
    std::vector<std::optional<std::string_view>> nullable_texts_, languages_;
    std::vector<int> numbers_;
    std::vector<int> slice_index_;
    std::vector<RecordXml::Failure> failures_;
};

void Builder::add_column(int index) {
    const std::string name(slice_.shown_name(index));
    const unsigned oid = slice_.column_type(index);
    const auto type = std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& t) { return t.oid == oid; });
    if (type == kTypes.end()) {
        throw Fault(fmt::format("oai.record: column {} has a type that is not part of the contract (oid {}); "
                                "cast it to text, bigint, boolean, date, timestamptz, xml or an array of text",
                                name, oid));
    }
    const xmlChar* interned = xml::intern(document_.get(), name);
    if (xmlValidateNCName(interned, 0) != 0) {
        throw Fault(fmt::format("oai.record: column {} cannot be the name of an XML attribute or element", name));
    }
    auto& group = type->shape == Shape::scalar ? scalars_ : others_;
    const bool taken =
        type->shape == Shape::scalar && (interned == id_ || interned == identifier_ || interned == datestamp_ ||
                                         std::any_of(scalars_.begin(), scalars_.end(),
                                                     [&](const Column& c) { return c.name == interned; }));
    if (taken) {
        throw Fault(fmt::format("oai.record: column {} would be the record's second attribute of that name", name));
    }
    group.push_back({index, interned, oid, type->shape,
                     slice_.is_named(index) ? slice_.shown_name(index) : std::string_view(),
                     slice_.language_column(index)});
}

void Builder::add(int i) {
    xmlNode* record = xml::add_element(records_, record_);
    try {
        add_attributes(i, record);
        add_children(i, record);
        xml::add_text(records_, std::string_view(&kRecordEnd, 1));
        slice_index_.push_back(i);
    } catch (const BadValue& e) {
        const xml::NodeHandle dropped(record);
        failures_.push_back({i, e.what()});
    }
}

void Builder::add_attributes(int i, xmlNode* record) {
    const Header& header = slice_.header(i);
    xmlAttr* last = xml::add_attribute(record, nullptr, id_, fmt::format_int(header.id).c_str());
    scratch_.assign(identifier_prefix_).append(header.local_id);
    last = is_plain(scratch_) ? xml::add_attribute(record, last, identifier_, scratch_)
                              : xml::add_attribute(record, last, identifier_, text::to_xml_text(scratch_));
    scratch_.clear();
    append_datestamp(scratch_, header.datestamp);
    last = xml::add_attribute(record, last, datestamp_, scratch_);
    for (const Column& column : scalars_) {
        if (slice_.is_null(i, column.index)) {
            continue;
        }
        try {
            const std::string_view value = print_scalar(column, slice_.bytes(i, column.index));
            last = xml::add_attribute(record, last, column.name, value);
        } catch (const std::runtime_error& e) {  // BadValue, pg::Error: infinity
            throw BadValue(fmt::format("column {}: {}", slice_.column_name(column.index), e.what()));
        }
    }
}

void Builder::add_children(int i, xmlNode* record) {
    for (const Column& column : others_) {
        if (slice_.is_null(i, column.index)) {
            continue;
        }
        try {
            if (column.languages >= 0 && !slice_.is_null(i, column.languages)) {
                add_texts_with_languages(i, record, column);
            } else {
                add_elements(record, column, slice_.bytes(i, column.index));
            }
        } catch (const std::runtime_error& e) {  // xml::Error, pg::Error
            throw BadValue(fmt::format("column {}: {}", slice_.column_name(column.index), e.what()));
        }
    }
}

void Builder::add_elements(xmlNode* record, const Column& column, std::string_view bytes) {
    if (column.shape == Shape::tree) {
        add_tree(record, column, bytes);
        return;
    }
    if (column.type == pg::kInt4Array) {
        numbers_.clear();
        pg::read_int4_array(bytes, numbers_);
        if (!column.kind.empty()) {
            add_names(record, column);
            return;
        }
        for (const int n : numbers_) {
            xml::add_text(xml::add_element(record, column.name), fmt::format_int(n).c_str());
        }
        return;
    }
    texts_.clear();
    pg::read_text_array(bytes, texts_);
    for (const std::string_view entry : texts_) {
        if (column.shape == Shape::tree_array) {
            add_tree(record, column, entry);
        } else {
            xml::add_text(xml::add_element(record, column.name), clean(entry));
        }
    }
}

void Builder::add_texts_with_languages(int i, xmlNode* record, const Column& column) {
    nullable_texts_.clear();
    languages_.clear();
    pg::read_nullable_text_array(slice_.bytes(i, column.index), nullable_texts_);
    pg::read_nullable_text_array(slice_.bytes(i, column.languages), languages_);
    if (languages_.size() != nullable_texts_.size()) {
        throw BadValue(fmt::format("{} entries, but {} languages in {}", nullable_texts_.size(), languages_.size(),
                                   slice_.column_name(column.languages)));
    }
    for (std::size_t n = 0; n < languages_.size(); ++n) {
        if (!nullable_texts_[n]) {
            continue;
        }
        xmlNode* element = xml::add_element(record, column.name);
        if (languages_[n]) {
            xml::add_attribute(element, nullptr, lang_, clean(*languages_[n]));
        }
        xml::add_text(element, clean(*nullable_texts_[n]));
    }
}

const Name& Builder::name_of(int id, const Column& column) const {
    const Name* name = slice_.names().find(id);
    if (name == nullptr) {
        throw BadValue(fmt::format("oai.dictionary has no {} with the id {}", column.kind, id));
    }
    return *name;
}

// An array may be the item's set_ids as they are: names of another kind are not this column's.
void Builder::add_names(xmlNode* record, const Column& column) {
    for (const int id : numbers_) {
        const Name& name = name_of(id, column);
        if (name.kind == column.kind) {
            xml::add_text(xml::add_element(record, column.name), clean(name.text));
        }
    }
}

// PostgreSQL's xml may be content: several elements, or text. Within an element of the column's name all of it is
// a document, and one that cannot have a DOCTYPE.
void Builder::add_tree(xmlNode* record, const Column& column, std::string_view content) {
    const auto* name = reinterpret_cast<const char*>(column.name);
    if (const std::size_t end = content.find("?>"); content.starts_with("<?xml ") && end != std::string_view::npos) {
        content.remove_prefix(end + 2);
    }
    const std::string wrapped = fmt::format("<{0}>{1}</{0}>", name, content);
    const xml::DocumentHandle parsed = xml::parse_memory(wrapped, name, document_->dict);
    xmlNode* copy = xmlDocCopyNode(xmlDocGetRootElement(parsed.get()), document_.get(), 1);
    if (copy == nullptr) {
        throw std::bad_alloc();
    }
    xmlAddChild(record, copy);
}

std::string_view Builder::clean(std::string_view value) {
    if (is_plain(value)) {
        return value;
    }
    scratch_ = text::to_xml_text(value);
    return scratch_;
}

std::string_view Builder::print_scalar(const Column& column, std::string_view bytes) {
    if (!column.kind.empty()) {
        const int id = static_cast<int>(pg::read_integer(bytes));
        const Name& name = name_of(id, column);
        if (name.kind != column.kind) {
            throw BadValue(fmt::format("the dictionary's {} is a name of {}", id, name.kind));
        }
        return clean(name.text);
    }
    switch (column.type) {
        case pg::kText:
        case pg::kVarchar:
            return clean(bytes);
        case pg::kBool:
            return pg::read_bool(bytes) ? "true" : "false";
        case pg::kTimestamptz:
            scratch_.clear();
            append_datestamp(scratch_, oai_time(pg::read_timestamptz(bytes)));
            return scratch_;
        case pg::kDate:
            scratch_ = print_datestamp(oai_time(pg::read_date(bytes)));
            return std::string_view(scratch_).substr(0, 10);  // YYYY-MM-DD
        default:
            scratch_ = fmt::format_int(pg::read_integer(bytes)).str();
            return scratch_;
    }
}

}  // namespace

RecordXml records_to_xml(const Slice& slice, std::string_view identifier_prefix) {
    Builder builder(slice, identifier_prefix);
    for (int i = 0; i < slice.size(); ++i) {
        if (!slice.header(i).deleted) {
            builder.add(i);
        }
    }
    return builder.finish();
}

RecordXml record_to_xml(const Slice& slice, int i, std::string_view identifier_prefix) {
    Builder builder(slice, identifier_prefix);
    builder.add(i);
    return builder.finish();
}

}  // namespace oai
