// SPDX-License-Identifier: MIT
// Who takes what the readers of web archives find, in the order of the file: the loader stores it;
// tests and fuzz targets look at it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/load/capture.h"

namespace oai::load {

class CaptureHandler {
  public:
    virtual ~CaptureHandler() = default;
    virtual void capture(Capture capture) = 0;
    // A sound record that is no capture, of this kind: "request", "warcinfo", "dns", ...
    virtual void skip(std::string_view kind) = 0;
    // Something was lost. offset: in the file, of the gzip member where compressed. what: plain
    // text, one line.
    virtual void damage(std::uint64_t offset, const std::string& what) = 0;
    // Nothing was lost, but the administrator should know. Once per file and kind.
    virtual void note(const std::string& what) = 0;
};

}  // namespace oai::load
