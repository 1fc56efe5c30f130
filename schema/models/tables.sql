-- SPDX-License-Identifier: MIT
-- What both models have beside their own tables.

create table oai.words_state (   --- How far the index of words is. seq 0: it is made anew.
    view integer primary key default 0,   -- oai.view, if it has an index of its own; 0: the repository itself
    epoch bigint not null default 0, seq bigint not null default 0   -- those of oai.horizon
);
insert into oai.words_state default values;
