// SPDX-License-Identifier: MIT
#include "tools/load/tag.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace oai::load {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f";

class TagReader {
  public:
    TagReader(std::string_view in, std::size_t at) : in_(in), at_(at) {}

    Tag tag() {
        at_ += in_[at_ + 1] == '/' ? 2 : 1;
        Tag tag;
        tag.name = text::lower_ascii(take_until(" \t\r\n\f>/"));
        attributes(tag);
        tag.empty = at_ < in_.size() && in_[at_ - 1] == '/';
        tag.end = std::min(in_.size(), at_ + 1);
        return tag;
    }

    void attributes(Tag& tag) {
        while (at_ < in_.size() && in_[at_] != '>') attribute(tag);
    }

  private:
    std::string_view take_until(std::string_view any) {
        const std::size_t begin =
            std::exchange(at_, std::min(in_.size(), in_.find_first_of(any, at_)));
        return in_.substr(begin, at_ - begin);
    }
    void skip(std::string_view any) { at_ = std::min(in_.size(), in_.find_first_not_of(any, at_)); }

    void attribute(Tag& tag) {
        skip(" \t\r\n\f/");
        std::string name = text::lower_ascii(take_until(" \t\r\n\f>/="));
        if (name.empty() && at_ < in_.size() && in_[at_] == '=')
            ++at_;  // an equals sign without a name
        if (name.empty()) return;
        const std::size_t behind_name = at_;
        skip(kBlanks);
        if (at_ >= in_.size() || in_[at_] != '=') {
            at_ = behind_name;
            return;
        }
        ++at_;
        skip(kBlanks);
        value(tag, std::move(name));
    }

    void value(Tag& tag, std::string name) {
        if (at_ >= in_.size()) return;
        const char quote = in_[at_] == '"' || in_[at_] == '\'' ? in_[at_++] : '\0';
        const std::size_t begin = at_;
        take_until(quote == '\0' ? " \t\r\n\f>" : quote == '"' ? "\"" : "'");
        tag.attributes.push_back({std::move(name), begin, at_, quote != '\0'});
        at_ = std::min(in_.size(), at_ + (quote != '\0' ? 1 : 0));
    }

    const std::string_view in_;
    std::size_t at_;
};

}  // namespace

Tag read_tag(std::string_view in, std::size_t at) { return TagReader(in, at).tag(); }

void read_attributes(std::string_view in, std::size_t at, Tag& tag) {
    TagReader(in, at).attributes(tag);
}

}  // namespace oai::load
