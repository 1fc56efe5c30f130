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
//   p:readable(text)                the address with its host as people write it, or "" if that is
//                                   no other
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

// p:readable(): an address that begins with http:// or https://, or a host with or without a path
// behind it, with each A-label as the letters that it stands for (IDNA 2008, by libidn2). Those may
// look like others, so whoever shows it shows the A-labels beside it, and links by these alone. ""
// if there is none, if a label is no right A-label, or if the address has a user's name, which may
// look like a host. Pure; thread-safe.
std::string readable_host(std::string_view address);

}  // namespace oai
