// SPDX-License-Identifier: MIT
// What libxslt may reach and spend while this thread compiles or applies a stylesheet. libxml2's
// and libxslt's loader, allocator and error functions are set once per process (initialise() in
// document.h) and have no argument of ours, so each finds its Sandbox through the thread that calls
// it; without one they read nothing, limit nothing and print nothing.
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

// Where a stylesheet may read. The directories are canonical.
struct Reach {
    std::string directory;                     // files are read from there and below
    std::string home;                          // of the stylesheet itself, in the directory
    std::shared_ptr<const Catalog> catalog{};  // for addresses of the network; nullptr: none
};

// One per thread at a time, or nested: the innermost counts. Lives in one scope of one thread.
class Sandbox {
  public:
    // The reach must outlive it.
    explicit Sandbox(const Reach& reach);
    ~Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    // From now on stops the transform when the wall clock, the memory it asked for in all, or its
    // operations run out. The context must live until the Sandbox is gone or unlimit() was called.
    void limit(xsltTransformContext* context, std::chrono::milliseconds time);
    void unlimit() { context_ = nullptr; }

    // What libxml2 and libxslt had to say, one "file:line: message" per line, at most 20 lines; ""
    // nothing. Where they name no place, it is that of the instruction which was executed.
    std::string messages() const;

    // The file that a URI means, symbolic links and .. resolved, if it exists within the directory.
    // An address of the network means what the catalog says, or else the file of its name beside
    // the stylesheet; nothing is ever fetched.
    std::optional<std::string> resolve(const char* uri);
    // Whether there was an address to look up in the catalog.
    bool asked_catalog() const { return asked_catalog_; }
    // Counts the files of a stylesheet, which may import each other in a circle. false: too many.
    bool count_file() noexcept { return ++files_ <= kMaxFiles; }

    // For the process-wide hooks.
    static Sandbox* current() noexcept;
    // Every block that this thread takes; false: refuse it. Most calls only count down to the next
    // look at clock and sum, since a transform takes some hundred blocks a record.
    static bool charge(std::size_t bytes) noexcept {
        allowance_ -= static_cast<std::ptrdiff_t>(std::min(bytes, kLargest));
        return allowance_ >= 0 || charge_slowly(bytes);
    }
    void report(std::string_view text);  // libxslt's pieces of lines
    // libxml2's own word on an expression; libxslt's line with file and line number comes after it.
    void explain(std::string detail);

  private:
    void report_line(std::string_view line);
    std::string place() const;  // "file:line: " of the instruction; "" unknown
    void stop(const char* why) noexcept;
    static bool charge_slowly(std::size_t bytes) noexcept;

    static constexpr std::ptrdiff_t kStep = 16384;      // bytes between two looks
    static constexpr std::size_t kLargest = 1U << 30U;  // keeps the sum from overflowing
    static constexpr int kMaxFiles = 200;
    static constinit thread_local std::ptrdiff_t allowance_;

    Sandbox* const outer_;
    const Reach& reach_;
    int files_ = 0;
    bool asked_catalog_ = false;
    std::string pending_;   // the part of a line that came so far
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
