// SPDX-License-Identifier: MIT
#include "recover/rewrite.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "http/client.h"
#include "recover/css.h"
#include "recover/links.h"
#include "recover/place.h"

namespace oai::recover {
namespace {

enum class Language { none, html, xml, other_xml, css };

// Style sheets are often sent as text/plain; by their names browsers take them for what they are.
Language language_of(const Tree::Entry& document) {
    const std::string& type = document.media_type;
    if (type == "text/html") return Language::html;
    if (type == "application/xhtml+xml" || type == "image/svg+xml") return Language::xml;
    if (type == "text/xml" || type == "application/xml" || type.ends_with("+xml")) return Language::other_xml;
    return type == "text/css" || document.place.ends_with(".css") ? Language::css : Language::none;
}

// UTF-16 and UTF-32 have bytes of 0, and ISO-2022 leaves ASCII by an escape.
bool is_ascii_based(std::string_view text) {
    return text.find('\0') == text.npos && text.find("\x1B$") == text.npos && text.find("\x1B(") == text.npos &&
           !text.starts_with("\xFF\xFE") && !text.starts_with("\xFE\xFF");
}

bool is_of_the_web(std::string_view reference) {
    const std::string begin = text::lower_ascii(reference.substr(0, 8));
    return begin.starts_with("http://") || begin.starts_with("https://");
}

// As a browser sends it: without line ends and tabs, blanks and what is not ASCII escaped.
std::string as_sent(const std::string& reference) {
    std::string out;
    for (const char c : reference) {
        if (c == '\t' || c == '\n' || c == '\r') continue;
        const bool plain = c > ' ' && c < '\x7F';
        out += plain ? std::string(1, c) : text::percent_encode(std::string_view(&c, 1));
    }
    return out;
}

int hex_value(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

// Of addresses that differ only in what is escaped without need and in the case of escapes, the same (RFC 3986, 6.2.2).
std::string normal(std::string_view address) {
    std::string out;
    for (std::size_t i = 0; i < address.size(); ++i) {
        const bool escape = address[i] == '%' && i + 2 < address.size() && hex_value(address[i + 1]) >= 0 && hex_value(address[i + 2]) >= 0;
        const char c = escape ? static_cast<char>(hex_value(address[i + 1]) * 16 + hex_value(address[i + 2])) : address[i];
        const bool stays = !escape && c > ' ' && c < '\x7F';
        out += stays ? std::string(1, c) : text::percent_encode(std::string_view(&c, 1));
        if (escape) i += 2;
    }
    return out;
}

// Documents of a tree by their addresses, as they are written or else in the normal form.
class Addresses {
  public:
    explicit Addresses(const Tree& tree) : tree_(tree) {
        for (const auto& [key, entry] : tree.entries()) by_normal_.try_emplace(normal(key), &entry);
    }
    const Tree::Entry* find(const std::string& url) const {
        const std::string key = tree_key(url);
        if (const auto entry = tree_.entries().find(key); entry != tree_.entries().end()) return &entry->second;
        const auto entry = by_normal_.find(normal(key));
        return entry == by_normal_.end() ? nullptr : entry->second;
    }

  private:
    const Tree& tree_;
    std::unordered_map<std::string, const Tree::Entry*> by_normal_;
};

// The references of one document.
class Links {
  public:
    Links(const Addresses& addresses, const Tree::Entry& document, bool again)
        : addresses_(addresses), document_(document), again_(again), url_(as_sent(document.url)), base_(url_) {}

    void set_base(const std::string& said) {
        const std::string base = http::resolved(url_, as_sent(said));
        if (!said.empty() && !base.empty()) base_ = base;
    }

    // "" to leave it: it is none, leads nowhere by HTTP, or is as it should be. Of a document that was rewritten, relative
    // ones lead to where they should; those that do not may do so now.
    std::string target(const std::string& reference) const {
        if (reference.empty() || (again_ && !is_of_the_web(reference))) return "";
        if (reference.starts_with('#') && base_ == url_) return "";
        const std::string url = http::resolved(base_, as_sent(reference));
        if (!is_of_the_web(url)) return "";
        const Tree::Entry* const to = addresses_.find(url);
        if (to == nullptr) return is_of_the_web(reference) ? "" : url;
        const auto fragment = reference.find('#');
        const std::string wanted =
            relative_reference(document_.place, to->place) + (fragment == reference.npos ? "" : reference.substr(fragment));
        return wanted == reference ? "" : wanted;
    }

  private:
    const Addresses& addresses_;
    const Tree::Entry& document_;
    const bool again_;
    const std::string url_;  // of the document
    std::string base_;
};

std::string rewritten(const Tree& tree, const Addresses& addresses, const Tree::Entry& document, Language language,
                      const std::string& text) {
    Links links(addresses, document, tree.is_rewritten(document.place, text));
    const Target target = [&](const std::string& reference) { return links.target(reference); };
    if (language == Language::css) return applied(text, css_edits(text, target));
    const Markup markup = language == Language::xml ? Markup::xml : language == Language::other_xml ? Markup::other_xml : Markup::html;
    links.set_base(base_in(text, markup));
    return applied(text, link_edits(text, markup, target));
}

}  // namespace

Rewriting rewrite_links(Tree& tree) {
    Rewriting rewriting;
    const Addresses addresses(tree);
    for (const auto& [key, entry] : tree.entries()) {
        const Language language = language_of(entry);
        if (language == Language::none) continue;
        const std::string text = tree.read(entry.place);
        if (!is_ascii_based(text)) {
            rewriting.left.push_back(entry.place);
            continue;
        }
        const std::string anew = rewritten(tree, addresses, entry, language, text);
        if (anew == text) continue;
        tree.rewrite(entry.place, anew);
        ++rewriting.changed;
    }
    return rewriting;
}

}  // namespace oai::recover
