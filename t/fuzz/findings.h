// SPDX-License-Identifier: MIT
// Checks everything that a reader of web archives reports against the contracts of capture.h,
// surt.h and capture.h.
#pragma once

#include <cstdlib>

#include "base/text.h"
#include "input.h"
#include "protocol/identifier.h"
#include "require.h"
#include "tools/load/capture.h"
#include "tools/load/field.h"

namespace oai::load::fuzz {

using oai::fuzz::require;

inline void check_text(const std::string& s, std::size_t max_characters) {
    require(text::is_xml_text(s) && s.find_first_of("\r\n\t") == s.npos);
    require(!s.starts_with(' ') && !s.ends_with(' ') && s.find("  ") == s.npos);
    std::size_t characters = 0;
    for (const char byte : s) characters += (byte & '\xC0') != '\x80' ? 1 : 0;
    require(characters <= max_characters);
}
inline void check_description(const DocumentDescription& d) {
    check_text(d.title, DocumentDescription::kTitleCharacters);
    check_text(d.description, DocumentDescription::kDescriptionCharacters);
    require(d.language.size() <= 35 && d.language.size() != 1);
    require(d.language.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
            d.language.npos);
}

class CheckingHandler final : public CaptureHandler {
  public:
    explicit CheckingHandler(std::size_t size) : size_(size) {}

    void capture(Capture c) override {
        require(!c.url.empty() && text::is_xml_text(c.url) && text::is_xml_text(c.digest) &&
                text::is_xml_text(c.file));
        require(!c.offset || *c.offset >= 0);
        require(!c.length || *c.length >= 0);
        require(!c.status || (*c.status >= 100 && *c.status <= 999));
        check_description(c.about);
        const CanonicalUrl form = canonical_url(c.url);
        require(!form.surt.empty() && form.surt.size() <= 2000 && text::is_utf8(form.surt));
        require(form.surt.find('\0') == form.surt.npos);
        require(form.domain.empty() || is_set_spec(form.domain));
        require(c.mimetype.empty() || is_set_spec(mimetype_name(c.mimetype)));
    }
    void skip(std::string_view kind) override { require(!kind.empty()); }
    void damage(std::uint64_t offset, const std::string& what) override {
        require(offset <= size_ && !what.empty() && what.find('\n') == what.npos);
    }
    void note(const std::string& what) override { require(!what.empty()); }

  private:
    std::size_t size_;
};

}  // namespace oai::load::fuzz
