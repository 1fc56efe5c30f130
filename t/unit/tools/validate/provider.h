// SPDX-License-Identifier: MIT
// A small conforming repository without a database, and one with a single fault that a mutation
// brings into its answers.
#pragma once

#include "base/text.h"
#include "protocol/identifier.h"
#include "protocol/record.h"
#include "t/lib/unit_headers.h"
#include "tools/validate/answer.h"
#include "web/request.h"
#include "xml/escape.h"

namespace oai::test {

using validate::Question, validate::Reply;

inline constexpr const char* kBase = "http://provider.example.org/oai";
inline const Seconds kNow = parse_datestamp("2024-05-06T07:08:09Z")->first;

// Eleven records, an hour (or a day) apart, every fourth deleted; pages of three. A record that
// changes moves to the end and leaves a gap, so that a token, which is a position among records and
// gaps, stays valid.
class Provider final : public validate::Transport {
  public:
    struct Kind {
        bool days = false;
        bool sets = true;
        int deleted_first = 0;  // so many records at the beginning, besides every fourth
        std::size_t page = 3;   // records of a list on a page
        // Each token is another, and only the last two that were given are taken.
        bool brief_tokens = false;
        bool flat_sets = false;        // none is below another
        bool unlisted_parent = false;  // ListSets has a:b, and a list of a is empty
        bool backwards = false;        // ListRecords, in another order than ListIdentifiers
        bool empty = false;            // there is no record
        bool alike = false;            // names of sets and identifiers differ by little
        bool one_date = false;         // all records have the same datestamp
        bool none_deleted = false;
        std::size_t set_page = 0;  // sets on a page of ListSets; 0: all
        std::string token_end{};   // stands behind each token
        std::string deleted = "persistent";
    };
    Provider() : Provider(Kind{}) {}
    explicit Provider(Kind kind) : kind_(kind) {
        for (int n = 1; n <= 11 && !kind_.empty; ++n) items_.push_back(item(n));
    }

    // Changes the text of one record, deletes or restores another, moves a third to another set,
    // and adds a new record in a new set.
    void change() {
        const int n = static_cast<int>(items_.size());
        sets_.push_back("new" + std::to_string(n));
        move_to_end(n).version = n;
        Item& dead = move_to_end(n + 3);
        dead.deleted = !dead.deleted;
        Item& moved = move_to_end(n + 6);
        moved.sets = {moved.sets == Strings{"c"} ? "a:b" : "c"};
        items_.push_back({++last_, false, later(), {sets_.back()}});
    }

    Reply send(const Question& question) override {
        Reply reply{
            .status = 200,
            .headers = {{"Content-Type", "text/xml; charset=UTF-8"}, {"Vary", "Accept-Encoding"}}};
        if (question.gzip) reply.headers.emplace_back("Content-Encoding", "gzip");
        if (question.method != "HEAD") reply.body = document(question.arguments);
        reply.url = question.method == "POST" || question.arguments.empty()
                        ? kBase
                        : kBase + std::string("?") + question.arguments;
        return reply;
    }

  private:
    using Arguments = std::map<std::string, std::string>;
    using Sets = Strings;
    struct ProtocolError {
        std::string code, why;
    };
    struct Item {
        int n;
        bool deleted;
        Seconds date;
        Strings sets;
        int version = 0;
        bool gap = false;
    };
    struct ListRequest {  // of a list
        std::string prefix, from, until, set;
        std::size_t place = 0, cursor = 0;
    };

