-- SPDX-License-Identifier: MIT
-- A repository of model library for the golden cases of the shipped formats: a thesis that says all, a book that says
-- little, and the two payloads. Datestamps are the first fill's own.
begin;
insert into library.collection (name, title) values ('faculty:arts', 'Faculty of Arts & Letters');
insert into library.item (id, local_id, datestamp, kind, title, title_lang, creator, subject, subject_lang, description,
    description_lang, publisher, contributor, date, type, type_lang, format, identifier, source, language, relation, coverage,
    rights, doi, urn, landing_page, licence, year, isbn, issn)
overriding system value values
    (1, 'thesis/1234', '2020-05-04 10:00:00Z', 'thesis:doctoral',
     array['Žluťoučký kůň & <jiné> barvy', 'The Yellowish Horse and Other Colours'], array['cs', 'en'],
     array['Nováková, Jana'], array['barvy', 'horses'], array['cs', 'en'],
     array['O koních.', 'About horses.'], array['cs', 'en'], array['Univerzita Karlova'], array['Dvořák, Karel'],
     array['2019-11-28'], array['Thesis'], array['en'], array['application/pdf', '120 s.'],
     array['https://example.org/thesis/1234', 'sys-000001'], array['Archiv UK'], array['cs'],
     array['https://example.org/thesis/1200'], array['Praha'], array['info:eu-repo/semantics/openAccess'],
     '10.1234/horse.1', 'urn:nbn:cz:uk-000001', 'https://example.org/thesis/1234',
     'https://creativecommons.org/licenses/by-sa/4.0/', 2019, array['9788024600000'], array['0009-0794']);
insert into library.item (id, local_id, datestamp, kind, title) overriding system value values
    (2, 'book/7', '2020-05-04 10:00:01Z', 'book', array['A Book']);
insert into library.item (id, local_id, datestamp, kind, title, year, marc) overriding system value values
    (3, 'book/8', '2020-05-04 10:00:02Z', 'map', array['Not from here'], 1862,
     '<record xmlns="http://www.loc.gov/MARC21/slim" type="Bibliographic"><leader>01427cem a22003731  4500</leader><controlfield tag="001">   99448814 </controlfield><controlfield tag="008">020710s1862    nyu       a     0   eng  </controlfield><datafield tag="010" ind1=" " ind2=" "><subfield code="a">   99448814 </subfield></datafield><datafield tag="245" ind1="1" ind2="0"><subfield code="a">Map of Charleston &amp; vicinity.</subfield></datafield></record>');
insert into library.item (id, local_id, datestamp, title, mods) overriding system value values
    (4, 'book/9', '2020-05-04 10:00:03Z', array['Not from here'],
     '<mods:mods xmlns:mods="http://www.loc.gov/mods/v3" version="3.8"><mods:titleInfo><mods:nonSort>The</mods:nonSort><mods:title>Own Record</mods:title></mods:titleInfo></mods:mods>');
-- Harvested from an aggregator that had harvested it itself; under a licence.
insert into library.item (id, local_id, datestamp, kind, title, licence, origin) overriding system value values
    (5, 'article/10', '2020-05-04 10:00:04Z', 'article', array['Second Hand'], 'https://creativecommons.org/publicdomain/zero/1.0/?a=1&b=2',
     '<originDescription xmlns="http://www.openarchives.org/OAI/2.0/provenance" harvestDate="2020-04-01T08:00:00Z" altered="true"><baseURL>http://aggregator.example.net/oai</baseURL><identifier>oai:aggregator.example.net:77</identifier><datestamp>2020-03-01</datestamp><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace><originDescription harvestDate="2020-02-02T14:10:02Z" altered="false"><baseURL>http://first.example.org/oai</baseURL><identifier>oai:first.example.org:a&amp;b</identifier><datestamp>2019-12-31T23:59:59Z</datestamp><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></originDescription></originDescription>');
insert into library.item_collection select 1, id from library.collection where name = 'faculty:arts';
commit;
