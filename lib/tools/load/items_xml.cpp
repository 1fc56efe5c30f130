// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "tools/harvest/answer.h"
#include "tools/load/field.h"
#include "tools/load/items.h"
#include "xml/handle.h"
#include "xml/push_parser.h"

namespace oai::load {
namespace {

constexpr std::size_t kChunk = std::size_t{256} << 10;
constexpr std::size_t kRecordBytes = std::size_t{64} << 20;  // more is no record
constexpr std::size_t kTagBytes = 1000;                      // a longer end tag is not looked for
constexpr std::string_view kOaiNamespace = "http://www.openarchives.org/OAI/2.0/";
constexpr std::string_view kOaiDcNamespace = "http://www.openarchives.org/OAI/2.0/oai_dc/";
constexpr std::string_view kRdfNamespace = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
constexpr std::array<std::string_view, 4> kRecordNames = {"record", "dc", "mods", "Description"};

bool is_record_name(std::string_view local) {
    return std::find(kRecordNames.begin(), kRecordNames.end(), local) != kRecordNames.end();
}

// "marc:record" of "marc:record a='1'>..." -> record
std::string_view local_name(std::string_view tag) {
    tag = tag.substr(0, tag.find_first_of(" \t\r\n/>"));
    const auto colon = tag.find(':');
    return colon == tag.npos ? tag : tag.substr(colon + 1);
}

// The position behind the first end tag of a record or of the root; npos if none ends in s.
std::size_t piece_end(std::string_view s, std::string_view root) {
    for (auto at = s.find("</"); at != s.npos; at = s.find("</", at + 2)) {
        const auto end = s.find('>', at);
        if (end == s.npos) return s.npos;
        const std::string_view local = local_name(s.substr(at + 2, end - at - 2));
        if (is_record_name(local) || local == root) return end + 1;
    }
    return s.npos;
}

// Tells the records of a file from elements of the same name within them: the names of the tag at
// s[0] and of the tag that follows.
std::string signature(std::string_view s) {
    const auto name = [](std::string_view tag) {
        return tag.substr(0, tag.find_first_of(" \t\r\n/>"));
    };
    const auto next = s.find('<', 1);
    return std::string(name(s.substr(1, kTagBytes))) + "<" +
           (next == s.npos ? "" : std::string(name(s.substr(next + 1, kTagBytes))));
}

// The first position at or behind `from` where a record with this signature ("": any) begins; npos
// if there is none.
std::size_t record_begin(std::string_view s, std::size_t from, const std::string& like) {
    for (auto at = s.find('<', from); at != s.npos; at = s.find('<', at + 1))
        if (is_record_name(local_name(s.substr(at + 1, kTagBytes))) &&
            (like.empty() || signature(s.substr(at)) == like))
            return at;
    return s.npos;
}

// The local name of the document element; "" if it does not begin in s.
std::string root_name(std::string_view s) {
    for (auto at = s.find('<'); at != s.npos && at + 1 < s.size(); at = s.find('<', at + 1)) {
        if (s.substr(at).starts_with("<!--")) {
            at = s.find("-->", at);
            if (at == s.npos) break;
        } else if (s[at + 1] != '?' && s[at + 1] != '!') {
            return std::string(local_name(s.substr(at + 1, kTagBytes)));
        }
    }
    return "";
}

bool lies_in_record(const xmlNode* node) {
    for (const xmlNode* n = node->parent; n != nullptr && xml::is_element(n); n = n->parent)
        if (is_record_name(xml::name_of(n))) return true;
    return false;
}

// "oai:example.org:thesis/1" -> "thesis/1"
std::string local_part(const std::string& identifier) {
    if (!identifier.starts_with("oai:")) return identifier;
    const auto colon = identifier.find(':', 4);
    return colon == identifier.npos ? identifier : identifier.substr(colon + 1);
}

// A setSpec becomes a collection, unless it belongs to another tree of this model: one of types
// sets the item's kind, one of languages says nothing that the elements do not say.
void take_set(const std::string& spec, Item& item) {
    if (spec.starts_with("type:"))
        item.kind = spec.substr(5);
    else if (spec.starts_with("col:"))
        item.collections.push_back(spec.substr(4));
    else if (!spec.starts_with("lang:") && !spec.empty())
        item.collections.push_back(spec);
}

void take_header(const harvest::Record& header, Item& item) {
    item.local_id = local_id_of(local_part(header.identifier));
    for (const std::string& spec : header.set_specs) take_set(spec, item);
    item.datestamp = parse_date(header.datestamp);
    if (!item.datestamp) item.note = "no such datestamp: \"" + header.datestamp + "\"";
    item.deleted = header.deleted;
    item.all_collections = true;
}

std::string read_record(const xmlNode* record, Item& item);

// Reads an OAI-PMH record: the header, and the one element of its metadata.
std::string read_oai_record(const xmlNode* record, const xmlNode* header, Item& item) {
    take_header(harvest::read_header(header), item);
    if (*item.deleted) return "";
    const xmlNode* metadata = xml::child_of(record, "metadata");
    const xmlNode* inside = metadata == nullptr ? nullptr : xml::child_of(metadata);
    return inside == nullptr ? "a record without metadata that is not deleted"
                             : read_record(inside, item);
}

// Reads the record in one of SRU (1.1 to 2.0), which may be packed as a string, or in a collection.
std::string read_sru_record(const xmlNode* record, const xmlNode* data, Item& item) {
    xml::DocumentHandle unpacked;
    const xmlNode* inside = xml::child_of(data);
    try {
        if (inside == nullptr) unpacked = xml::parse_memory(xml::text_of(data), "recordData");
    } catch (const xml::Error&) {
        return "recordData without a record";
    }
    if (unpacked) inside = xmlDocGetRootElement(unpacked.get());
    const xmlNode* const below = xml::child_of(inside);
    if (!is_record_name(xml::name_of(inside)) && below != nullptr &&
        is_record_name(xml::name_of(below)))
        inside = below;
    const std::string wrong = read_record(inside, item);
    if (item.local_id.empty())
        item.local_id = local_id_of(xml::child_text(record, "recordIdentifier"));
    return wrong;
}

// Reads a record of any of the formats. Returns what is wrong with it, or "".
std::string read_record(const xmlNode* record, Item& item) {
    const std::string_view ns = xml::namespace_of(record);
    if (const xmlNode* data = xml::child_of(record, "recordData"); data != nullptr)
        return read_sru_record(record, data, item);
    const xmlNode* header = xml::child_of(record, "header");
    if (header != nullptr && (ns == kOaiNamespace || ns.empty()))
        return read_oai_record(record, header, item);
    if (ns == kModsNamespace) {
        read_mods(record, item);
    } else if (ns == kMarcNamespace || xml::child_of(record, "leader") != nullptr) {
        read_marc(record, item);
    } else if (read_dublin_core(record, item) == 0 && ns != kOaiDcNamespace) {
        return "a record that is neither MARC 21, Dublin Core nor MODS: " +
               std::string(xml::name_of(record));
    }
    return "";
}

// The same, and derives the rest of the item from it.
std::string read_complete_item(const xmlNode* record, Item& item) {
    if (std::string wrong = read_record(record, item); !wrong.empty()) return wrong;
    complete(item);
    const xmlNode* const info = xml::child_of(record, "recordInfo");  // of MODS
    if (item.local_id.empty() && info != nullptr)
        item.local_id = local_id_of(xml::child_text(info, "recordIdentifier"));
    return item.local_id.empty() ? "a record without identifier (or with one that is too long)"
                                 : "";
}

class XmlItemReader {
  public:
    XmlItemReader(Input& input, bool keep_deleted_marc, ItemHandler& handler)
        : input_(input), keep_deleted_marc_(keep_deleted_marc), handler_(handler) {}