    Item item(int n) const {
        const Seconds first = parse_datestamp("2020-01-01T10:00:00Z")->first;
        Item item{n,
                  (n % 4 == 0 && !kind_.none_deleted) || n <= kind_.deleted_first,
                  first + (kind_.days ? 24h : 1h) * (kind_.one_date ? 1 : n),
                  {}};
        const std::string below = kind_.flat_sets ? "b" : "a:b";
        if (kind_.sets && n % 3 != 0)
            item.sets = {n % 2 == 0 ? "c" : kind_.unlisted_parent ? below : "a"};
        if (kind_.sets && n % 3 == 0) item.sets = {below};
        if (kind_.alike && n % 3 != 0) item.sets = n % 2 == 0 ? Sets{"ab"} : Sets{"A", "a"};
        return item;
    }
    Seconds later() const { return items_.back().date + (kind_.days ? 24h : 1h); }
    // Moves the record to the end and returns it.
    Item& move_to_end(int n) {
        Item& was = *std::find_if(items_.begin(), items_.end(),
                                  [&](const Item& i) { return !i.gap && i.n == n % last_ + 1; });
        Item now = was;
        was.gap = true;
        now.date = later();
        return items_.emplace_back(std::move(now));
    }
    std::string earliest() const {
        if (items_.empty()) return print_date(parse_datestamp("2020-01-01T10:00:00Z")->first);
        return print_date(
            std::find_if(items_.begin(), items_.end(), [](const Item& i) { return !i.gap; })->date);
    }
    std::string print_date(Seconds date) const {
        return print_datestamp(date).substr(0, kind_.days ? 10 : 20);
    }
    std::string identifier(int n) const {
        const std::string_view letters = "aAbBcCdDeEf";
        return "oai:provider.example.org:" +
               (kind_.alike ? std::string(1, letters[static_cast<std::size_t>(n - 1) % 11])
                            : std::to_string(n));
    }

    std::string document(const std::string& query) const {
        bool well_encoded = true;
        const std::vector<Argument> given = split_arguments(query, &well_encoded);
        std::string out =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<OAI-PMH "
            "xmlns=\"http://www.openarchives.org/OAI/2.0/\" "
            "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
            "xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/ "
            "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\"><responseDate>" +
            print_datestamp(kNow) + "</responseDate>";
        try {
            for (const Argument& argument : given)
                if (!text::is_xml_text(argument.value) || !text::is_xml_text(argument.name))
                    throw ProtocolError{"badArgument", "no text"};
            if (!well_encoded) throw ProtocolError{"badArgument", "broken escape"};
            const std::string answer = verb(check_arguments(given));
            return out + request(given) + answer + "</OAI-PMH>";
        } catch (const ProtocolError& refused) {
            const bool bare = refused.code == "badVerb" || refused.code == "badArgument";
            return out + request(bare ? std::vector<Argument>{} : given) + "<error code=\"" +
                   refused.code + "\">" + refused.why + "</error></OAI-PMH>";
        }
    }

    static std::string request(const std::vector<Argument>& given) {
        std::string out = "<request";
        for (const Argument& a : given) {
            out += " " + a.name + "=\"";
            xml::append_attribute(out, a.value);
            out += '"';
        }
        return out + ">" + kBase + "</request>";
    }

    // As the verb takes them, each once.
    static Arguments check_arguments(const std::vector<Argument>& given) {
        static const std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>>
            kTaken{
                // needed, allowed
                {"Identify", {{}, {}}},
                {"ListMetadataFormats", {{}, {"identifier"}}},
                {"ListSets", {{}, {"resumptionToken"}}},
                {"GetRecord", {{"identifier", "metadataPrefix"}, {}}},
                {"ListIdentifiers",
                 {{"metadataPrefix"}, {"from", "until", "set", "resumptionToken"}}},
                {"ListRecords", {{"metadataPrefix"}, {"from", "until", "set", "resumptionToken"}}}};
        Arguments out;
        bool repeated = false;
        for (const Argument& a : given) {
            if (!out.emplace(a.name, a.value).second) {
                if (a.name == "verb") throw ProtocolError{"badVerb", "repeated"};
                repeated = true;
            }
        }
        const auto verb = kTaken.find(out["verb"]);
        if (verb == kTaken.end()) throw ProtocolError{"badVerb", "no such verb"};
        const auto& [needed, allowed] = verb->second;
        for (const auto& [name, value] : out)
            if (value.empty() ||
                (name != "verb" && !needed.contains(name) && !allowed.contains(name)))
                throw ProtocolError{"badArgument", "not taken"};
        const bool token = out.contains("resumptionToken");
        if (repeated || (token && out.size() > 2)) throw ProtocolError{"badArgument", "too much"};
        for (const std::string& name : needed)
            if (!token && !out.contains(name)) throw ProtocolError{"badArgument", "missing"};
        return out;
    }

