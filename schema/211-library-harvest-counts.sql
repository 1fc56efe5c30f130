-- SPDX-License-Identifier: MIT
-- What has come of a harvest of a list so far, over all of its runs, and what of that was not asked for (tools/harvest/sink.h,
-- ListCounts); records are counted beside it.
alter table harvest.list add column counts jsonb not null default '{}';
