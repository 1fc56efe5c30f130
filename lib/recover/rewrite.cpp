// SPDX-License-Identifier: MIT
#include "recover/rewrite.h"

#include <string>
#include <string_view>

#include "http/client.h"
#include "recover/links.h"
#include "recover/place.h"

namespace oai::recover {
namespace {

// Done again, relative references would be taken for the document's own.
constexpr std::string_view kRewritten = "\n<!-- oai recover made references relative -->\n";

bool is_html(const std::string& media_type) {
    return media_type == "text/html" || media_type == "application/xhtml+xml";
}

// "" to leave it: it is none, leads nowhere by HTTP, or is as it should be.
std::string target_of(const Tree& tree, const Tree::Entry& document, const std::string& base,
                      const std::string& reference) {
    if (reference.empty() || reference.starts_with('#')) return "";
    const std::string url = http::resolved(base, reference);
    if (!url.starts_with("http://") && !url.starts_with("https://")) return "";
    const auto to = tree.entries().find(tree_key(url));
    if (to == tree.entries().end()) return reference.find("://") == reference.npos ? url : "";
    const auto fragment = reference.find('#');
    return relative_reference(document.place, to->second.place) +
           (fragment == reference.npos ? "" : reference.substr(fragment));
}

}  // namespace

std::int64_t rewrite_links(const Tree& tree) {
    std::int64_t changed = 0;
    for (const auto& [key, entry] : tree.entries()) {
        if (!is_html(entry.media_type)) continue;
        const std::string html = tree.read(entry.place);
        if (html.ends_with(kRewritten)) continue;
        const std::string said = http::resolved(entry.url, base_in(html));
        const std::string base = said.empty() ? entry.url : said;
        const auto target = [&, &here = entry](const std::string& reference) {
            return target_of(tree, here, base, reference);
        };
        const std::string rewritten = with_links(html, target);
        if (rewritten == html) continue;
        tree.replace(entry.place, rewritten + std::string(kRewritten));
        ++changed;
    }
    return changed;
}

}  // namespace oai::recover
