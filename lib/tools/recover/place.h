// SPDX-License-Identifier: MIT
// Chooses the place of a document in a browsable tree of files. Pure.
#pragma once

#include <string>
#include <string_view>

namespace oai::recover {

// Returns a path below the tree, of names joined by "/": the host, the directories of the URL's
// path, and a file name whose extension matches the media type; "" for a URL without a host, or of
// another scheme than http, https and ftp. The path never leaves the tree, and is valid and means
// the same on every system: no name is empty, begins or ends with a dot, has other bytes than
// A-Za-z0-9 and -._~!$'()+,;=@% , is a device of Windows (con, nul.txt) or much longer than 200
// bytes, and no path is longer than some 1,600 bytes. No path is a directory of another: file names
// always contain a dot, and directory names that contain one end in "~". Few different URLs have
// the same path, such as http://a/ and http://a/index.html, or paths that differ only in case.
std::string place_of(std::string_view url, std::string_view media_type);

// Whether place_of() may have returned it: two or more names of those bytes, none of which begins
// with a dot.
bool is_place(std::string_view path);

// The identity of a document within a tree: its URL without scheme, user and fragment, with the
// host in lower case; "" as above.
std::string tree_key(std::string_view url);

// The host of a URL, without a port: "a.org", "[2001:db8::1]"; "" if it has none.
std::string host_of(std::string_view url);

// The relative reference from one place to another: "../b/c.html". '%' becomes "%25".
std::string relative_reference(std::string_view from, std::string_view to);

}  // namespace oai::recover
