-- SPDX-License-Identifier: MIT
-- Model library as the gateway of a static repository: which one, what its server said of the file that was taken in last, and
-- which items came of it. The items themselves are library.item's, like any other; `oai import-static URL` writes here, in
-- the loader's role.
create table harvest.static_repository (
    one           boolean primary key default true check (one),   -- a base URL is one repository's, and so is a database
    url           text not null check (url ~* '^https?://\S+$'),
    base_url      text not null,   -- it is served at
    collection    text not null,   -- its records are filed in; '' none
    admin_emails  text[] not null, -- its owner's
    keep          boolean not null, -- its records are kept as they are, in every format
    -- What its server sent with the file, to make the next request for it conditional; null: it sent nothing, or a
    -- file is being taken in.
    etag          text,
    last_modified text,
    taken_at      timestamptz,     -- a file was taken in whole; null: none yet
    asked_at      timestamptz,     -- its server last had what is here
    failing_since timestamptz,     -- null: not
    problem       text
);

-- Rows are written before the items: a row without an item means that the record was never taken in.
create table harvest.static_item (
    local_id text primary key
);

grant select, insert, update, delete on harvest.static_repository, harvest.static_item to oai_loader;
