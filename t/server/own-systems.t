#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The views and maps that deploy/manual/own-systems.md shows how to use (etc/own-tables) over tables of these systems
# (t/data/own-systems): what is harvested from the last responseDate on, and by each change of the tables, is what the views say,
# and nothing else is published.
use OwnTables;
use TestProgram;

my $page = slurp("$root/deploy/manual/own-systems.md");
my %named = map { ($_ => 1) } $page =~ /`(\w+\.(?:sql|ini))`/g;
is_deeply [sort keys %named], [map { s{.*/}{}r } sort glob "$root/etc/own-tables/*"], 'the page names each file, and no other';
is join(' ', grep { !$named{$_} } $page =~ /^ +\$ .*?(\w+\.(?:sql|ini))\b/mg), '', 'and its commands use them';

sub mount {
    my ($name) = @_;
    begin($name);
    $db->run(map { slurp("$root/$_/$name.sql") } 't/data/own-systems', 'etc/own-tables');
    spew($map, my $lines_of_map = slurp("$root/etc/own-tables/$name.ini"));
    my $lines = () = $lines_of_map =~ /^[^#\s]/mg;
    cmp_ok $lines, '<=', 30, "$name is mounted by $lines lines";
    my $words = mapped('  which oai map takes', $map);
    like $words, qr/changes are seen by triggers on/, '  by triggers';
    publish() for 1, 2;   # the second round opens the lists
    return $words;
}
# Everything that harvesters have is what the views have, beside what is deleted; the columns are those of harvest().
sub like_the_view {
    my ($what, $view, $key, $specs) = @_;
    publish();
    my @live = map { join ' ', @$_[0 .. 1], "[$_->[3]]", "($_->[2])" } $db->rows(
        "select v.$key, v.title[1], array_to_string(v.creator, '; '), (select coalesce(string_agg(s.spec, ' ' order by s.spec collate \"C\"), '') from ($specs) s(id, spec) where s.id = v.$key) from ($view) v order by v.$key collate \"C\"");
    my @found = grep { !/ deleted / } split m{, (?=12/|p\d|r-\d|article/)}, harvest();
    is join("\n", @found), join("\n", @live), "$what: what is harvested is what the view has";
    without_difference($what);
    return;
}

subtest 'dspace' => sub {
    my $words = mount('dspace');
    unlike $words, qr/depends on the time/, '  and knows when an embargo ends';
    my @compare = ('select * from give.item where opens <= current_date', 'handle', 'select handle, spec from give.collection');
    like_the_view('at first', @compare);
    like harvest(), qr{12/4 deleted \[col_12_11\]}, 'what was withdrawn before is a deleted record, in its set';
    like oai('get', 'verb=ListSets'), qr{<setSpec>col_12_11</setSpec>\n<setName>Collection 11</setName>}, 'a set is called as the collection is';
    like oai('get', 'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:mag.example:12/1'), qr{<dc:title>Title 1</dc:title><dc:title>Jin\S+</dc:title>.*<dc:date>2019-05</dc:date>}s, 'titles of both fields, and no others';
    # DSpace writes each value of an edited item anew, in a statement of its own.
    my $edit = sub { my ($n, $title) = @_; return map { "insert into metadatavalue (metadata_field_id, text_value, text_lang, place, dspace_object_id) select metadata_field_id, "
        . "case when metadata_field_id = 1 then coalesce(@{[$title ? qq('$title') : 'null']}, text_value) else text_value end, text_lang, place, dspace_object_id from metadatavalue where metadata_value_id = $_", "delete from metadatavalue where metadata_value_id = $_" }
        map { $_->[0] } $db->rows("select metadata_value_id from metadatavalue where dspace_object_id = id($n) order by 1") };
    touches('an edit that changes nothing', [$edit->(1), 'update item set last_modified = now() where uuid = id(1)'], '');
    touches('a new title', [$edit->(1, 'New')], '12/1');
    touches('an item is withdrawn', "update item set withdrawn = true, in_archive = false where uuid = id(2)", '12/2');
    touches('the one of before comes back', "update item set withdrawn = false, in_archive = true where uuid = id(4)", '12/4');
    touches('a provenance note', "insert into metadatavalue (metadata_field_id, text_value, place, dspace_object_id) values (7, 'Moved', 0, id(1))", '');
    touches('a workflow ends', 'update item set in_archive = true where uuid = id(5)', '12/5');
    touches('another collection', 'insert into collection2item values (id(11), id(1))', '12/1');
    touches('the group of a policy', 'update resourcepolicy set epersongroup_id = id(20) where policy_id = 7', '12/7');
    touches('a collection is renamed, which tells harvesters nothing', "update metadatavalue set text_value = 'Renamed' where dspace_object_id = id(11)", '');
    like oai('get', 'verb=ListSets'), qr{<setSpec>col_12_11</setSpec>\n<setName>Renamed</setName>}, '  but ListSets';
    touches('a shorter embargo', 'update resourcepolicy set start_date = current_date + 1 where policy_id = 6', '');
    # A day passes: the item is due, and the embargo has ended.
    touches('an embargo ends', ['alter table resourcepolicy disable trigger all', 'update resourcepolicy set start_date = current_date where policy_id = 6',
        (map { "alter table resourcepolicy enable always trigger oai_${_}_3" } qw(insert update delete truncate)), "update library.mapped set again = now() where local_id = '12/6'"], '12/6');
    publish();
    touches('one begins', "update resourcepolicy set start_date = current_date + 2 where policy_id = 6", '12/6');
    is $db->value("select count(*) from library.mapped where local_id = '12/6' and again > now()"), 1, '  and its end is known';
    like_the_view('in the end', @compare);
    touches('a view is replaced', 'create or replace view give.value as select v.dspace_object_id as id, concat_ws(\'.\', f.element, f.qualifier) as field, upper(v.text_value) as value, v.place
        from public.metadatavalue v join public.metadatafieldregistry f using (metadata_field_id) where f.metadata_schema_id = 1', join ' ', map { "12/$_" } 1, 10, 3, 4, 5, 7, 8, 9);
};

subtest 'ckan' => sub {
    mount('ckan');
    my @compare = (q{select id, array[title] as title, array[nullif(creator, '')] as creator from give.dataset}, 'id', "select m.table_id, g.name from member m join \"group\" g on g.id = m.group_id where m.state = 'active' and g.state = 'active' union all select id, 'lang:' || language from give.dataset where language <> ''");
    like_the_view('at first', @compare);
    like harvest(), qr/p4 deleted \[water\]/, 'what was deleted before is a deleted record';
    like oai('get', 'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:mag.example:p1'), qr{<dc:subject>tag 1</dc:subject><dc:subject>tag 2</dc:subject><dc:description>Notes.*<dc:publisher>The Office.*<dc:language>cs}s, 'tags that are not deleted';
    touches('an edit as CKAN does it', ["update package set title = 'New', metadata_modified = now() where id = 'p1'", "update package_extra set value = value where id = 'e1'", map { "update package_tag set state = state where id = 'x1$_'" } 1 .. 3], 'p1');
    touches('one that changes nothing', "update package set metadata_modified = now() where id = 'p1'", '');
    touches('a deleted tag', "update package_tag set state = 'deleted' where id = 'x11'", 'p1');
    touches('a tag is renamed', "update tag set name = 'tag two' where id = 't2'", join ' ', map { "p$_" } 1, 2, 7, 8);
    touches('an organization', "update \"group\" set title = 'The Bureau' where id = 'o1'", join ' ', map { "p$_" } 1, 2, 7, 8);
    touches('a group that is back', "update \"group\" set state = 'active' where id = 'g2'", join ' ', map { "p$_" } 1, 7, 8);
    touches('a dataset is deleted', "update package set state = 'deleted' where id = 'p7'", 'p7');
    touches('a draft is published', "update package set state = 'active' where id = 'p5'", 'p5');
    like_the_view('in the end', @compare);
    like((map_tables(spew("$dir/less.ini", slurp("$root/etc/own-tables/ckan.ini") =~ s/^\[also tag\]\njoin.*\n//mr)))[1], qr/less\.ini:4: public\.tag is read, and nobody would see its changes: write \[also public\.tag\]/, 'a map that leaves a table out is refused');
};

subtest 'inveniordm' => sub {
    mount('inveniordm');
    my @compare = ('select id, array[title] as title, creator from give.record', 'id', "select r.json ->> 'id', 'community-' || m.slug from rdm_records_metadata r join rdm_parents_community c on c.record_id = r.parent_id join communities_metadata m on m.id = c.community_id");
    like_the_view('at first', @compare);
    like harvest(), qr/r-4 deleted \[\]/, 'a tombstone is a deleted record';
    touches('an edit as InvenioRDM does it', "update rdm_records_metadata set json = jsonb_set(json, '{metadata,title}', '\"New\"'), updated = now(), version_id = version_id + 1 where id = id(1)", 'r-1');
    touches('one that changes nothing', 'update rdm_records_metadata set updated = now(), version_id = version_id + 1', '');
    touches('an identifier', "update rdm_records_metadata set json = jsonb_set(json, '{id}', '\"r-2x\"') where id = id(2)", 'r-2 r-2x');
    touches('two versions leave their community', 'delete from rdm_parents_community where record_id = id(5)', 'r-5 r-5b');
    touches('a community is renamed', "update communities_metadata set slug = 'ants', json = '{\"metadata\": {\"title\": \"Ants\"}}' where id = id(2)", 'r-1');
    like oai('get', 'verb=ListSets'), qr{<setSpec>community-ants</setSpec>\n<setName>Ants</setName>}, '  a new set';
    touches('what was restricted', "update rdm_records_metadata set json = jsonb_set(json, '{access,record}', '\"public\"') where id = id(3)", 'r-3');
    touches('a deletion', "update rdm_records_metadata set deletion_status = 'D' where id = id(6)", 'r-6');
    touches('a row that is gone', 'delete from rdm_records_metadata where id = id(7)', 'r-7');
    like_the_view('in the end', @compare);
};

subtest 'ojs' => sub {
    mount('ojs');
    my @compare = ('select * from give.article', 'id', 'select id, spec from give.article');
    like_the_view('at first', @compare);
    like harvest(), qr{article/99 deleted \[bees:OLD\]}, 'a tombstone is a deleted record, in its set';
    like oai('get', 'verb=ListSets'), qr{<setSpec>bees:S1</setSpec>\n<setName>Section 1</setName>}, 'sets are called as sections are';
    like oai('get', 'verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:mag.example:article/1'), qr{<datestamp>2021-01-02T00:00:00Z</datestamp>.*<dc:title>Article 1</dc:title><dc:title>\S+nek 1</dc:title><dc:creator>First, A.</dc:creator><dc:creator>Second, A.}s, 'a record';
    # A version is a copy of the one of before, which is published later.
    my @version = ("insert into publications (publication_id, date_published, section_id, submission_id, status, version, doi_id) select 500, null, section_id, submission_id, 1, 2, doi_id from publications where publication_id = 10",
        "insert into publication_settings select 500, locale, setting_name, case when setting_name = 'title' then 'Version 2' else setting_value end from publication_settings where publication_id = 10",
        'insert into authors (author_id, publication_id, seq) values (5000, 500, 0)', "insert into author_settings values (5000, 'en', 'familyName', 'Only')");
    touches('a version that is not published', \@version, '');
    touches('  and then is', ["update publications set status = 3, date_published = '2022-01-01' where publication_id = 500", 'update submissions set current_publication_id = 500, last_modified = now() where submission_id = 1'], 'article/1');
    touches('the one of before', "update publication_settings set setting_value = 'Old' where publication_id = 10", '');
    touches('an issue is published', 'update issues set published = 1 where issue_id = 2', 'article/4');
    touches('a section is renamed, which tells harvesters nothing', "update section_settings set setting_value = 'Letters' where section_id = 1 and locale = 'en' and setting_name = 'title'", '');
    like oai('get', 'verb=ListSets'), qr{<setSpec>bees:S1</setSpec>\n<setName>Letters</setName>}, '  but ListSets';
    touches('a journal opens', 'update journals set enabled = 1 where journal_id = 2', 'article/5');
    touches('an article is removed, with a tombstone', ["insert into data_object_tombstones (data_object_id, date_deleted, set_spec, set_name) values (6, now(), 'bees:S1', 'Letters')", 'delete from author_settings where author_id / 100 = 6', 'delete from submissions where submission_id = 6'], 'article/6');
    touches('an author', "update author_settings set setting_value = 'Third' where author_id = 202 and setting_name = 'familyName'", 'article/2');
    like_the_view('in the end', @compare);
};
undef $db;
done_testing;
