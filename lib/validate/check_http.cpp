// SPDX-License-Identifier: MIT
// How OAI-PMH rides on HTTP (OAI-PMH 2.0, 3.1).
#include <algorithm>
#include <array>

#include "base/text.h"
#include "validate/check_parts.h"

namespace oai::validate {
namespace {

constexpr const char* kInProcess = "no HTTP lies between";
// As Java's HttpURLConnection sends it unless it is told otherwise.
constexpr const char* kJavaAccept = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2";

const Question kIdentify{.arguments = "verb=Identify"};

const Answer& identify(Session& session) { return session.ask(kIdentify); }

Finding same_by_post(Session& session, const std::string& arguments, const std::string& what) {
    return expect_same(session, {.arguments = arguments}, {.arguments = arguments, .method = "POST"}, what);
}

Finding not_redirected(Session& session) {
    if (!session.over_http()) return skipped(kInProcess);
    const Answer& answer = identify(session);
    if (answer.reply.url.empty() || answer.reply.url == session.print(answer.question)) return fine();
    return wrong("the answer comes from " + answer.reply.url, answer);
}

Finding post(Session& session) {
    return same_by_post(session, "verb=Identify", "Identify by POST");
}

Finding post_list(Session& session) {
    return same_by_post(session, session.list("ListIdentifiers"), "ListIdentifiers by POST");
}

Finding post_get(Session& session) {
    const Record* record = session.live();
    if (record == nullptr) return skipped("no record is met");
    return same_by_post(session, get_record(session, record->header.identifier), "GetRecord by POST");
}

Finding post_charset(Session& session) {
    const Question question{.arguments = "verb=Identify", .method = "POST", .content_type = "application/x-www-form-urlencoded; charset=UTF-8"};
    return expect_same(session, kIdentify, question, "POST with a charset");
}

Finding head(Session& session) {
    if (!session.over_http()) return skipped(kInProcess);
    const Answer& answer = session.ask({.arguments = "verb=Identify", .method = "HEAD"});
    if (answer.reply.status != 200) return wrong("HTTP status " + std::to_string(answer.reply.status), answer);
    return header_of(answer.reply, "Content-Type") == header_of(identify(session).reply, "Content-Type")
               ? fine() : wrong("Content-Type is another than that of GET", answer);
}

Question for_packed(const Session& session) { return {.arguments = session.list("ListRecords"), .gzip = true}; }
const Answer& packed(Session& session) { return session.ask(for_packed(session)); }

bool is_packed(const Answer& answer) {
    return text::lower_ascii(header_of(answer.reply, "Content-Encoding")).find("gzip") != std::string::npos;
}

Finding gzip(Session& session) {
    if (!session.over_http()) return skipped(kInProcess);
    return expect_same(session, {.arguments = session.list("ListRecords")}, for_packed(session), "the answer to Accept-Encoding: gzip");
}

Finding gzip_told(Session& session) {
    if (!session.over_http()) return skipped(kInProcess);
    const auto& told = session.identification().compressions;
    const bool said = std::find(told.begin(), told.end(), "gzip") != told.end();
    if (said == is_packed(packed(session))) return fine();
    return said ? wrong("Identify says compression gzip, and an answer is not compressed when it is asked for", packed(session))
                : wrong("answers are compressed by gzip, and Identify does not say so", packed(session));
}

Finding varies(Session& session) {
    if (!session.over_http()) return skipped(kInProcess);
    if (!is_packed(packed(session))) return skipped("nothing is compressed");
    const std::string vary = text::lower_ascii(header_of(packed(session).reply, "Vary"));
    if (vary.find("accept-encoding") != std::string::npos || vary == "*") return fine();
    return wrong("a compressed answer does not say Vary: Accept-Encoding", packed(session));
}

Finding xml_for_all(Session& session) {
    return expect_same(session, kIdentify, {.arguments = "verb=Identify", .accept = kJavaAccept}, "Identify for a harvester that accepts text/html first");
}

Finding retry_after(Session& session) {
    identify(session);
    if (session.refusals().empty()) return skipped("no request was answered by 503");
    for (const Reply& reply : session.refusals()) {
        const std::string_view said = header_of(reply, "Retry-After");
        if (text::to_integer(said)) continue;
        return wrong("503 with " + (said.empty() ? "no Retry-After" : "Retry-After: " + std::string(said)), identify(session));
    }
    return fine();
}

using enum Severity;

constexpr std::array kChecks{
    Check{"http.not-redirected", "the base URL does not lead elsewhere", "registration", should, not_redirected},
    Check{"http.post", "POST gives what GET gives", "3.1.1", must, post},
    Check{"http.post-list", "so it does for ListIdentifiers", "3.1.1", must, post_list},
    Check{"http.post-get", "and for GetRecord", "3.1.1", must, post_get},
    Check{"http.post-charset", "the type of a POST may have a charset", "3.1.1", should, post_charset},
    Check{"http.head", "HEAD is answered as GET is", "HTTP", should, head},
    Check{"http.gzip", "who accepts gzip gets the same answer", "3.1.3", must, gzip},
    Check{"http.gzip-told", "Identify says which compression there is", "4.2", should, gzip_told},
    Check{"http.vary", "caches are told of compression", "HTTP", should, varies},
    Check{"http.xml-for-all", "a harvester that accepts HTML too gets XML", "3.1.2", must, xml_for_all},
    Check{"http.retry-after", "503 says when to come again", "3.1.2", should, retry_after},
};

}  // namespace

std::span<const Check> http_checks() { return kChecks; }

}  // namespace oai::validate
