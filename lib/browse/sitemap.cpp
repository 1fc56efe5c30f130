// SPDX-License-Identifier: MIT
// For crawlers: a sitemap of all records' pages.
#include <fmt/format.h>

#include "base/text.h"
#include "browse/pages.h"
#include "protocol/identifier.h"
#include "protocol/record.h"
#include "verb/record_writer.h"
#include "xml/escape.h"

namespace oai {
namespace {

constexpr std::int64_t kPartSize = 50'000;  // the protocol of sitemaps allows no more addresses
constexpr std::string_view kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
constexpr std::string_view kNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

void append_entry(std::string& out, std::string_view element, std::string_view address,
                  Seconds latest) {
    out += fmt::format("<{}><loc>", element);
    xml::append_text(out, address);
    out += fmt::format("</loc><lastmod>{}</lastmod></{}>\n", print_datestamp(latest), element);
}

struct SeqRange {
    std::int64_t after, upto;
};

std::optional<SeqRange> read_part(std::string_view part) {
    const auto bounds = text::split(part, '-');
    if (bounds.size() != 2) return std::nullopt;
    const auto after = text::to_integer(bounds[0]), upto = text::to_integer(bounds[1]);
    if (!after || !upto || *after < 0 || *upto <= *after || *upto - *after > kPartSize)
        return std::nullopt;
    return SeqRange{*after, *upto};
}

}  // namespace

std::string sitemap_index(const PageQuestion& question, std::string_view pages) {
    std::string out = fmt::format("{}<sitemapindex xmlns=\"{}\">\n", kHead, kNamespace);
    for (const Part& part : question.queries.parts(kPartSize))
        append_entry(out, "sitemap",
                     fmt::format("{}/sitemap/{}-{}", pages, part.after, part.after + kPartSize),
                     part.latest);
    return out += "</sitemapindex>\n";
}

std::string sitemap(const PageQuestion& question, std::string_view part, std::string_view pages) {
    const auto range = read_part(part);
    if (!range) return "";
    ListQuery query;
    query.records = static_cast<int>(kPartSize);
    query.after = range->after;
    query.upto = range->upto;
    RecordCursor cursor = question.context.store.list(query);
    std::string out = fmt::format("{}<urlset xmlns=\"{}\">\n", kHead, kNamespace);
    for (RecordBatch batch = cursor.next(); batch.size() > 0; batch = cursor.next())
        for (int i = 0; i < batch.size(); ++i) {
            const Header& header = batch.header(i);
            if (header.deleted) continue;
            const std::string identifier =
                identifier_text(question.context.repository.identifier_prefix, header.local_id);
            append_entry(out, "url", fmt::format("{}/{}", pages, record_path(identifier)),
                         header.datestamp);
            ++question.stats.records;
        }
    return out += "</urlset>\n";
}

}  // namespace oai