    void read() {
        for (;;) {
            const bool there_is_more = !input_.peek(kChunk).empty();
            if (there_is_more)
                begun_ ? feed_piece() : begin();
            else if (!next_stretch())
                break;
        }
        if (begun_ && parser_.root() != nullptr)
            parser_.ended() ? report_error(parser_.root())
                            : handler_.damage(line_, "the file ends within the document");
    }

  private:
    // Begins a document, behind the blanks that may stand before it.
    void begin() {
        const std::string_view s = input_.peek(kChunk);
        const auto blanks = std::min(s.find_first_not_of(" \t\r\n"), s.size());
        consume(blanks);
        if (blanks == s.size()) return;
        begun_ = true;
        has_records_ = false;
        parser_ = xml::PushParser();
        base_line_ = line_;
        prologue_.clear();
        root_ = root_name(input_.peek(kChunk));
    }

    // Feeds the parser up to the end of the next record, or as much of it as is at hand but for the
    // last tag there, which may be its end tag cut in two.
    void feed_piece() {
        const std::string_view s = input_.peek(kChunk);
        const auto end = piece_end(s, root_);
        const auto tag = s.rfind('<');
        const bool held_back = tag != s.npos && tag > 0 && s.size() - tag <= kTagBytes;
        const std::size_t n = end != s.npos ? end : held_back ? tag : s.size();
        piece_.append(s.substr(0, n));
        if (const auto next = find_unended(n); next > 0) return drop_unended(next);
        try {
            parser_.feed(s.substr(0, n), end != s.npos);
        } catch (const xml::Error& e) {
            const auto line = line_of_parser(parser_.error_line());
            if (end == s.npos || !feed_repaired(n)) {
                handler_.damage(line, e.what());
                return recover(n, end == s.npos);
            }
        }
        if (end == s.npos && piece_.size() > kRecordBytes) {
            handler_.damage(line_, "a record of more than 64 MiB");
            return recover(n, true);
        }
        consume(n);
        if (end != s.npos) finish_piece();
    }