    std::string verb(const Arguments& asked) const {
        const std::string& name = asked.at("verb");
        if (name == "Identify") return identify();
        if (name == "ListMetadataFormats") return formats(asked);
        if (name == "ListSets") return sets(asked);
        if (name == "GetRecord") return record(asked);
        return list(name, asked);
    }

    std::string identify() const {
        return "<Identify><repositoryName>Provider</repositoryName><baseURL>" + std::string(kBase) +
               "</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>admin@example.org</"
               "adminEmail><earliestDatestamp>" +
               earliest() + "</earliestDatestamp><deletedRecord>" + kind_.deleted +
               "</deletedRecord><granularity>" +
               (kind_.days ? "YYYY-MM-DD" : "YYYY-MM-DDThh:mm:ssZ") +
               "</granularity><compression>gzip</compression><description><oai-identifier "
               "xmlns=\"http://www.openarchives.org/OAI/2.0/oai-identifier\" "
               "xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai-identifier "
               "http://www.openarchives.org/OAI/2.0/oai-identifier.xsd\"><scheme>oai</"
               "scheme><repositoryIdentifier>provider.example.org</"
               "repositoryIdentifier><delimiter>:</"
               "delimiter><sampleIdentifier>oai:provider.example.org:1</sampleIdentifier></"
               "oai-identifier></description></Identify>";
    }

    static std::string format(const std::string& prefix, const std::string& schema,
                              const std::string& name_space) {
        return "<metadataFormat><metadataPrefix>" + prefix + "</metadataPrefix><schema>" + schema +
               "</schema><metadataNamespace>" + name_space +
               "</metadataNamespace></metadataFormat>";
    }
    std::string formats(const Arguments& asked) const {
        if (asked.contains("identifier")) find_item(asked.at("identifier"));
        return "<ListMetadataFormats>" +
               format("oai_dc", "http://www.openarchives.org/OAI/2.0/oai_dc.xsd",
                      "http://www.openarchives.org/OAI/2.0/oai_dc/") +
               format("plain", "http://example.org/plain.xsd", "urn:example:plain") +
               "</ListMetadataFormats>";
    }

    Sets all_sets() const {
        Sets all = kind_.unlisted_parent ? Sets{} : Sets{"a"};
        all.push_back(kind_.flat_sets ? "b" : "a:b");
        for (const char* set : kind_.alike ? std::vector{"ab", "A"} : std::vector{"c"})
            all.emplace_back(set);
        all.insert(all.end(), sets_.begin(), sets_.end());
        return all;
    }
    std::string sets(const Arguments& asked) const {
        if (!kind_.sets) throw ProtocolError{"noSetHierarchy", "no sets"};
        const Sets all = all_sets();
        std::size_t place = 0;
        if (asked.contains("resumptionToken")) {
            const std::string token = take_token_end(asked.at("resumptionToken"));
            place = token.starts_with("sets") ? number(token.substr(4)) : 0;
            if (kind_.set_page == 0 || place == 0)
                throw ProtocolError{"badResumptionToken", "no such token"};
        }
        const std::size_t end = kind_.set_page == 0 ? all.size() : place + kind_.set_page;
        std::string out = "<ListSets>";
        for (std::size_t i = place; i < std::min(end, all.size()); ++i)
            out += set_element(all[i], text::lower_ascii(all[i]) == all[i] ? "Set" : "SET");
        if (end < all.size())
            out += "<resumptionToken>" + print_token("sets" + std::to_string(end)) +
                   "</resumptionToken>";
        else if (place > 0)
            out += "<resumptionToken/>";
        return out + "</ListSets>";
    }
    std::string print_token(const std::string& token) const {
        std::string out;
        xml::append_text(out, token + kind_.token_end);
        return out;
    }
    std::string take_token_end(const std::string& token) const {
        if (!token.ends_with(kind_.token_end))
            throw ProtocolError{"badResumptionToken", "no such token"};
        return token.substr(0, token.size() - kind_.token_end.size());
    }
    static std::string set_element(const std::string& spec, const std::string& name) {
        return "<set><setSpec>" + spec + "</setSpec><setName>" + name + "</setName></set>";
    }

