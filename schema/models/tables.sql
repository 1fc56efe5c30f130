-- SPDX-License-Identifier: MIT
-- What both models have beside their own tables.

-- How far the index of words is (core/search.sql).
create table oai.words_state (
    single boolean primary key default true check (single),
    epoch bigint not null default 0, seq bigint not null default 0   -- those of oai.horizon
);
insert into oai.words_state default values;
