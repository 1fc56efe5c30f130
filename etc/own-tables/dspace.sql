-- SPDX-License-Identifier: MIT
-- Views over the tables of DSpace 7, for the map dspace.ini beside this file.
create schema give;
create view give.value as
  select v.dspace_object_id as id, concat_ws('.', f.element, f.qualifier) as field, v.text_value as value, v.place
  from public.metadatavalue v join public.metadatafieldregistry f using (metadata_field_id)
  join public.metadataschemaregistry s using (metadata_schema_id) where s.short_id = 'dc' and v.text_value <> '';
create view give.item as
  select h.handle, i.last_modified, i.uuid,
    array(select v.value from give.value v where v.id = i.uuid and v.field in ('title', 'title.alternative')
          order by v.field, v.place) as title,
    array(select v.value from give.value v where v.id = i.uuid and v.field = 'contributor.author'
          order by v.place) as creator,
    array(select v.value from give.value v where v.id = i.uuid and v.field = 'subject' order by v.place) as subject,
    array(select v.value from give.value v where v.id = i.uuid and v.field = 'date.issued') as date,
    array(select v.value from give.value v where v.id = i.uuid and v.field = 'identifier.uri') as identifier,
    (select min(coalesce(p.start_date, '2000-01-01')) from public.resourcepolicy p join public.epersongroup g
     on g.uuid = p.epersongroup_id where p.dspace_object = i.uuid and p.action_id = 0 and g.name = 'Anonymous') as opens
  from public.item i join public.handle h on h.resource_id = i.uuid where i.in_archive and not i.withdrawn;
create view give.collection as
  select h.handle, 'col_' || replace(c.handle, '/', '_') as spec, v.value as name
  from public.collection2item m join public.handle h on h.resource_id = m.item_id
  join public.handle c on c.resource_id = m.collection_id
  left join give.value v on v.id = m.collection_id and v.field = 'title';
create view give.withdrawn as
  select h.handle, i.last_modified from public.item i join public.handle h on h.resource_id = i.uuid where i.withdrawn;
