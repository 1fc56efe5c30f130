// SPDX-License-Identifier: MIT
#include "recover/rewrite.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "http/client.h"
#include "recover/css.h"
#include "recover/links.h"
#include "recover/place.h"

namespace oai::recover {
namespace {

enum class Language { none, html, xml, css };

// Style sheets are often sent as text/plain; by their names browsers take them for what they are.
Language language_of(const Tree::Entry& document) {
    const std::string& type = document.media_type;
    if (type == "text/html") return Language::html;
    if (type == "application/xhtml+xml" || type == "image/svg+xml") return Language::xml;
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

// The references of one document.
class Links {
  public:
    Links(const Tree& tree, const Tree::Entry& document, bool again) : tree_(tree), document_(document), again_(again), base_(document.url) {}

    void set_base(const std::string& said) {
        const std::string base = http::resolved(document_.url, as_sent(said));
        if (!said.empty() && !base.empty()) base_ = base;
    }

    // "" to leave it: it is none, leads nowhere by HTTP, or is as it should be. Of a document that was rewritten, relative
    // ones lead to where they should; those that do not may do so now.
    std::string target(const std::string& reference) const {
        if (reference.empty() || (again_ && !is_of_the_web(reference))) return "";
        if (reference.starts_with('#') && base_ == document_.url) return "";
        const std::string url = http::resolved(base_, as_sent(reference));
        if (!is_of_the_web(url)) return "";
        const auto to = tree_.entries().find(tree_key(url));
        if (to == tree_.entries().end()) return is_of_the_web(reference) ? "" : url;
        const auto fragment = reference.find('#');
        const std::string wanted =
            relative_reference(document_.place, to->second.place) + (fragment == reference.npos ? "" : reference.substr(fragment));
        return wanted == reference ? "" : wanted;
    }

  private:
    const Tree& tree_;
    const Tree::Entry& document_;
    const bool again_;
    std::string base_;
};

std::string rewritten(const Tree& tree, const Tree::Entry& document, Language language, const std::string& text) {
    Links links(tree, document, tree.is_rewritten(document.place, text));
    const Target target = [&](const std::string& reference) { return links.target(reference); };
    if (language == Language::css) return applied(text, css_edits(text, target));
    const Markup markup = language == Language::xml ? Markup::xml : Markup::html;
    links.set_base(base_in(text, markup));
    return applied(text, link_edits(text, markup, target));
}

}  // namespace

Rewriting rewrite_links(Tree& tree) {
    Rewriting rewriting;
    for (const auto& [key, entry] : tree.entries()) {
        const Language language = language_of(entry);
        if (language == Language::none) continue;
        const std::string text = tree.read(entry.place);
        if (!is_ascii_based(text)) {
            rewriting.left.push_back(entry.place);
            continue;
        }
        const std::string anew = rewritten(tree, entry, language, text);
        if (anew == text) continue;
        tree.rewrite(entry.place, anew);
        ++rewriting.changed;
    }
    return rewriting;
}

}  // namespace oai::recover
