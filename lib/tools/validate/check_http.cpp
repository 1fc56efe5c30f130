// SPDX-License-Identifier: MIT
// The use of HTTP (OAI-PMH 2.0, 3.1).
#include <algorithm>
#include <array>

#include "base/text.h"
#include "tools/validate/check_parts.h"

namespace oai::validate {
namespace {

// The default of Java's HttpURLConnection.
constexpr const char* kJavaAccept = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2";

constexpr std::chrono::seconds kSlow{5};  // who sends requests at once waits twice as long

const Question kIdentify{.arguments = "verb=Identify"};

const Answer& identify(Session& session) { return session.ask(kIdentify); }

Finding same_by_post(Session& session, const std::string& arguments, const std::string& what) {
    return expect_same(session, {.arguments = arguments},
                       {.arguments = arguments, .method = "POST"}, what);
}

// Scheme and host have no case (RFC 3986, 6.2.2.1).
std::string in_usual_case(const std::string& url) {
    const std::size_t host = url.find("://");
    if (host == url.npos) return url;
    const std::size_t end = std::min(url.find_first_of("/?", host + 3), url.size());
    return text::lower_ascii(url.substr(0, end)) + url.substr(end);
}

Finding not_redirected(Session& session) {
    const Answer& answer = identify(session);
    if (answer.reply.url.empty() ||
        in_usual_case(answer.reply.url) == in_usual_case(session.print(answer.question)))
        return fine();
    return wrong("the answer comes from " + answer.reply.url, answer);
}

Finding post(Session& session) {
    return same_by_post(session, "verb=Identify", "Identify by POST");
}

Finding post_list(Session& session) {
    return same_by_post(session, session.list("ListIdentifiers"), "ListIdentifiers by POST");
}

Finding post_get(Session& session) {
    const Record* record = session.live_record();
    if (record == nullptr) return skipped("no record was found");
    return same_by_post(session, get_record(session, record->header.identifier),
                        "GetRecord by POST");
}

Finding post_charset(Session& session) {
    const Question question{.arguments = "verb=Identify",
                            .method = "POST",
                            .content_type = "application/x-www-form-urlencoded; charset=UTF-8"};
    return expect_same(session, kIdentify, question, "POST with a charset");
}

Finding head(Session& session) {
    const Answer& answer = session.ask({.arguments = "verb=Identify", .method = "HEAD"});
    if (answer.reply.status != 200)
        return wrong("HTTP status " + std::to_string(answer.reply.status), answer);
    const std::string_view type = header_of(answer.reply, "Content-Type");
    return type.empty() || type == header_of(identify(session).reply, "Content-Type")
               ? fine()
               : wrong("Content-Type is another than that of GET", answer);
}

Finding head_empty(Session& session) {
    const Question question{.arguments = "verb=Identify", .method = "HEAD"};
    const Conversation said = session.ask_at_once({question});
    if (said.answers.empty()) return skipped("there was no answer of HTTP/1.1");
    if (said.rest.empty()) return fine();
    return wrong(std::to_string(said.rest.size()) + " bytes follow the header of the answer",
                 session.ask(question), said.rest);
}

// A server need not answer more than one request on a connection, if it closes it then.
Finding pipelined(Session& session) {
    const Question formats{.arguments = "verb=ListMetadataFormats"};
    const Conversation said = session.ask_at_once({kIdentify, formats});
    if (said.answers.empty()) return skipped("there was no answer of HTTP/1.1");
    for (const Answer& answer : said.answers) {
        const Answer& alone = session.ask(answer.question);
        if (answer.reply.status != alone.reply.status) return skipped("HTTP answers otherwise");
        if (answer.verb != alone.verb)
            return wrong("<" + answer.verb + "> answers " + answer.question.arguments +
                             " when several requests are sent at once",
                         alone);
    }
    for (const Question& question : {kIdentify, formats})
        if (session.ask(question).reply.duration > kSlow)
            return skipped("it answers too slowly to be waited for");
    if (!said.rest.empty())
        return wrong("what follows an answer is no answer of HTTP", identify(session), said.rest);
    return said.answers.size() == 2 || said.closed
               ? fine()
               : wrong("the second of two requests sent at once is not answered",
                       session.ask(formats));
}

Question compressed_question(const Session& session) {
    return {.arguments = session.list("ListRecords"), .gzip = true};
}
const Answer& compressed_answer(Session& session) {
    return session.ask(compressed_question(session));
}

bool is_compressed(const Answer& answer) {
    return text::lower_ascii(header_of(answer.reply, "Content-Encoding")).find("gzip") !=
           std::string::npos;
}

Finding gzip(Session& session) {
    return expect_same(session, {.arguments = session.list("ListRecords")},
                       compressed_question(session), "the answer to Accept-Encoding: gzip");
}

// What is compressed is up to the repository, so an answer that is not is no fault.
Finding compression_announced(Session& session) {
    const auto& compressions = session.identification().compressions;
    const bool said =
        std::find(compressions.begin(), compressions.end(), "gzip") != compressions.end();
    return said || !is_compressed(compressed_answer(session))
               ? fine()
               : wrong("answers are compressed by gzip, and Identify does not say so",
                       compressed_answer(session));
}

// Vary may stand in several lines (RFC 9110, 5.2).
bool varies_by_encoding(const std::pair<std::string, std::string>& field) {
    const std::string value = text::lower_ascii(field.second);
    return text::lower_ascii(field.first) == "vary" &&
           (value.find("accept-encoding") != std::string::npos || value == "*");
}

bool forbids_caches(const std::pair<std::string, std::string>& field) {
    return text::lower_ascii(field.first) == "cache-control" &&
           text::lower_ascii(field.second).find("no-store") != std::string::npos;
}

Finding varies(Session& session) {
    if (!is_compressed(compressed_answer(session))) return skipped("nothing is compressed");
    const auto& headers = compressed_answer(session).reply.headers;
    if (std::any_of(headers.begin(), headers.end(), forbids_caches))
        return skipped("no cache may keep the answers");
    if (std::any_of(headers.begin(), headers.end(), varies_by_encoding)) return fine();
    return wrong("a compressed answer does not say Vary: Accept-Encoding",
                 compressed_answer(session));
}

Finding xml_for_all(Session& session) {
    return expect_same(session, kIdentify, {.arguments = "verb=Identify", .accept = kJavaAccept},
                       "Identify for a harvester that accepts text/html first");
}

Finding retry_after(Session& session) {
    identify(session);
    if (session.refusals().empty()) return skipped("no request was answered by 503");
    for (const Reply& reply : session.refusals()) {
        if (reply.retry_after) continue;
        const std::string_view said = header_of(reply, "Retry-After");
        return wrong(
            "503 with " + (said.empty() ? "no Retry-After" : "Retry-After: " + std::string(said)),
            identify(session));
    }
    return fine();
}

const std::array kHttpChecks{
    Check{"http.not-redirected", "the base URL does not redirect", demand("advice-redirect"),
          not_redirected},
    Check{"http.post", "POST of Identify gives what GET gives", demand("both-methods"), post},
    Check{"http.post-list", "POST of ListIdentifiers gives what GET gives", demand("both-methods"),
          post_list},
    Check{"http.post-get", "POST of GetRecord gives what GET gives", demand("both-methods"),
          post_get},
    Check{"http.post-charset", "the Content-Type of a POST may have a charset",
          demand("advice-tolerant"), post_charset},
    Check{"http.head", "HEAD is answered like GET", demand("http-head"), head},
    Check{"http.head-empty", "an answer to HEAD has no body", demand("http-head"), head_empty},
    Check{"http.pipelined", "requests that are sent at once are answered in their order",
          demand("http-pipeline"), pipelined},
    Check{"http.gzip", "a client that accepts gzip gets the same answer",
          demand("compression-is-http"), gzip},
    Check{"http.gzip-told", "Identify says whether gzip is supported", demand("compression-said"),
          compression_announced},
    Check{"http.vary", "a compressed answer says Vary: Accept-Encoding", demand("http-vary"),
          varies},
    Check{"http.xml-for-all", "a harvester that accepts HTML too gets XML", demand("content-type"),
          xml_for_all},
    Check{"http.retry-after", "503 has a Retry-After", demand("retry-after"), retry_after},
};

}  // namespace

std::span<const Check> http_checks() { return kHttpChecks; }

}  // namespace oai::validate
