-- SPDX-License-Identifier: MIT
-- Captures for t/server/formats.t: rich and poor ones, every media class, hostile and foreign characters.
insert into webarchiv.domain (name) values ('cz:webarchiv:www'), ('ee:etv24:www'), ('ip:192.0.2.1');
insert into webarchiv.mimetype (name) values
    ('text:html'), ('text:plain'), ('text:csv'), ('text:javascript'), ('application:pdf'), ('application:xhtml~2Bxml'),
    ('application:json'), ('application:zip'), ('application:x-shockwave-flash'), ('application:octet-stream'),
    ('application:java-archive'), ('application:vnd.oasis.opendocument.text'),
    ('image:png'), ('image:svg~2Bxml'), ('audio:mpeg'), ('video:mp4'), ('unknown');
insert into webarchiv.collection (name, title) values
    ('culture:estonia', 'Estonian culture & <arts>'), ('elections', E'Volby \u2013 Přes 100 % "krajů"');
insert into webarchiv.arc (file) values ('IAH-20070501-00042.arc.gz'), ('odd & <"file">.warc.gz');

-- Rich: one for each media type.
insert into webarchiv.doc (url, surt, archived_time, digest, length, status, doc_offset, id_arc, id_domain, id_mimetype)
select 'http://www.webarchiv.cz/' || m.name, 'cz,webarchiv,www)/' || m.name, timestamptz '2007-05-01 12:00:00Z' + m.id * interval '1 day',
       'sha1:QVYVLZ2RKSMS3HHZQYAEPLTWG3QLM4XW', 1000 + m.id, 200, 4096 * m.id::bigint, a.id, d.id, m.id
from webarchiv.mimetype m, webarchiv.arc a, webarchiv.domain d
where a.file like 'IAH%' and d.name = 'cz:webarchiv:www';
insert into webarchiv.doc_collection (id_doc, id_collection)
select d.id, c.id from webarchiv.doc d, webarchiv.collection c where c.name ~ '^(elections|culture:estonia)$';

update webarchiv.doc set title = 'Titulek & <b>nadpis</b> "' || id || '"', language = 'cs' where id % 2 = 0;
update webarchiv.doc set language = 'zh-hant-tw', description = 'Popis ' || repeat('dlouhý ', 200) where id % 3 = 0;

-- Poor: what the tables insist on, and one column more each.
insert into webarchiv.doc (url, surt, archived_time) values ('http://a.example/', 'example,a)/', '1996-10-20 00:00:00Z');
insert into webarchiv.doc (url, surt, archived_time, digest) values ('http://a.example/1', 'example,a)/1', '0999-01-01 00:00:00Z', 'md5:x');
insert into webarchiv.doc (url, surt, archived_time, length) values ('http://a.example/2', 'example,a)/2', '9999-12-31 23:59:59Z', 0);
insert into webarchiv.doc (url, surt, archived_time, status) values ('http://a.example/3', 'example,a)/3', '2000-02-29 23:59:59Z', -5);
insert into webarchiv.doc (url, surt, archived_time, doc_offset) values ('http://a.example/4', 'example,a)/4', '2000-02-29 23:59:59Z', 9000000000);
insert into webarchiv.doc (url, surt, archived_time, id_arc)
select 'http://a.example/5', 'example,a)/5', '2000-02-29 23:59:59Z', id from webarchiv.arc where file like 'odd%';
insert into webarchiv.doc (url, surt, archived_time, id_mimetype)
select 'http://a.example/6', 'example,a)/6', '2000-02-29 23:59:59Z', id from webarchiv.mimetype where name = 'image:png';
insert into webarchiv.doc (url, surt, archived_time, id_domain)
select 'http://192.0.2.1/', '192.0.2.1)/', '2000-02-29 23:59:59Z', id from webarchiv.domain where name = 'ip:192.0.2.1';

insert into webarchiv.doc (url, surt, archived_time, title) values ('http://a.example/7', 'example,a)/7', '2000-02-29 23:59:59Z', 'A title');
insert into webarchiv.doc (url, surt, archived_time, language) values ('http://a.example/8', 'example,a)/8', '2000-02-29 23:59:59Z', 'pt-br');
insert into webarchiv.doc (url, surt, archived_time, description) values ('http://a.example/9', 'example,a)/9', '2000-02-29 23:59:59Z', E'\u202Bשלום ]]>');

-- Hostile: what crawlers really meet in place of a URL.
insert into webarchiv.doc (url, surt, archived_time, digest)
select u, 'hostile)/' || row_number() over (), '2010-01-01 00:00:00Z', 'sha1:' || row_number() over ()
from unnest(array[
    'http://h/?a=1&b=<2>"3"''4''', 'http://h/]]>&amp;&#0;<!--', 'http://h/%zz%', 'http://[::1', 'not a url at all', 'dns:example.org',
    'http://h/a b	c', E'http://h/\x01\x0b\x1f', E'http://h/line\nfeed', 'http://h/žluťoučký/中文/ไทย/😀', 'http://h/{curly}|`^',
    'http://user:pass@h:99999999/', 'http://h/#a#b', 'http://h/?a[]=1&b=%20', 'http://[2001:db8::1]/', 'http://h/100%?x=%41#a[1]#', 'http://' || repeat('long/', 4000), '%', E'\u202Ertl\u200B']) u;
