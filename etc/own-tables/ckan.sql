-- SPDX-License-Identifier: MIT
-- Views over the tables of CKAN, for the map ckan.ini beside this file.
create schema give;
create view give.dataset as
  select p.id, p.metadata_modified, p.title, p.author as creator, p.notes as description, p.url as identifier,
    p.license_id as rights, o.title as publisher,
    array(select t.name from public.package_tag x join public.tag t on t.id = x.tag_id
          where x.package_id = p.id and x.state = 'active' order by t.name) as subject,
    (select e.value from public.package_extra e
     where e.package_id = p.id and e.key = 'language' and e.state = 'active') as language,
    (select e.value from public.package_extra e where e.package_id = p.id and e.key = 'issued' and e.state = 'active') as date
  from public.package p left join public."group" o on o.id = p.owner_org
  where p.state = 'active' and not p.private and p.type = 'dataset';