    Item find_item(const std::string& asked) const {
        for (const Item& item : items_)
            if (!item.gap && identifier(item.n) == asked) return item;
        throw ProtocolError{"idDoesNotExist", "no such record"};
    }
    static void require_format(const std::string& prefix) {
        if (prefix.find_first_of("\"<>&'[]") != std::string::npos)
            throw ProtocolError{"badArgument", "no metadataPrefix"};
        if (prefix != "oai_dc" && prefix != "plain")
            throw ProtocolError{"cannotDisseminateFormat", "no such format"};
    }
    std::string header(const Item& item) const {
        std::string out = item.deleted ? "<header status=\"deleted\">" : "<header>";
        out += "<identifier>" + identifier(item.n) + "</identifier><datestamp>" +
               print_date(item.date) + "</datestamp>";
        for (const std::string& set : item.sets) out += "<setSpec>" + set + "</setSpec>";
        return out + "</header>";
    }
    std::string record_element(const Item& item, const std::string& prefix) const {
        if (item.deleted) return "<record>" + header(item) + "</record>";
        const std::string n = std::to_string(item.n) +
                              (item.version > 0 ? " changed " + std::to_string(item.version) : "");
        const std::string dc =
            "<oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" "
            "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
            "xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/oai_dc/ "
            "http://www.openarchives.org/OAI/2.0/oai_dc.xsd\"><dc:title>Title " +
            n + "</dc:title><dc:identifier>http://example.org/" + n +
            "</dc:identifier></oai_dc:dc>";
        const std::string plain =
            "<p:plain xmlns:p=\"urn:example:plain\" xsi:schemaLocation=\"urn:example:plain "
            "http://example.org/plain.xsd\">" +
            n + "</p:plain>";
        const std::string about =
            "<about><rights xmlns=\"http://www.openarchives.org/OAI/2.0/rights/\"><rightsReference "
            "ref=\"http://example.org/r\"/></rights></about>";
        return "<record>" + header(item) + "<metadata>" + (prefix == "oai_dc" ? dc : plain) +
               "</metadata>" + about + "</record>";
    }
    std::string record(const Arguments& asked) const {
        const Item item = find_item(asked.at("identifier"));
        require_format(asked.at("metadataPrefix"));
        return "<GetRecord>" + record_element(item, asked.at("metadataPrefix")) + "</GetRecord>";
    }

