-- SPDX-License-Identifier: MIT
-- Views over the tables of OJS, for the map ojs.ini beside this file.
create schema give;
create view give.article as
  select 'article/' || s.submission_id as id, s.last_modified at time zone 'UTC' as last_modified,
    array(select regexp_replace(t.setting_value, '<[^>]+>', '', 'g') from public.publication_settings t
          where t.publication_id = p.publication_id and t.setting_name = 'title'
          order by t.locale <> s.locale, t.locale) as title,
    array(select concat_ws(', ', max(n.setting_value) filter (where n.setting_name = 'familyName'),
                                 max(n.setting_value) filter (where n.setting_name = 'givenName'))
          from public.authors a join public.author_settings n on n.author_id = a.author_id and n.locale = s.locale
          where a.publication_id = p.publication_id group by a.author_id order by a.seq) as creator,
    p.date_published as date, d.doi as identifier, j.path || ':' || c.setting_value as spec, t.setting_value as name
  from public.submissions s join public.publications p on p.publication_id = s.current_publication_id
  join public.journals j on j.journal_id = s.context_id and j.enabled = 1
  join public.publication_settings i on i.publication_id = p.publication_id and i.setting_name = 'issueId'
  join public.issues u on u.issue_id::text = i.setting_value and u.published = 1
  join public.section_settings c on c.section_id = p.section_id and c.setting_name = 'abbrev' and c.locale = j.primary_locale
  join public.section_settings t on t.section_id = p.section_id and t.setting_name = 'title' and t.locale = j.primary_locale
  left join public.dois d on d.doi_id = p.doi_id where s.status = 3;
create view give.removed as
  select 'article/' || data_object_id as id, set_spec as spec, set_name as name, date_deleted as datestamp
  from public.data_object_tombstones;
