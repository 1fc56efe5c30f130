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
//   p:axis(n)                       20M: a round number, as short as can be
//   p:kind(metadata)                the kind of thing that it describes, as kind.h finds it
//   p:readable(text)                the address with its host as people write it, or "" if that is
//                                   no other
//   p:time(datestamp)               2020-02-29 12:34:56 UTC
//   p:title(metadata, max_bytes?)   the title as title.h finds it, cut after so many bytes
//   p:xml(element)                  the source of the element as HTML, already escaped: the
//                                   stylesheet writes it as it is
#pragma once

#include "browse/catalogue.h"
#include "transform/functions.h"

namespace oai {

// `language` must outlive the functions.
transform::Functions page_functions(const Language& language);

}  // namespace oai
