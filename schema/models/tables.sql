-- SPDX-License-Identifier: MIT
-- What both models have beside their own tables.

create table oai.words_state (   --- One row: how far the index of words is. seq 0: it is made anew.
    single boolean primary key default true check (single),
    epoch bigint not null default 0, seq bigint not null default 0   -- those of oai.horizon
);
insert into oai.words_state default values;
