// SPDX-License-Identifier: MIT
// The model of harvests (run_state.h): the tables of a repository that its writers change, of each
// model that ships. An item has a number, which is the end of its identifier, and a version, which
// is the last part of its URL.
#pragma once

#include <string>

namespace oai::harvest_model {

struct RepositoryModel {
    std::string formats;      // directory
    std::string items;        // table
    std::string url;          // its column with the version
    std::string filed;        // table of items in collections
    std::string filed_item;   // its column with the id of the item
    std::string collections;  // table
    std::string kind;         // what an UPDATE of items sets to change the set of the media type
    std::string names;        // SQL that makes the names of sets
    // SQL of an INSERT; "from generate_series(...) i" follows, and i is the number and the id. The
    // version comes from one sequence for all, so that no two states of an item are equal.
    std::string insert;
};

inline const RepositoryModel kWebarchiv = {
    .formats = "xslt",
    .items = "webarchiv.doc",
    .url = "url",
    .filed = "webarchiv.doc_collection",
    .filed_item = "id_doc",
    .collections = "webarchiv.collection",
    .kind = "id_mimetype = (select id from webarchiv.mimetype where name = 'image:gif')",
    .names =
        "insert into webarchiv.domain (name) values ('cz:example:www'), ('cz:example:shop'); "
        "insert into webarchiv.mimetype (name) values ('text:html'), ('image:gif')",
    .insert =
        "insert into webarchiv.doc (id, archived_time, id_domain, id_mimetype, url, surt) "
        "select i, '2007-01-01',"
        " ((select array_agg(id) from webarchiv.domain where name like 'cz:%:%'))[1 + i % 2],"
        " (select min(id) from webarchiv.mimetype where name = 'text:html'),"
        " 'http://www.example.cz/' || i || '/' || nextval('control.version'), 'cz,example)/' || i",
};

inline const RepositoryModel kLibrary = {
    .formats = "xslt/library",
    .items = "library.item",
    .url = "landing_page",
    .filed = "library.item_collection",
    .filed_item = "id_item",
    .collections = "library.collection",
    .kind = "kind = 'map'",
    .names = "insert into library.kind (name) values ('book'), ('map')",
    .insert =
        "insert into library.item (id, local_id, title, kind, language, landing_page) "
        "select i, i::text, array['Item ' || i], 'book', array[(array['cs', 'en'])[1 + i % 2]],"
        " 'http://www.example.cz/' || i || '/' || nextval('control.version')",
};

}  // namespace oai::harvest_model
