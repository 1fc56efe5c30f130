-- SPDX-License-Identifier: MIT
-- What a DBA reads by \d+, and what deploy/manual/schema.md says of each table, view and column.
comment on table oai.set is 'The sets. Write description, name and sets of your own; the publisher counts.';
comment on column oai.set.spec is 'The setSpec; it lies below that of parent.';
comment on column oai.set.name is 'The setName, for people.';
comment on column oai.set.parent is 'The set above; null: the root of a tree.';
comment on column oai.set.item_count is 'Published items, those of descendants included; the publisher''s.';
comment on column oai.set.description is 'For ListSets: an element in its namespace, or text.';
comment on table oai.set_chunk is 'Publication numbers of each set, less oai.base_of(first_seq).';
comment on table oai.horizon is 'One row: how far the repository is published; the publisher''s.';
comment on column oai.horizon.h is 'Published up to this second, inclusive; null: not numbered yet.';
comment on column oai.horizon.last_seq is 'The highest publication number.';
comment on column oai.horizon.item_count is 'How many items are published.';
comment on column oai.horizon.epoch is 'Of the numbering: a repository that is filled anew has another.';
comment on table oai.queue is 'Changed items. To have an item published again, insert its id.';
comment on column oai.queue.id is 'Of an item.';
comment on table oai.fork is 'Where the database went on from an earlier state (failover, backup).';
comment on table oai.calendar is 'Where datestamps begin in the order of publication numbers.';
comment on table oai.batch is 'Transactions whose changes wait in oai.queue.';
comment on table oai.walk is 'One row: what the publisher has looked at in the queue.';
comment on table oai.rule is 'Conditions that make sets, and what formats require.';
comment on table oai.rule_problem is 'Files of sets that are not in force as they are, and why.';
comment on table oai.excluded is 'Records that are left out of a format, since its stylesheet fails on them.';
comment on table oai.exclusions is 'One row: a number that changes with oai.excluded.';
comment on table oai.schema_version is 'What `oai schema install` has applied.';
