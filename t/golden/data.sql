-- SPDX-License-Identifier: MIT
-- The repository of the golden cases, in model webarchiv: small, fixed, with every kind of record that the protocol
-- tells apart. Datestamps are the first fill's own, so answers are the same on every run.
begin;

insert into webarchiv.domain (name) values ('cz:webarchiv:www'), ('cz:nkp'), ('ee:etv24:www'), ('ip:192.0.2.1');
insert into webarchiv.mimetype (name) values ('text:html'), ('image:png'), ('image:svg~2Bxml'), ('application:pdf');
insert into webarchiv.collection (name, title) values
    ('culture:estonia', 'Estonian culture & <arts>'), ('elections', 'Elections'), ('empty', 'Nothing yet');
update oai.set set description =
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd"><dc:description>What voters read</dc:description></oai_dc:dc>'
    where spec = 'col:elections';
-- Text becomes Dublin Core; a document is given out without its declaration; what is no element is left out.
update oai.set set description = 'What is &lt;old&gt; &amp; Estonian' where spec = 'col:culture:estonia';
update oai.set set description = xmlparse(document '<?xml version="1.0" standalone="yes"?><!-- ours --><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd"><dc:description>Of images</dc:description></oai_dc:dc>')
    where spec = 'mim:image';
update oai.set set description = 'two <b>things</b>' where spec = 'col:empty';
insert into webarchiv.arc (file) values ('golden-1.warc.gz');

-- Three records of one second; the last second of a year and the first of the next; a leap day to its end; deleted
-- records at the start of a page, in mid-list and as the last.
insert into webarchiv.doc (id, datestamp, deleted, url, surt, archived_time, digest, length, status, doc_offset, id_arc,
                           id_domain, id_mimetype)
select v.id, v.datestamp, v.deleted, v.url, v.surt, v.datestamp - interval '1 day', v.digest, 1000 + v.id, 200,
       4096 * v.id, a.id, d.id, m.id
from (values
    (1, timestamptz '2019-03-01 10:00:00Z', false, 'http://www.webarchiv.cz/', 'cz,webarchiv,www)/', 'sha1:AAAA', 'cz:webarchiv:www', 'text:html'),
    (2, '2019-03-01 10:00:00Z', false, 'http://www.webarchiv.cz/logo.png', 'cz,webarchiv,www)/logo.png', 'sha1:AAAB', 'cz:webarchiv:www', 'image:png'),
    (3, '2019-03-01 10:00:00Z', false, 'http://www.etv24.ee/', 'ee,etv24,www)/', 'sha1:AAAC', 'ee:etv24:www', 'text:html'),
    (4, '2019-12-31 23:59:59Z', false, 'http://www.etv24.ee/uudised', 'ee,etv24,www)/uudised', 'sha1:AAAD', 'ee:etv24:www', 'text:html'),
    (5, '2020-01-01 00:00:00Z', true, 'http://www.nkp.cz/gone', 'cz,nkp)/gone', 'sha1:AAAE', 'cz:nkp', 'text:html'),
    (6, '2020-02-29 00:00:00Z', false, 'http://nkp.cz/find?a=1&b=<2>"3"', 'cz,nkp)/find?a=1&b=<2>"3"', 'sha1:AAAF', 'cz:nkp', 'application:pdf'),
    (7, '2020-02-29 23:59:59Z', false, 'http://nkp.cz/žluťoučký-kůň', 'cz,nkp)/žluťoučký-kůň', null, 'cz:nkp', 'text:html'),
    (8, '2020-03-01 00:00:00Z', false, 'http://192.0.2.1/plan.svg', '192.0.2.1)/plan.svg', 'sha1:AAAH', 'ip:192.0.2.1', 'image:svg~2Bxml'),
    (9, '2021-05-31 23:59:59Z', false, 'http://www.webarchiv.cz/broken', 'cz,webarchiv,www)/broken', 'sha1:AAAI', 'cz:webarchiv:www', 'text:html'),
    (10, '2021-06-01 12:30:45Z', true, 'http://192.0.2.1/gone.png', '192.0.2.1)/gone.png', 'sha1:AAAJ', 'ip:192.0.2.1', 'image:png'),
    (11, '2021-06-02 00:00:00Z', false, 'http://www.webarchiv.cz/broken/too', 'cz,webarchiv,www)/broken/too', null, 'cz:webarchiv:www', 'text:html'),
    (12, '2022-07-15 08:00:00Z', false, 'http://www.etv24.ee/valimised', 'ee,etv24,www)/valimised', 'sha1:AAAL', 'ee:etv24:www', 'text:html'),
    (13, '2022-07-15 08:00:01Z', false, 'http://www.etv24.ee/tulemused.pdf', 'ee,etv24,www)/tulemused.pdf', 'sha1:AAAM', 'ee:etv24:www', 'application:pdf'),
    (14, '2023-10-08 20:00:00Z', true, 'http://www.etv24.ee/old.png', 'ee,etv24,www)/old.png', 'sha1:AAAN', 'ee:etv24:www', 'image:png')
) v (id, datestamp, deleted, url, surt, digest, domain, mimetype)
cross join webarchiv.arc a
join webarchiv.domain d on d.name = v.domain
join webarchiv.mimetype m on m.name = v.mimetype
order by v.id;

insert into webarchiv.doc_collection (id_doc, id_collection)
select v.id, c.id
from (values (3, 'culture:estonia'), (4, 'culture:estonia'), (4, 'elections'), (12, 'elections'), (13, 'elections'),
             (14, 'elections')) v (id, name)
join webarchiv.collection c on c.name = v.name;

commit;
