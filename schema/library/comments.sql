-- SPDX-License-Identifier: MIT
-- What a DBA reads by \d+, and what deploy/manual/schema.md says of each table, view and column.
comment on view oai.item is 'One row for each item.';
comment on view oai.membership is 'The columns of oai.item, and sets_now: the leaf sets that the item '
    'belongs to now.';
comment on view oai.record is 'The columns of oai.item, then those of the model: what stylesheets see.';
comment on view oai.dictionary is 'What the numbers in columns KIND_id of oai.record mean; stylesheets see '
    'the names as KIND.';
comment on view oai.set_place is 'What the setSpecs of names that make sets must be.';
comment on view oai.item_words is 'The index of words, as oai.search sees it.';
comment on view oai.words_state is 'How far that index is.';
comment on view oai.found_item is 'What is shown of an item that was found.';
comment on view oai.facet_root is 'Of which facet the sets below a root are.';
comment on table library.item is 'One row for each item. Any program may write here. NAME_lang: the '
    'languages of the values of NAME.';
comment on column library.item.local_id is 'What follows oai:NAMESPACE: in the identifier; behind a colon, a '
    'whole identifier from elsewhere.';
comment on column library.item.kind is 'What it is, from the general to the particular, as thesis:doctoral; '
    'the set type:KIND.';
comment on column library.item.deleted is 'Whether harvesters are told that it is deleted.';
comment on column library.item.datestamp is 'The publisher''s; a first fill may bring its own.';
comment on column library.item.set_ids is 'The publisher''s: the sets that it is published in.';
comment on column library.item.title is 'dc:title; the elements in their order.';
comment on column library.item.creator is 'dc:creator; the elements in their order.';
comment on column library.item.subject is 'dc:subject; the elements in their order.';
comment on column library.item.description is 'dc:description; the elements in their order.';
comment on column library.item.publisher is 'dc:publisher; the elements in their order.';
comment on column library.item.contributor is 'dc:contributor; the elements in their order.';
comment on column library.item.date is 'dc:date; the elements in their order.';
comment on column library.item.type is 'dc:type; the elements in their order.';
comment on column library.item.format is 'dc:format; the elements in their order.';
comment on column library.item.identifier is 'dc:identifier; the elements in their order.';
comment on column library.item.source is 'dc:source; the elements in their order.';
comment on column library.item.language is 'dc:language; the elements in their order.';
comment on column library.item.relation is 'dc:relation; the elements in their order.';
comment on column library.item.coverage is 'dc:coverage; the elements in their order.';
comment on column library.item.rights is 'dc:rights; the elements in their order.';
comment on column library.item.doi is 'As 10.1234/abc.';
comment on column library.item.urn is 'As urn:nbn:cz:abc-000001.';
comment on column library.item.landing_page is 'The address of the item''s page for people.';
comment on column library.item.licence is 'The URI of the licence.';
comment on column library.item.year is 'Of publication.';
comment on column library.item.isbn is 'Any number of them.';
comment on column library.item.issn is 'Any number of them.';
comment on column library.item.marc is 'A whole record of MARC 21 slim, given out as it is.';
comment on column library.item.mods is 'A whole element mods of MODS 3, given out as it is.';
comment on column library.item.origin is 'Where it was harvested from: elements originDescription of the '
    'provenance schema.';
comment on table library.collection is 'Collections: inserting the name faculty:arts makes the set '
    'col:faculty:arts.';
comment on column library.collection.name is 'As faculty:arts.';
comment on column library.collection.title is 'The set''s name for people; made from the name where it is '
    'not given.';
comment on table library.item_collection is 'Which item is in which collection.';
comment on column library.item_collection.id_item is 'Of library.item.';
comment on column library.item_collection.id_collection is 'Of library.collection.';
comment on table library.kind is 'Kinds of items, made by the items that have them: sets '
    'type:thesis:doctoral.';
comment on table library.language is 'Languages, made by the items that have them: sets lang:cs.';
comment on table library.language_code is 'Which codes in `language` mean which language.';
comment on table library.item_words is 'The index of the search: what `oai publish` makes of items that are '
    'published.';
comment on table library.words_state is 'One row: how far that index is. seq 0: it is made anew.';
comment on table library.fill_open is 'The loader''s: has a row only within the transaction of a first fill.';
