// SPDX-License-Identifier: MIT
#include "format/record_xml.h"

#include <fmt/format.h>

#include <algorithm>

#include "xml/document.h"

namespace oai {
namespace {

using Shape = RecordValues::Shape;

// Turns the records of one batch into elements of one document.
class Builder {
  public:
    Builder(const RecordBatch& batch, std::string_view identifier_prefix,
            const std::vector<std::string>* needed, std::span<const std::string> required)
        : values_(batch, identifier_prefix, needed),
          required_(required),
          out_{xml::new_document(), {}, {}},
          record_(xml::intern(out_.document.get(), "record")),
          lang_(xml::intern(out_.document.get(), "lang")),
          records_(xml::add_element(reinterpret_cast<xmlNode*>(out_.document.get()),
                                    xml::intern(out_.document.get(), "records"))) {
        for (const RecordValues::Column& column : values_.columns())
            names_.push_back(xml::intern(out_.document.get(), column.name));
    }

    void add(int i);
    RecordXml finish() { return std::move(out_); }

  private:
    void add_values(xmlNode* record);
    void add_entries(xmlNode* record, const RecordValues::Column& column, const xmlChar* name);

    RecordValues values_;
    const std::span<const std::string> required_;
    RecordXml out_;
    const xmlChar *record_, *lang_;
    xmlNode* records_;
    std::vector<const xmlChar*> names_;  // of the columns, in the document's dictionary
};

void Builder::add(int i) {
    xmlNode* record = nullptr;
    try {
        values_.read(i);
        if (const std::string why = lacking(values_, required_); !why.empty()) throw BadValue(why);
        record = xml::add_element(records_, record_);
        add_values(record);
        xml::add_text(records_, std::string_view(&kRecordEnd, 1));
        out_.batch_index.push_back(i);
    } catch (const BadValue& e) {
        if (record != nullptr) const xml::NodeHandle dropped(record);
        out_.failures.push_back({i, e.what()});
    }
}

void Builder::add_values(xmlNode* record) {
    xmlAttr* last = nullptr;
    for (std::size_t c = 0; c < names_.size(); ++c) {
        const RecordValues::Column& column = values_.columns()[c];
        if (column.shape != Shape::scalar)
            add_entries(record, column, names_[c]);
        else if (!column.nodes.empty())
            last = xml::add_attribute(record, last, names_[c], column.nodes[0].text);
    }
}

void Builder::add_entries(xmlNode* record, const RecordValues::Column& column,
                          const xmlChar* name) {
    for (const transform::Entry& entry : column.nodes) {
        if (column.shape == Shape::array) {
            xmlNode* element = xml::add_element(record, name);
            if (entry.lang) xml::add_attribute(element, nullptr, lang_, *entry.lang);
            xml::add_text(element, entry.text);
            continue;
        }
        // A value of PostgreSQL's type xml may be a whole document or only the content of an
        // element.
        try {
            xml::add_parsed(record, name, entry.text);
        } catch (const xml::Error& e) {
            throw BadValue(fmt::format("column {}: {}", column.name, e.what()));
        }
    }
}

}  // namespace

std::vector<int> live_records(const RecordBatch& batch) {
    std::vector<int> out;
    for (int i = 0; i < batch.size(); ++i)
        if (!batch.header(i).deleted) out.push_back(i);
    return out;
}

void remove_marks(xmlDoc* document) {
    for (xmlNode* node = xmlDocGetRootElement(document)->children; node != nullptr;) {
        xmlNode* const next = node->next;
        if (node->type == XML_TEXT_NODE) const xml::NodeHandle mark(node);
        node = next;
    }
}

std::string lacking(const RecordValues& values, std::span<const std::string> required) {
    const auto found = std::find_if(required.begin(), required.end(),
                                    [&](const auto& column) { return !values.has(column); });
    return found == required.end() ? "" : "requires " + *found;
}

RecordXml records_to_xml(const RecordBatch& batch, std::span<const int> indices,
                         std::string_view identifier_prefix, const std::vector<std::string>* needed,
                         std::span<const std::string> required) {
    Builder builder(batch, identifier_prefix, needed, required);
    for (const int i : indices) builder.add(i);
    return builder.finish();
}

}  // namespace oai
