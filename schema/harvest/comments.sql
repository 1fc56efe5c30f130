-- SPDX-License-Identifier: MIT
comment on table harvest.repository is 'Repositories that are harvested, and how the last harvest went.';
comment on column harvest.repository.label is 'Its first name, which sets and identifiers have.';
comment on column harvest.repository.outcome is 'Of the last run: complete, incomplete, stopped or failed.';
comment on column harvest.repository.problem is 'Why it is not complete.';
comment on view harvest.health is 'How each repository is, in a word.';
comment on column harvest.health.state is 'healthy, new, quiet, overdue, lying, moving, stale, '
    'failing, gone or refused.';
comment on column harvest.health.since is 'When it became so.';
comment on view oai.source is 'Where items come from: base_url, state, since, records, refused.';
comment on table harvest.list is 'How far each list of theirs is harvested.';
comment on column harvest.list.complete is 'The responseDate from which the next harvest asks.';
comment on table harvest.set is 'The names of their sets.';
comment on column harvest.set.gone_since is 'It no longer has the set, and records here are in it.';
comment on table harvest.record is 'What an item is at its source.';
comment on column harvest.record.identifier is 'Theirs.';
comment on column harvest.record.datestamp is 'Theirs.';
comment on column harvest.record.deleted is 'Whether it is deleted there.';
comment on table harvest.refused is 'Records that could not be taken, and why.';
comment on column harvest.refused.tries is 'How often; 0: taken, but for a part that the reason names.';
comment on table harvest.duplicate is 'Items that seem to be the same.';
comment on view harvest.duplicates is 'Items that seem to be the same, with their identifiers.';
comment on table harvest.format is 'What sources say of formats.';
comment on column harvest.format.schema is 'Where the format''s schema is.';
comment on column harvest.format.name_space is 'The format''s namespace.';