    // Feeds the piece, whose last n bytes the input still holds, once more to a new parser,
    // repaired as an answer that is harvested.
    bool feed_repaired(std::size_t n) {
        const auto repaired = harvest::repair_part(piece_, parser_.encoding());
        if (repaired.changes == 0) return false;
        parser_ = xml::PushParser();
        base_line_ = line_ - static_cast<std::uint64_t>(std::count(
                                 piece_.begin(), piece_.end() - std::ptrdiff_t(n), '\n'));
        try {
            parser_.feed(prologue_, true);
            parser_.feed(repaired.bytes, true);
        } catch (const xml::Error&) {
            return false;
        }
        handler_.remark(kRepaired);
        return true;
    }

    // Where a second record begins in the piece although the first has not ended: how many of the
    // piece's last n bytes stand before the second. 0 if there is no such record.
    std::size_t find_unended(std::size_t n) const {
        const auto first = record_begin(piece_, 0, signature_);
        if (first == piece_.npos) return 0;
        const std::size_t gone = piece_.size() - n;
        const auto second = record_begin(piece_, std::max(first + 1, gone),
                                         signature(std::string_view(piece_).substr(first)));
        return second == piece_.npos ? 0 : second - gone;
    }

    void drop_unended(std::size_t n) {
        const auto begin = std::min(record_begin(piece_, 0, signature_), piece_.size());
        const auto lines =
            std::count(piece_.begin(), piece_.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
        handler_.damage(line_ + static_cast<std::uint64_t>(lines), "a record that does not end");
        const std::string prologue = open_tags();
        consume(n);
        piece_.clear();
        go_on(prologue);
    }

    void finish_piece() {
        xmlNode* parent = parser_.open();
        xmlNode* node = parent == nullptr ? parser_.root() : parent->last;
        if (node != nullptr && xml::is_element(node) && is_record_name(xml::name_of(node)) &&
            !lies_in_record(node)) {
            if (const auto at = record_begin(piece_, 0, ""); at != piece_.npos)
                signature_ = signature(piece_.substr(at));
            deliver(node);
            piece_.clear();
            if (parent != nullptr) parser_.drop_up_to(node);
            prologue_ = open_tags();
        }
        if (parser_.ended()) {
            report_error(parser_.root());
            piece_.clear();
            begun_ = false;
        }
    }

    // Reports the <error> of an OAI-PMH answer, and a document that is no list of records at all.
    void report_error(const xmlNode* root) {
        constexpr std::string_view kLists =
            "|collection|modsCollection|feed|harvest|searchRetrieveResponse|RDF|";
        const xmlNode* error =
            xml::namespace_of(root) == kOaiNamespace ? xml::child_of(root, "error") : nullptr;
        if (error != nullptr)
            handler_.damage(line_of_parser(xml::line_of(error)),
                            "the answer is an error: " + xml::attribute_of(error, "code") + " " +
                                xml::text_of(error));
        else if (!has_records_ && kLists.find("|" + root_ + "|") == kLists.npos)
            handler_.damage(base_line_,
                            "neither MARC 21, Dublin Core, MODS nor a list of OAI-PMH "
                            "with records is in <" +
                                root_ + ">");
    }

    void deliver(const xmlNode* node) {
        has_records_ = true;
        take_record(node, line_of_parser(xml::line_of(node)), keep_deleted_marc_, handler_);
    }

    // After an error in the piece, whose last n bytes the input still holds: goes on at the next
    // record in the piece or behind it. is_cut: it does not end as a record does. It may also end
    // as one within the record, such as its <dc>.
    void recover(std::size_t n, bool is_cut) {
        const std::size_t gone = piece_.size() - n;
        const auto first = record_begin(piece_, 0, signature_);
        auto next = first;
        // Where nothing stands before it, it is what is broken: no other follows (find_unended()).
        if (first != piece_.npos && (first < gone || piece_.find_first_not_of(" \t\r\n") == first))
            next = piece_.npos;
        const std::string prologue = open_tags();
        const bool is_open = first != piece_.npos &&
                             (is_cut || local_name(piece_.substr(first + 1, kTagBytes)) !=
                                            local_name(piece_.substr(piece_.rfind("</") + 2)));
        consume(next == piece_.npos ? n : next - gone);
        piece_.clear();
        if (next == piece_.npos && is_open) skip_rest();
        go_on(prologue);
    }

    // Skips what is left of a record, up to its end or to where the next one begins.
    void skip_rest() {
        for (std::string_view s = input_.peek(kChunk); !s.empty(); s = input_.peek(kChunk)) {
            const auto at = std::min(piece_end(s, root_), record_begin(s, 0, signature_));
            const bool is_last = s.size() <= kTagBytes;
            consume(at != s.npos ? at : is_last ? s.size() : s.size() - kTagBytes);
            if (at != s.npos) return;
        }
    }

    // Goes on with a new parser, in the elements whose tags are in the prologue.
    void go_on(const std::string& prologue) {
        begun_ = !prologue.empty();
        if (!begun_) resync();
        parser_ = xml::PushParser();
        base_line_ = line_;
        if (begun_) parser_.feed(prologue, true);
        prologue_ = prologue;
    }

    // The start tags around the records, behind an XML declaration with the encoding.
    std::string open_tags() const {
        std::string tags;
        for (const xmlNode* n = parser_.open(); n != nullptr && xml::is_element(n); n = n->parent)
            tags = is_record_name(xml::name_of(n)) ? "" : xml::start_tag(n) + tags;
        return tags.empty() ? ""
                            : "<?xml version=\"1.0\" encoding=\"" +
                                  std::string(parser_.encoding()) + "\"?>" + tags;
    }

    // Skips to where the next record or document begins.
    void resync() {
        for (std::string_view s = input_.peek(kChunk); !s.empty(); s = input_.peek(kChunk)) {
            const auto at = std::min(record_begin(s, 0, signature_), s.find("<?xml "));
            consume(std::min(at, s.size()));
            if (at != s.npos) return;
        }
    }

    // Reports damaged compression and goes on behind it. Returns false at the end of the file.
    bool next_stretch() {
        if (input_.broken().empty()) return false;
        handler_.damage(line_, input_.broken());
        const std::string prologue = begun_ ? open_tags() : "";
        piece_.clear();
        begun_ = false;
        if (!input_.resume()) return false;
        resync();
        go_on(prologue);
        return true;
    }

    std::uint64_t line_of_parser(long line) const {
        return base_line_ + static_cast<std::uint64_t>(line) - 1;
    }

    void consume(std::size_t n) { line_ += input_.consume_lines(n); }

    Input& input_;
    const bool keep_deleted_marc_;
    ItemHandler& handler_;
    xml::PushParser parser_;
    bool begun_ = false;           // within a document
    bool has_records_ = false;     // of which one was read
    std::string root_;             // local name of its document element
    std::string piece_;            // the bytes fed since the last record ended
    std::string prologue_;         // the tags of what was open then
    std::string signature_;        // of the record read last; "": none yet
    std::uint64_t line_ = 1;       // of the next byte of the input
    std::uint64_t base_line_ = 1;  // of the parser's first
};

}  // namespace

void take_record(const xmlNode* record, std::uint64_t line, bool keep_deleted_marc,
                 ItemHandler& handler) {
    Item item;
    if (xml::namespace_of(record) == kRdfNamespace) {
        const xml::StringHandle about(xmlGetProp(record, xml::xml_chars("about")));
        item.local_id = local_id_of(xml::view(about.get()));
    }
    const std::string wrong = read_complete_item(record, item);
    if (!wrong.empty()) return handler.damage(line, wrong);
    if (!item.note.empty()) handler.note(line, item.note);
    // Of a deleted record of OAI-PMH there is the header alone; another has a leader that says so.
    const bool has_content = std::any_of(item.elements.begin(), item.elements.end(),
                                         [](const auto& values) { return !values.empty(); });
    if (item.deleted == true && has_content) {
        if (keep_deleted_marc) {
            item.deleted.reset();
        } else {
            Item gone;
            gone.local_id = std::move(item.local_id);
            gone.deleted = true;
            item = std::move(gone);
        }
    }
    handler.item(std::move(item));
}

void read_items_xml(Input& input, bool keep_deleted_marc, ItemHandler& handler) {
    XmlItemReader(input, keep_deleted_marc, handler).read();
}

}  // namespace oai::load
