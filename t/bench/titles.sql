-- SPDX-License-Identifier: MIT
-- Writes the index of words of a web archive (schema/113-webarchiv-words.sql) for made-up titles, one for every fourth HTML capture, so
-- that the search can be measured at a size that nobody has titles of. Six words out of 100,000, of which the first ones are common,
-- and one that no other title has: t12 for the capture 12. The captures themselves get no titles.
\set ON_ERROR_STOP on
set jit = off;
set maintenance_work_mem = '512MB';
truncate webarchiv.page_words;
drop index webarchiv.page_words_words;
select setseed(0.5);
insert into webarchiv.page_words (key, id, seq, set_ids, year, language, words)
select md5(d.id::text)::uuid, d.id, d.seq, d.set_ids, extract(year from d.archived_time), 'cs',
       setweight(to_tsvector('oai.words', concat_ws(' ', 't' || d.id, 'w' || floor(exp(random() * 11.5)), 'w' || floor(exp(random() * 11.5)), 'w' || floor(exp(random() * 11.5)))), 'A')
       || setweight(to_tsvector('oai.words', concat_ws(' ', 'w' || floor(exp(random() * 11.5)), 'w' || floor(exp(random() * 11.5)), 'w' || floor(exp(random() * 11.5)))), 'C')
       || array_to_tsvector(array(select distinct '~s' || p from unnest(d.set_ids) p union select '~y' || extract(year from d.archived_time) union select '~lcs'))
from webarchiv.doc d where d.id % 4 = 0 and not d.deleted and d.seq is not null and d.id_mimetype = (select id from webarchiv.mimetype where name = 'text:html');
create index page_words_words on webarchiv.page_words using gin (words) with (gin_pending_list_limit = 1024);
vacuum analyze webarchiv.page_words;
update webarchiv.words_state set epoch = o.epoch, seq = o.last_seq from oai.horizon o where o.h is not null;
