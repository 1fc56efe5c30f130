-- SPDX-License-Identifier: MIT
-- A column of a large table, which is not rewritten for it.
alter table webarchiv.doc add column note text default 'none';
