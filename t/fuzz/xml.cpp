// SPDX-License-Identifier: MIT
// Reads any bytes as an XML document, as the description of a set, and in pieces, as files larger
// than memory are read. An accepted document that is written out is read back unchanged. The first
// byte decides where the pieces are cut.
#include <cstdint>

#include "base/text.h"
#include "protocol/repository.h"
#include "require.h"
#include "xml/document.h"
#include "xml/push_parser.h"
#include "xml/serialiser.h"

namespace {

std::string written(std::string_view bytes) {
    std::string out;
    const xml::DocumentHandle document = xml::parse_memory(bytes, "fuzz");
    require(!xml::root_name(document.get()).empty());
    xml::append_node(out, xmlDocGetRootElement(document.get()));
    return out;
}

void check_whole(std::string_view bytes) {
    const std::string once = written(bytes);
    require(text::is_xml_text(once) && written(once) == once);
}

void check_pieces(std::string_view bytes, std::size_t piece) {
    xml::PushParser parser;
    for (; bytes.size() > piece; bytes.remove_prefix(piece))
        parser.feed(bytes.substr(0, piece), false);
    parser.feed(bytes, bytes.ends_with('>'));
    if (parser.root() != nullptr) xml::start_tag(parser.root());
    if (parser.ended()) require(text::is_xml_text(xml::document_text(parser.root())));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    xml::initialise();
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    fuzz::try_reading<xml::Error>([&] { check_whole(bytes); });
    fuzz::try_reading<xml::Error>([&] { check_pieces(bytes, std::size_t{1} + data[0]); });
    fuzz::try_reading<xml::Error>([&] {
        const std::string element = set_description(bytes, "a");
        require(element.empty() || set_description(element, "a") == element);
    });
    return 0;
}
