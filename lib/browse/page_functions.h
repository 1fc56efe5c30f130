// SPDX-License-Identifier: MIT
// The extension functions that the stylesheet of the pages calls, in the namespace
// urn:oai-fcgi:page (p):
//   p:say(id, one?, two?)           a text of the language, with values filled in
//   p:number(n)                     12,345
//   p:count(id, n)                  12,345 records
//   p:encode(text)                  the text as a value in a query
//   p:record(identifier)            the address of a record below /browse
//   p:address(text)                 the text as an address in a link
//   p:line(text)                    the text in one line of at most 2,000 bytes
//   p:json(text)                    the text as a string of JSON, in ASCII and without <, > and &
//   p:time(datestamp)               2020-02-29 12:34:56 UTC
//   p:xml(element)                  the source of the element, indented
#pragma once

#include <string>
#include <string_view>

#include "browse/catalogue.h"
#include "transform/stylesheet.h"

namespace oai {

// Offers them to a transform. `language` must outlive it.
transform::Stylesheet::Preparation page_functions(const Language& language);

}  // namespace oai
