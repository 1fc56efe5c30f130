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
comment on view oai.capture is 'What is shown of a capture when addresses are looked up.';
comment on table webarchiv.doc is 'One row for each capture in an ARC or WARC file. Any program may write '
    'here.';
comment on column webarchiv.doc.id is 'Its local_id.';
comment on column webarchiv.doc.url is 'The address that was archived.';
comment on column webarchiv.doc.surt is 'The address as it is sorted and looked up: cz,nkp)/katalog?a=1.';
comment on column webarchiv.doc.archived_time is 'When it was archived.';
comment on column webarchiv.doc.id_arc is 'The file that has it: webarchiv.arc.';
comment on column webarchiv.doc.doc_offset is 'Where the record begins in its file, in compressed bytes '
    'where it is compressed.';
comment on column webarchiv.doc.length is 'Of the record in its file, in bytes.';
comment on column webarchiv.doc.status is 'The answer''s HTTP status.';
comment on column webarchiv.doc.digest is 'Of the content, as the archive has it.';
comment on column webarchiv.doc.deleted is 'Whether harvesters are told that it is deleted.';
comment on column webarchiv.doc.datestamp is 'The publisher''s; a first fill may bring its own.';
comment on column webarchiv.doc.set_ids is 'The publisher''s: the sets that it is published in.';
comment on column webarchiv.doc.title is 'What the document calls itself, in one line; null where nobody '
    'knows it.';
comment on column webarchiv.doc.language is 'The document''s language: BCP 47 in lower case, as cs or pt-br.';
comment on column webarchiv.doc.description is 'What the document says of itself, in one line.';
comment on table webarchiv.arc is 'The archive files, by name.';
comment on column webarchiv.arc.file is 'The name of the file.';
comment on table webarchiv.collection is 'Collections: inserting a name makes the set col:NAME and its '
    'ancestors.';
comment on column webarchiv.collection.name is 'As culture:estonia.';
comment on column webarchiv.collection.title is 'The set''s name for people; made from the name where it is '
    'not given.';
comment on table webarchiv.domain is 'Hosts, turned round: the name cz:nkp:www makes the set dom:cz:nkp:www.';
comment on table webarchiv.mimetype is 'Media types: the name image:png makes the set mim:image:png.';
comment on view webarchiv.doc_collection is 'Which capture is in which collection; written like a table.';
comment on column webarchiv.doc_collection.id_doc is 'Of webarchiv.doc.';
comment on column webarchiv.doc_collection.id_collection is 'Of webarchiv.collection.';
comment on table webarchiv.refiling is 'Of collections, what the publisher does not have yet.';
comment on table webarchiv.page_words is 'The index of the search: what `oai publish` makes of titles.';
comment on table webarchiv.words_state is 'One row: how far that index is. seq 0: it is made anew.';
comment on table webarchiv.fill_open is 'The loader''s: has a row only within the transaction of a first '
    'fill.';
