// SPDX-License-Identifier: MIT
#include "harvest/salvage.h"

#include <algorithm>

#include "base/text.h"
#include "harvest/repair.h"
#include "xml/error.h"

namespace oai::harvest {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kRootBytes = std::size_t{64} << 10;  // read again with each record

bool ends_name(std::string_view s, std::size_t at) { return at >= s.size() || s[at] == '>' || kBlanks.find(s[at]) != s.npos; }

class Page {
  public:
    explicit Page(std::string_view text) : text_(text) {
        const auto name = text.find("OAI-PMH");
        const auto open = name == text.npos ? text.npos : text.rfind('<', name);
        const auto close = name == text.npos ? text.npos : text.find('>', name);
        if (open == text.npos || close == text.npos) return;
        prefix_ = text.substr(open + 1, name - open - 1);
        if (text.starts_with("<?xml")) root_ = text.substr(0, text.find("?>") + 2);
        root_ += text.substr(open, close - open + 1);
        list_ = tag("ListRecords", close);
    }

    // Begins like a page, and its end is there.
    bool ends() const {
        return list_ != text_.npos && root_.size() <= kRootBytes &&
               (token_end() != text_.npos || list_end() != text_.npos);
    }

    std::vector<std::string_view> records() const {
        std::vector<std::string_view> out;
        const auto end = std::min({token_begin(), list_end(), text_.size()});
        for (auto at = record(list_); at < end;) {
            const auto next = std::min(record(at + 1), end);
            out.push_back(text_.substr(at, next - at));
            at = next;
        }
        return out;
    }

    // A document of the page's own kind that holds this alone.
    std::string alone(std::string_view piece) const {
        return root_ + "<" + prefix_ + "ListRecords>" + std::string(piece) + "</" + prefix_ + "ListRecords></" + prefix_ +
               "OAI-PMH>";
    }

    // A record of that identifier, which is XML as it stood in the page.
    std::string named(std::string_view identifier) const {
        const auto within = [this](const std::string& name, const std::string& content) {
            return "<" + prefix_ + name + ">" + content + "</" + prefix_ + name + ">";
        };
        return within("record", within("header", within("identifier", std::string(identifier))));
    }

    // A piece of records() up to its last end tag.
    std::string_view to_its_end(std::string_view piece) const {
        const std::string tag = "</" + prefix_ + "record>";
        const auto at = piece.rfind(tag);
        return at == piece.npos ? piece : piece.substr(0, at + tag.size());
    }

    // What stands between the first such tags.
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
    std::size_t tag(std::string_view name, std::size_t from) const {
        const std::string begin = "<" + prefix_ + std::string(name);
        auto at = text_.find(begin, from);
        while (at != text_.npos && !ends_name(text_, at + begin.size())) at = text_.find(begin, at + 1);
        return at;
    }

    // Where a record of OAI-PMH begins: one whose first tag is its header. Metadata may have records of their own.
    std::size_t record(std::size_t from) const {
        for (auto at = tag("record", from); at != text_.npos; at = tag("record", at + 1)) {
            const auto close = text_.find_first_of("<>", at + 1);  // a tag that another interrupts is none
            if (close == text_.npos || text_[close] == '<') continue;
            const auto next = text_.find_first_not_of(kBlanks, close + 1);
            if (next != text_.npos && text_.substr(next).starts_with("<" + prefix_ + "header")) return at;
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
    std::string root_;    // the declaration, and the tag that begins the document element
    std::size_t list_ = std::string_view::npos;
};

std::optional<Answer> read_alone(const Page& page, std::string_view piece) {
    try {
        return read_answer(page.alone(piece));
    } catch (const xml::Error&) {
        return std::nullopt;
    }
}

std::string identifier_of(const Page& page, std::string_view piece) {
    const auto read = read_alone(page, page.named(page.between(piece, "identifier")));
    return read && read->records.size() == 1 ? read->records[0].identifier : "";
}

void take_record(const Page& page, std::string_view piece, Remains& remains) {
    auto read = read_alone(page, page.to_its_end(piece));
    if (read && read->records.size() == 1) remains.answer.records.push_back(std::move(read->records[0]));
    else remains.broken.push_back(identifier_of(page, piece));
}

}  // namespace

std::optional<Remains> salvage(std::string_view bytes) {
    const Repaired repaired = repair(without_lead(bytes));
    const Page page(repaired.bytes);
    if (!page.ends()) return std::nullopt;
    Remains remains;
    remains.answer.verb = "ListRecords";
    remains.answer.repaired = repaired.changes;
    remains.answer.response_date = text::to_xml_text(text::trim(page.between(repaired.bytes, "responseDate")));
    for (const std::string_view piece : page.records()) take_record(page, piece, remains);
    for (Record& record : remains.answer.records) record.response_date = remains.answer.response_date;
    if (page.token_element().empty()) return remains;
    const auto token = read_alone(page, page.token_element());
    if (!token) return std::nullopt;
    remains.answer.token = token->token;
    remains.answer.list_size = token->list_size;
    return remains;
}

}  // namespace oai::harvest