    static std::size_t number(std::string_view text) {
        return static_cast<std::size_t>(
            text::to_integer(text.substr(0, text.find('.'))).value_or(0));
    }
    ListRequest parse_token(const std::string& verb, const std::string& given) const {
        const std::string token = take_token_end(given);
        const std::size_t end = std::min(token.find('~'), token.size());
        if (kind_.brief_tokens &&
            number(token.substr(std::min(end + 1, token.size()))) + 1 < given_)
            throw ProtocolError{"badResumptionToken", "expired"};
        const std::vector<std::string_view> parts =
            text::split(std::string_view(token).substr(0, end), '/');
        if (parts.size() != 6 || parts[0] != verb)
            throw ProtocolError{"badResumptionToken", "no such token"};
        return {std::string(parts[1]), std::string(parts[2]),
                std::string(parts[3]), std::string(parts[4]),
                number(parts[5]),      number(parts[5].substr(parts[5].find('.') + 1))};
    }
    void judge(const ListRequest& asked) const {
        for (const std::string& date : {asked.from, asked.until}) {
            const auto parsed = parse_datestamp(date);
            if (!date.empty() &&
                (!parsed || (kind_.days && parsed->granularity != Granularity::day)))
                throw ProtocolError{"badArgument", "no date"};
        }
        if (asked.from.empty() || asked.until.empty()) return;
        if (asked.from.size() != asked.until.size() || asked.from > asked.until)
            throw ProtocolError{"badArgument", "no range"};
    }
    bool is_in(const Item& item, const ListRequest& asked) const {
        const bool member =
            asked.set.empty() ||
            std::any_of(item.sets.begin(), item.sets.end(), [&](const std::string& s) {
                return s == asked.set || s.starts_with(asked.set + ":");
            });
        return member && (asked.from.empty() || item.date >= parse_datestamp(asked.from)->first) &&
               (asked.until.empty() || item.date <= parse_datestamp(asked.until)->last());
    }
    std::string list(const std::string& verb, const Arguments& given) const {
        const auto argument = [&](const char* name) {
            return given.contains(name) ? given.at(name) : std::string();
        };
        const ListRequest asked = given.contains("resumptionToken")
                                      ? parse_token(verb, given.at("resumptionToken"))
                                      : ListRequest{argument("metadataPrefix"), argument("from"),
                                                    argument("until"), argument("set")};
        judge(asked);
        if (!asked.set.empty() && !is_set_spec(asked.set))
            throw ProtocolError{"badArgument", "no setSpec"};
        require_format(asked.prefix);
        if (!asked.set.empty() && !kind_.sets) throw ProtocolError{"noSetHierarchy", "no sets"};
        return page(verb, asked);
    }
    std::string page(const std::string& verb, const ListRequest& asked) const {
        std::vector<Item> all;  // with gaps
        std::copy_if(items_.begin(), items_.end(), std::back_inserter(all),
                     [&](const Item& item) { return is_in(item, asked); });
        if (kind_.unlisted_parent && asked.set == "a") all.clear();
        if (kind_.backwards && verb == "ListRecords") std::reverse(all.begin(), all.end());
        const auto there = [](const Item& item) { return !item.gap; };
        const auto left = [&](std::size_t from) {
            return std::count_if(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(), there);
        };
        if (left(asked.place) == 0) throw ProtocolError{"noRecordsMatch", "none"};
        std::string out = "<" + verb + ">";
        std::size_t place = asked.place, n = 0;
        for (; place < all.size() && n < kind_.page; ++place) {
            if (all[place].gap) continue;
            ++n;
            out += verb == "ListRecords" ? record_element(all[place], asked.prefix)
                                         : header(all[place]);
        }
        if (asked.cursor > 0 || left(place) > 0) {
            out += "<resumptionToken completeListSize=\"" + std::to_string(left(0)) +
                   "\" cursor=\"" + std::to_string(asked.cursor) + "\"";
            out += left(place) == 0
                       ? "/>"
                       : " expirationDate=\"2024-05-08T00:00:00Z\">" +
                             print_token(
                                 verb + "/" + asked.prefix + "/" + asked.from + "/" + asked.until +
                                 "/" + asked.set + "/" + token_end(place, asked.cursor + n) +
                                 (kind_.brief_tokens ? "~" + std::to_string(++given_) : "")) +
                             "</resumptionToken>";
        }
        return out + "</" + verb + ">";
    }
    static std::string token_end(std::size_t place, std::size_t cursor) {
        return std::to_string(place) + (cursor == place ? "" : "." + std::to_string(cursor));
    }

    const Kind kind_{};
    std::vector<Item> items_{};  // ordered by datestamp
    Strings sets_{};             // sets that change() added
    int last_ = 11;
    mutable std::size_t given_ = 0;  // tokens, if they are brief
};

using Mutate = std::function<void(const Question&, Reply&, Provider&)>;
// The provider, with every answer changed by `mutate`.
class Mutant final : public validate::Transport {
  public:
    Mutant(Provider::Kind kind, Mutate mutate) : provider_(kind), mutate_(std::move(mutate)) {}
    Reply send(const Question& question) override {
        Reply reply = provider_.send(question);
        if (mutate_) mutate_(question, reply, provider_);
        return reply;
    }

  private:
    Provider provider_;
    const Mutate mutate_;
};

}  // namespace oai::test
