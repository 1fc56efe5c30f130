-- SPDX-License-Identifier: MIT
-- Items for t/server/formats.t: rich and poor ones, every kind, many languages, hostile characters, payloads.
insert into library.collection (name, title) values ('faculty:arts', 'Faculty of Arts & <Letters>');

-- Rich, one of each kind.
insert into library.item (local_id, kind, title, title_lang, creator, subject, subject_lang, description, description_lang,
    publisher, contributor, date, type, type_lang, format, identifier, source, language, relation, coverage, rights, rights_lang,
    doi, urn, landing_page, licence, year, isbn, issn)
select 'rich/' || k, k, array['Člověk a stroj', 'Man and Machine', 'Mensch und Maschine'], array['cs', 'en', null],
    array['Čapek, Karel', 'Národní knihovna ČR'], array['stroje', 'machines', 'Q11019'], array['cs', 'en', null],
    array['O čem to je.', 'What it is about.'], array['cs', 'en-GB'], array['Univerzita Karlova', 'Aventinum'],
    array['Nováková, Jana', 'Editor'], array['1925-05-01', 'c1924'], array['text'], array['en'], array['application/pdf', '120 s.'],
    array['https://example.org/item/' || k, 'ISBN 978-80-200-0000-0', 'doi:10.1234/' || k], array['Sborník 3 (1925)'],
    array['cs', 'en_US', 'ger', 'slk', 'English, Czech'], array['https://example.org/other'], array['Praha', '1918-1938'],
    array['info:eu-repo/semantics/openAccess', 'Volné dílo'], array[null, 'cs'],
    '10.1234/' || replace(k, ':', '-'), 'urn:nbn:cz:abc-' || replace(k, ':', '-'), 'https://example.org/item/' || k,
    'https://creativecommons.org/licenses/by/4.0/', 1925, array['9788020000000'], array['0009-0794']
from unnest(array['article', 'book', 'book:part', 'conference', 'dataset', 'image', 'journal', 'lecture', 'manuscript', 'map',
    'music', 'other', 'patent', 'preprint', 'report', 'review', 'software', 'sound', 'thesis', 'thesis:bachelor',
    'thesis:master', 'thesis:doctoral', 'video', 'website', 'something:else']) k;
insert into library.item_collection select i.id, c.id from library.item i, library.collection c where c.name = 'faculty:arts';

-- Poor: nothing at all, and one thing alone.
insert into library.item (local_id) values ('poor/nothing');
insert into library.item (local_id, title) values ('poor/title', array['Alone']);
insert into library.item (local_id, creator) values ('poor/creator', array['Anonymous']);
insert into library.item (local_id, identifier) values ('poor/identifier', array['x']);
insert into library.item (local_id, year) values ('poor/year-7', 7), ('poor/year-850', 850), ('poor/year-9999', 9999);
insert into library.item (local_id, language) values ('poor/language', array['Ελληνικά']);
insert into library.item (local_id, licence) values ('poor/licence', 'http://rightsstatements.org/vocab/InC/1.0/');
insert into library.item (local_id, rights) values ('poor/rights', array['info:eu-repo/semantics/restrictedAccess']);
insert into library.item (local_id, landing_page) values ('poor/page', 'http://example.org/');
-- What each stricter format needs, and no more.
insert into library.item (local_id, title, landing_page, year) values
    ('poor/openaire', array['t'], 'http://example.org/a', 2001);
insert into library.item (local_id, kind, title, creator, subject, publisher, year) values
    ('poor/thesis', 'thesis:doctoral', array['t'], array['c'], array['s'], array['p'], 2001);
insert into library.item (local_id, title, landing_page, year, rights) values
    ('access/embargoed', array['t'], 'http://example.org/a', 2001, array['info:eu-repo/semantics/embargoedAccess']),
    ('access/restricted', array['t'], 'http://example.org/a', 2001, array['restrictedAccess']),
    ('access/closed', array['t'], 'http://example.org/a', 2001, array['info:eu-repo/semantics/closedAccess']);

-- What access says goes before rights and licence.
insert into library.item (local_id, kind, title, landing_page, year, rights, access, access_from) values
    ('access/until', 'article', array['t'], 'http://example.org/a', 2001, array['info:eu-repo/semantics/openAccess'], 'embargoed', '2999-01-01Z'),
    ('access/data', 'dataset', array['t'], 'http://example.org/a', 2001, null, 'embargoed', '2999-01-01Z'),
    ('access/restricted-too', 'article', array['t'], 'http://example.org/a', 2001, null, 'restricted', null);

-- Hostile: the same nonsense in every element.
insert into library.item (local_id, kind, title, creator, subject, description, publisher, contributor, date, type, format,
    identifier, source, language, relation, coverage, rights, doi, urn, landing_page, licence, year, isbn, issn)
select 'hostile/' || row_number() over (), 'thesis:master', array[v, v], array[v], array[v], array[v], array[v], array[v], array[v], array[v],
    array[v], array[v], array[v], array[v], array[v], array[v], array[v], '10.1234/<a>&"b"', 'urn:nbn:cz:<a>&''b''',
    'http://example.org/?a=1&b=%3C2%3E', 'http://creativecommons.org/licenses/by/4.0/?a&b', 2001, array[v], array[v]
from unnest(array['<b>&amp;</b>', ']]>', '"''', '&#0;', '<!-- -->', E'\x01\x0b\x1f', E'two\nlines', E'tab\ttab', '  ', ',', ', ', ';',
    'BEGIN:VCARD', '{curly}', '%zz', '😀中文ไทย', E'\u202Ertl\u200B', 'a' || repeat(' long', 2000)]) v;

-- Many languages.
insert into library.item (local_id, title, title_lang, language, description, description_lang, year)
select 'language/' || l, array['Title'], array[l], array[l], array['Text'], array[l], 2001
from unnest(array['cs', 'de', 'en-GB', 'zh-Hans-CN', 'sr-Latn', 'ces', 'mis', 'x-none', 'nb', 'el', 'eu', 'he']) l;

-- Payloads are given out as they are.
insert into library.item (local_id, title, year, marc) values ('payload/marc', array['Not from here'], 1862,
'<record xmlns="http://www.loc.gov/MARC21/slim" type="Bibliographic"><leader>01427cem a22003731  4500</leader><controlfield tag="001">   99448814 </controlfield><controlfield tag="008">020710s1862    nyu       a     0   eng  </controlfield><datafield tag="010" ind1=" " ind2=" "><subfield code="a">   99448814 </subfield></datafield><datafield tag="245" ind1="1" ind2="0"><subfield code="a">Map of &lt;Charleston&gt; &amp; vicinity.</subfield></datafield><datafield tag="651" ind1=" " ind2="0"><subfield code="a">Charleston Region (S.C.)</subfield><subfield code="x">History</subfield></datafield></record>');
insert into library.item (local_id, title, year, mods) values ('payload/mods', array['Not from here'], 1988,
'<mods:mods xmlns:mods="http://www.loc.gov/mods/v3" version="3.8"><mods:titleInfo><mods:nonSort>The</mods:nonSort><mods:title>Own Record</mods:title></mods:titleInfo><mods:name type="personal"><mods:namePart>Someone</mods:namePart></mods:name></mods:mods>');
