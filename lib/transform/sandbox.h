// SPDX-License-Identifier: MIT
// Restricts the files, time and memory that libxslt may use while this thread compiles or applies a
// stylesheet. The loader, allocator and error functions of libxml2 and libxslt are set once per
// process (initialise() in document.h) and have no user argument, so each finds its Sandbox through
// the calling thread; without one they read nothing, limit nothing and print nothing.
#pragma once

#include <libxslt/xsltInternals.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "transform/files.h"

namespace oai::transform {

// The files that a stylesheet may read. The directories are canonical.
struct Reach {
    std::string directory;                     // files are read from there and below
    std::string home;                          // the directory of the stylesheet itself
    std::shared_ptr<const Catalog> catalog{};  // for network addresses; nullptr: none
};

// May be nested within a thread: the innermost one is in effect. Must be destroyed by the thread
// that created it, in reverse order.
class Sandbox {
  public:
    // The reach must outlive it.
    explicit Sandbox(const Reach& reach);
    ~Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    // From now on, stops the transform when it exceeds the time, the total of allocated memory or
    // the number of operations. The context must live until the end or unlimit().
    void limit(xsltTransformContext* context, std::chrono::milliseconds time);
    void unlimit() { context_ = nullptr; }

    // The messages of libxml2 and libxslt, one "file:line: message" per line, at most 20 lines; "":
    // none. A message without a place gets that of the current instruction.
    std::string messages() const;

    // The file for a URI, with symbolic links and .. resolved, if it exists within the directory. A
    // network address is mapped by the catalog, or else to the file of the same name in the
    // stylesheet's directory; nothing is ever fetched.
    std::optional<std::string> resolve(const char* uri);
    // Whether a network address was looked up in the catalog.
    bool used_catalog() const { return used_catalog_; }
    // Counts the files that are loaded, since stylesheets may import each other in a circle.
    // Returns false if there are too many.
    bool count_file() noexcept { return ++files_ <= kMaxFiles; }

    // For the process-wide hooks.
    static Sandbox* current() noexcept;
    // Called for every allocation of this thread; returns false to refuse it. Most calls only count
    // bytes up to the next check of time and memory, since a record takes a hundred blocks.
    static bool charge(std::size_t bytes) noexcept {
        allowance_ -= static_cast<std::ptrdiff_t>(std::min(bytes, kLargest));
        return allowance_ >= 0 || charge_slowly(bytes);
    }
    void report(std::string_view text);  // a piece of a line from libxslt
    // libxml2's message on an expression, which precedes libxslt's line with file and line number.
    void explain(std::string detail);

  private:
    void report_line(std::string_view line);
    std::string place() const;  // "file:line: " of the instruction; "" unknown
    void stop(const char* why) noexcept;
    static bool charge_slowly(std::size_t bytes) noexcept;

    static constexpr std::ptrdiff_t kStep = 16384;      // bytes between two checks
    static constexpr std::size_t kLargest = 1U << 30U;  // keeps the sum from overflowing
    static constexpr int kMaxFiles = 200;
    static constinit thread_local std::ptrdiff_t allowance_;

    Sandbox* const outer_;
    const Reach& reach_;
    int files_ = 0;
    bool used_catalog_ = false;
    std::string pending_;   // an incomplete line
    std::string location_;  // "file:line: " of libxslt's last context line, for the line after it
    std::string detail_;    // not yet part of a message
    std::string detail_place_;
    std::string messages_;
    int lines_ = 0;
    void* outer_error_context_ = nullptr;
    xmlStructuredErrorFunc outer_error_ = nullptr;

    xsltTransformContext* context_ = nullptr;  // set: limited
    const char* stopped_ = nullptr;            // why
    const xmlNode* stopped_at_ = nullptr;      // the instruction; of the stylesheet
    std::chrono::steady_clock::time_point deadline_{};
    std::size_t bytes_ = 0;
};

}  // namespace oai::transform
