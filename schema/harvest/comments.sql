-- SPDX-License-Identifier: MIT
-- What a DBA reads by \d+, and what deploy/manual/schema.md says of each table, view and column.
comment on table harvest.repository is 'Repositories that are harvested, and how the last harvest went.';
comment on column harvest.repository.outcome is 'Of the last run: complete, incomplete, stopped or failed.';
comment on column harvest.repository.problem is 'Why it is not complete.';
comment on view harvest.health is 'How each repository is, in a word.';
comment on column harvest.health.state is 'healthy, new, overdue, lying, stale, failing, gone or refused.';
comment on column harvest.health.since is 'When it became so.';
comment on view oai.source is 'Where items come from: what the page of sources shows.';
comment on table harvest.list is 'How far each list of theirs is harvested.';
comment on column harvest.list.complete is 'The responseDate from which the next harvest asks.';
comment on table harvest.set is 'The names of their sets.';
comment on column harvest.set.gone_since is 'It no longer has the set, and records here are in it.';
comment on table harvest.record is 'What an item is at its source.';
comment on column harvest.record.identifier is 'Theirs.';
comment on column harvest.record.datestamp is 'Theirs.';
comment on column harvest.record.deleted is 'Whether it is deleted there.';
comment on table harvest.duplicate is 'Items that seem to be the same.';
comment on view harvest.duplicates is 'Items that seem to be the same, with their identifiers.';
comment on table harvest.static_repository is 'The static repository that this one is the gateway of.';
comment on column harvest.static_repository.failing_since is 'Its file cannot be taken in since then.';
comment on column harvest.static_repository.problem is 'Why.';
comment on table harvest.static_item is 'Which items came of it.';
comment on table harvest.static_format is 'The formats that it names.';
comment on column harvest.static_format.schema is 'Where the format''s schema is.';
comment on column harvest.static_format.name_space is 'The format''s namespace.';
