-- SPDX-License-Identifier: MIT
-- The view of 108-webarchiv-filing.sql, at a tenth of its cost where there are hundreds of collections: a doc's sets are looked up
-- in a hash of all of them, which a query makes once. "is true" keeps PostgreSQL from making a join of it for each doc.
create or replace view oai.membership as
    select d.id, d.seq, d.id::text as local_id, d.datestamp, d.deleted, d.set_ids,
           array_remove(array[d.id_domain, d.id_mimetype], null)
           || case when exists (select from webarchiv.refiling r where r.id_doc = d.id)
                   then array(select s.id from unnest(d.set_ids) s(id)
                              where exists (select from webarchiv.collection n where n.id = s.id)
                                and not exists (select from webarchiv.refiling r
                                                where r.id_doc = d.id and r.id_collection = s.id and not r.filed)
                              union
                              select r.id_collection from webarchiv.refiling r where r.id_doc = d.id and r.filed
                              order by 1)
                   else array(select s.id from unnest(d.set_ids) s(id)
                              where (s.id in (select n.id from webarchiv.collection n)) is true order by 1) end as sets_now
    from webarchiv.doc d;
