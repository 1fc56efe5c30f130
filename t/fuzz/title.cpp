// SPDX-License-Identifier: MIT
// Reads any bytes as an HTTP response with an HTML page. What it says of itself keeps the contract
// of capture.h. The first line is the Content-Type, the second the
// Content-Encoding, the third the Transfer-Encoding.
#include "findings.h"
#include "tools/load/capture.h"

namespace {

std::string_view take_line(std::string_view& bytes) {
    const auto end = std::min(bytes.size(), bytes.find('\n'));
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(bytes.size(), end + 1));
    return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::string header = "HTTP/1.1 200 OK\r\n";
    for (const char* const name : {"Content-Type: ", "Content-Encoding: ", "Transfer-Encoding: "})
        header.append(name).append(take_line(bytes)).append("\r\n");
    load::fuzz::check_description(load::describe_document("text/html", header + "\r\n", bytes));
    return 0;
}
