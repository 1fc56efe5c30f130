// SPDX-License-Identifier: MIT
// XPath functions of the program, which a stylesheet may call beside those of XPath and EXSLT. Each
// gives text.
#pragma once

#include <libxml/xpath.h>
#include <libxslt/xsltInternals.h>

#include <span>
#include <string>
#include <string_view>

namespace oai::transform {

// What a function was called with.
class FunctionArgument {
  public:
    explicit FunctionArgument(xmlXPathObject* value) : value_(value) {}
    std::string text() const;  // as XPath's string()
    const xmlNode* node()
        const;  // the first of a node set; nullptr: there is none, or it is something else

  private:
    xmlXPathObject* value_;
};

struct Function {
    const char* name;
    std::size_t least, most;  // so many arguments
    std::string (*call)(const void* data,
                        std::span<const FunctionArgument> arguments);  // UTF-8; may throw
};

struct Functions {
    const char* name_space;
    std::span<const Function> all;
    const void* data = nullptr;  // for every call
};

// Before the transform. The context is not owned; the functions must live as long as it runs.
void offer(xsltTransformContext* context, const Functions& functions);

}  // namespace oai::transform
