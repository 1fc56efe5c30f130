// SPDX-License-Identifier: MIT
#include "page/sitemap.h"

#include <fmt/format.h>

#include "base/text.h"
#include "datestamp.h"
#include "identifier.h"
#include "record_writer.h"
#include "xml/escape.h"

namespace oai {
namespace {

constexpr std::int64_t kWidth = 10'000;
constexpr std::int64_t kWideWidth = 50'000;  // as many addresses as a part may have
constexpr std::int64_t kWideFrom = 250'000'000;
constexpr std::string_view kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
constexpr std::string_view kNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

void append_entry(std::string& out, std::string_view element, std::string_view address, Seconds latest) {
    out += fmt::format("<{}><loc>", element);
    xml::append_text(out, address);
    out += fmt::format("</loc><lastmod>{}</lastmod></{}>\n", print_datestamp(latest), element);
}

struct Stretch {
    std::int64_t after, upto;
};

std::optional<Stretch> read_part(std::string_view part) {
    const auto bounds = text::split(part, '-');
    if (bounds.size() != 2) return std::nullopt;
    const auto after = text::to_integer(bounds[0]), upto = text::to_integer(bounds[1]);
    if (!after || !upto || *after < 0 || *upto <= *after || *upto - *after > kWideWidth) return std::nullopt;
    return Stretch{*after, *upto};
}

}  // namespace

std::string sitemap_index(const PageQuestion& question, std::string_view pages) {
    const bool wide = question.context.last_horizon().last_seq > kWideFrom;
    const std::int64_t width = wide ? kWideWidth : kWidth;
    std::string out = fmt::format("{}<sitemapindex xmlns=\"{}\">\n", kHead, kNamespace);
    for (const Part& part : question.survey.parts(width))
        append_entry(out, "sitemap", fmt::format("{}/sitemap/{}-{}", pages, part.after, part.after + width), part.latest);
    return out += "</sitemapindex>\n";
}

std::string sitemap(const PageQuestion& question, std::string_view part, std::string_view pages) {
    const auto stretch = read_part(part);
    if (!stretch) return "";
    ListQuery query;
    query.records = static_cast<int>(kWideWidth);
    query.after = stretch->after;
    query.upto = stretch->upto;
    Listing listing = question.context.store.list(query);
    std::string out = fmt::format("{}<urlset xmlns=\"{}\">\n", kHead, kNamespace);
    for (Slice slice = listing.next(); slice.size() > 0; slice = listing.next())
        for (int i = 0; i < slice.size(); ++i) {
            const Header& header = slice.header(i);
            if (header.deleted) continue;
            const std::string identifier = identifier_text(question.context.repository.identifier_prefix, header.local_id);
            append_entry(out, "url", fmt::format("{}/{}", pages, record_path(identifier)), header.datestamp);
            ++question.account.records;
        }
    return out += "</urlset>\n";
}

std::string robots_advice(std::string_view pages, std::string_view mount) {
    return fmt::format("# For the robots.txt of this site: what crawlers find here, and what is for harvesters alone.\n"
                       "User-agent: *\nDisallow: {0}?\nDisallow: {0}/browse/list?\nDisallow: {0}/browse/sets?\n"
                       "Sitemap: {1}/sitemap.xml\n",
                       mount, pages);
}

}  // namespace oai
