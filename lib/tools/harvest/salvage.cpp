// SPDX-License-Identifier: MIT
#include "tools/harvest/salvage.h"

#include <algorithm>

#include "base/text.h"
#include "tools/harvest/repair.h"
#include "xml/error.h"

namespace oai::harvest {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kRootBytes = std::size_t{64} << 10;  // it is parsed again with each record

bool ends_name(std::string_view s, std::size_t at) {
    return at >= s.size() || s[at] == '>' || kBlanks.find(s[at]) != s.npos;
}

class BrokenPage {
  public:
    explicit BrokenPage(std::string_view text) : text_(text) {
        const auto name = text.find("OAI-PMH");
        const auto open = name == text.npos ? text.npos : text.rfind('<', name);
        const auto close = name == text.npos ? text.npos : text.find('>', name);
        if (open == text.npos || close == text.npos) return;
        prefix_ = text.substr(open + 1, name - open - 1);
        if (text.starts_with("<?xml")) root_ = text.substr(0, text.find("?>") + 2);
        root_ += text.substr(open, close - open + 1);
        list_ = find_tag("ListRecords", close);
    }

    // Whether it begins as a page of ListRecords does, and its end is present.
    bool is_complete() const {
        return list_ != text_.npos && root_.size() <= kRootBytes &&
               (token_end() != text_.npos || list_end() != text_.npos);
    }

    std::vector<std::string_view> records() const {
        std::vector<std::string_view> out;
        const auto end = std::min({token_begin(), list_end(), text_.size()});
        for (auto at = find_record(list_); at < end;) {
            const auto next = std::min(find_record(at + 1), end);
            out.push_back(text_.substr(at, next - at));
            at = next;
        }
        return out;
    }

    // Wraps one piece of the page in a document of its own.
    std::string document_with(std::string_view piece) const {
        return root_ + "<" + prefix_ + "ListRecords>" + std::string(piece) + "</" + prefix_ +
               "ListRecords></" + prefix_ + "OAI-PMH>";
    }

    // A record that has only this identifier, which is XML text of the page.
    std::string record_with(std::string_view identifier) const {
        const auto within = [this](const std::string& name, const std::string& content) {
            return "<" + prefix_ + name + ">" + content + "</" + prefix_ + name + ">";
        };
        return within("record", within("header", within("identifier", std::string(identifier))));
    }

    // A piece of records(), cut after its last end tag.
    std::string_view up_to_end_tag(std::string_view piece) const {
        const std::string tag = "</" + prefix_ + "record>";
        const auto at = piece.rfind(tag);
        return at == piece.npos ? piece : piece.substr(0, at + tag.size());
    }

    // The text between the first tag of this name and the next tag.
    std::string_view between(std::string_view text, std::string_view name) const {
        const auto open = text.find("<" + prefix_ + std::string(name));
        const auto begin = open == text.npos ? open : text.find('>', open);
        const auto end = begin == text.npos ? begin : text.find('<', begin);
        return end == text.npos ? "" : text.substr(begin + 1, end - begin - 1);
    }

    std::string_view token_element() const {
        const auto end = token_end();
        return end == text_.npos ? "" : text_.substr(token_begin(), end - token_begin());
    }

  private:
    std::size_t find_tag(std::string_view name, std::size_t from) const {
        const std::string begin = "<" + prefix_ + std::string(name);
        auto at = text_.find(begin, from);
        while (at != text_.npos && !ends_name(text_, at + begin.size()))
            at = text_.find(begin, at + 1);
        return at;
    }

    // Finds the next <record> that is directly followed by a header: metadata may contain elements
    // of the same name. A tag that is interrupted by another '<' does not count.
    std::size_t find_record(std::size_t from) const {
        for (auto at = find_tag("record", from); at != text_.npos;
             at = find_tag("record", at + 1)) {
            const auto close = text_.find_first_of("<>", at + 1);
            if (close == text_.npos || text_[close] == '<') continue;
            const auto next = text_.find_first_not_of(kBlanks, close + 1);
            if (next != text_.npos && text_.substr(next).starts_with("<" + prefix_ + "header"))
                return at;
        }
        return text_.npos;
    }

    std::size_t token_begin() const { return text_.rfind("<" + prefix_ + "resumptionToken"); }
    std::size_t token_end() const {
        const auto begin = token_begin();
        if (begin == text_.npos) return begin;
        const std::string tag = "</" + prefix_ + "resumptionToken>";
        const auto at = text_.find(tag, begin);
        return at == text_.npos ? at : at + tag.size();
    }
    std::size_t list_end() const { return text_.rfind("</" + prefix_ + "ListRecords>"); }

    std::string_view text_;
    std::string prefix_;  // "oai:" or ""
    std::string root_;    // the XML declaration and the start tag of the document element
    std::size_t list_ = std::string_view::npos;
};

std::optional<ParsedAnswer> parse_piece(const BrokenPage& page, std::string_view piece) {
    try {
        return read_answer(page.document_with(piece));
    } catch (const xml::Error&) {
        return std::nullopt;
    }
}

std::string identifier_of(const BrokenPage& page, std::string_view piece) {
    const auto read = parse_piece(page, page.record_with(page.between(piece, "identifier")));
    return read && read->records.size() == 1 ? read->records[0].identifier : "";
}

void take_record(const BrokenPage& page, std::string_view piece, SalvagedPage& salvaged) {
    auto read = parse_piece(page, page.up_to_end_tag(piece));
    if (read && read->records.size() == 1)
        salvaged.answer.records.push_back(std::move(read->records[0]));
    else
        salvaged.broken.push_back(identifier_of(page, piece));
}

}  // namespace

std::optional<SalvagedPage> salvage(std::string_view bytes) {
    const RepairResult repaired = repair(skip_lead(bytes));
    const BrokenPage page(repaired.bytes);
    if (!page.is_complete()) return std::nullopt;
    SalvagedPage salvaged;
    salvaged.answer.verb = "ListRecords";
    salvaged.answer.repaired = repaired.changes;
    salvaged.answer.response_date =
        text::to_xml_text(text::trim(page.between(repaired.bytes, "responseDate")));
    for (const std::string_view piece : page.records()) take_record(page, piece, salvaged);
    for (Record& record : salvaged.answer.records)
        record.response_date = salvaged.answer.response_date;
    if (page.token_element().empty()) return salvaged;
    const auto token = parse_piece(page, page.token_element());
    if (!token) return std::nullopt;
    salvaged.answer.token = token->token;
    salvaged.answer.list_size = token->list_size;
    return salvaged;
}

}  // namespace oai::harvest
