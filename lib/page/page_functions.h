// SPDX-License-Identifier: MIT
// What the pages' stylesheet calls of the program, in the namespace urn:oai-fcgi:page (p):
//   p:say(id, one?, two?)  a text of the language, with values      p:number(n)  12,345     p:count(id, n)  12,345 records
//   p:encode(text)         as a value in a query                    p:record(identifier)  the address below /browse
//   p:address(text)        as an address in a link                  p:time(datestamp)  2020-02-29 12:34:56
//   p:title(metadata, most?)   the first element of that name that holds text alone, or what MARC has for it, cut after so many
//                          bytes; "" there is none
//   p:xml(element)         the element as HTML to be looked at: escaped there, so it is written as it is
#pragma once

#include "page/catalogue.h"
#include "xml/functions.h"

namespace oai {

// `language` must live as long as they do.
xml::Functions page_functions(const Language& language);

}  // namespace oai
