// SPDX-License-Identifier: MIT

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "tools/http_client/client.h"
#include "tools/recover/links.h"
#include "tools/recover/output.h"

namespace oai::recover {
namespace {

enum class Language { none, html, xml, other_xml, css };

// Style sheets are often sent as text/plain, so their names count too.
Language language_of(const Tree::Entry& document) {
    const std::string& type = document.media_type;
    if (type == "text/html") return Language::html;
    if (type == "application/xhtml+xml" || type == "image/svg+xml") return Language::xml;
    if (type == "text/xml" || type == "application/xml" || type.ends_with("+xml"))
        return Language::other_xml;
    return type == "text/css" || document.place.ends_with(".css") ? Language::css : Language::none;
}

// UTF-16 and UTF-32 contain bytes of 0, and ISO-2022 leaves ASCII by an escape sequence.
bool is_ascii_based(std::string_view text) {
    return text.find('\0') == text.npos && text.find("\x1B$") == text.npos &&
           text.find("\x1B(") == text.npos && !text.starts_with("\xFF\xFE") &&
           !text.starts_with("\xFE\xFF");
}

bool is_of_the_web(std::string_view reference) {
    const std::string begin = text::lower_ascii(reference.substr(0, 8));
    return begin.starts_with("http://") || begin.starts_with("https://");
}

// As a browser sends it: without line ends and tabs, with blanks and non-ASCII bytes escaped.
std::string as_sent(const std::string& reference) {
    std::string out;
    for (const char c : reference) {
        if (c == '\t' || c == '\n' || c == '\r') continue;
        const bool plain = c > ' ' && c < '\x7F';
        out += plain ? std::string(1, c) : text::percent_encode(std::string_view(&c, 1));
    }
    return out;
}

// Returns the same text for addresses that differ only in needless escapes and in the case of
// escapes (RFC 3986, 6.2.2).
std::string normalise(std::string_view address) {
    std::string out;
    for (std::size_t i = 0; i < address.size(); ++i) {
        const auto escape = text::percent_escape_at(address, i);
        const char c = escape.value_or(address[i]);
        const bool stays = !escape && c > ' ' && c < '\x7F';
        out += stays ? std::string(1, c) : text::percent_encode(std::string_view(&c, 1));
        if (escape) i += 2;
    }
    return out;
}

// Finds documents of a tree by their addresses, as written or else normalised.
class DocumentIndex {
  public:
    explicit DocumentIndex(const Tree& tree) : tree_(tree) {
        for (const auto& [key, entry] : tree.entries())
            by_normal_.try_emplace(normalise(key), &entry);
    }
    const Tree::Entry* find(const std::string& url) const {
        const std::string key = tree_key(url);
        if (const auto entry = tree_.entries().find(key); entry != tree_.entries().end())
            return &entry->second;
        const auto entry = by_normal_.find(normalise(key));
        return entry == by_normal_.end() ? nullptr : entry->second;
    }

  private:
    const Tree& tree_;
    std::unordered_map<std::string, const Tree::Entry*> by_normal_;
};

// Maps the references of one document.
class LinkMapper {
  public:
    LinkMapper(const DocumentIndex& index, const Tree::Entry& document, bool again)
        : index_(index),
          document_(document),
          again_(again),
          url_(as_sent(document.url)),
          base_(url_) {}

    void set_base(const std::string& said) {
        const std::string base = http::resolve_reference(url_, as_sent(said));
        if (!said.empty() && !base.empty()) base_ = base;
    }

    // Returns the new reference; "" to leave it: it is no reference, does not lead to the web, or
    // is right already. In a document that was rewritten before, relative references are right,
    // while absolute ones may lead to documents that are now in the tree.
    std::string map(const std::string& reference) const {
        if (reference.empty() || (again_ && !is_of_the_web(reference))) return "";
        if (reference.starts_with('#') && base_ == url_) return "";
        const std::string url = http::resolve_reference(base_, as_sent(reference));
        if (!is_of_the_web(url)) return "";
        const Tree::Entry* const to = index_.find(url);
        if (to == nullptr) return is_of_the_web(reference) ? "" : url;
        const auto fragment = reference.find('#');
        const std::string wanted = relative_reference(document_.place, to->place) +
                                   (fragment == reference.npos ? "" : reference.substr(fragment));
        return wanted == reference ? "" : wanted;
    }

  private:
    const DocumentIndex& index_;
    const Tree::Entry& document_;
    const bool again_;
    const std::string url_;  // of the document
    std::string base_;
};

std::string rewrite_document(const Tree& tree, const DocumentIndex& index,
                             const Tree::Entry& document, Language language,
                             const std::string& text) {
    LinkMapper links(index, document, tree.is_rewritten(document.place, text));
    const ReferenceMapper map = [&](const std::string& reference) { return links.map(reference); };
    if (language == Language::css) return apply_edits(text, css_edits(text, map));
    const Markup markup = language == Language::xml         ? Markup::xml
                          : language == Language::other_xml ? Markup::other_xml
                                                            : Markup::html;
    links.set_base(base_in(text, markup));
    return apply_edits(text, link_edits(text, markup, map));
}

}  // namespace

RewriteResult rewrite_links(Tree& tree) {
    RewriteResult result;
    const DocumentIndex index(tree);
    for (const auto& [key, entry] : tree.entries()) {
        const Language language = language_of(entry);
        if (language == Language::none) continue;
        const std::string text = tree.read(entry.place);
        if (!is_ascii_based(text)) {
            result.skipped.push_back(entry.place);
            continue;
        }
        const std::string anew = rewrite_document(tree, index, entry, language, text);
        if (anew == text) continue;
        tree.rewrite(entry.place, anew);
        ++result.changed;
    }
    return result;
}

}  // namespace oai::recover
