#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# `oai load` into the model library as an administrator runs it: the sample is loaded, loaded again and changed; each file
# format is tried with damaged records; dumps contain deleted records; the answers to harvesters are checked.
use utf8;
use TestProgram;
use Encode qw(encode);
use IO::Compress::Gzip qw(gzip);

my $dir   = tempdir('oai-load-library-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $db    = Database->new(model => 'library');

sub write_file { my ($name, $text) = @_; utf8::encode($text); return spew("$dir/$name", $text) }
my $ini = write_ini("$dir/oai.ini", $db, loader => {slice_records => 7});

# (status, output)
sub oai {
    my ($status, $output) = run_program("$build/release/oai", '--config', $ini, map { utf8::encode(my $bytes = $_); $bytes } @_);
    utf8::decode($output);
    return ($status, $output);
}
# Loads files and returns the summary as "status: records/inserted/updated/unchanged/passed over/damaged", and the output.
sub load {
    my (@arguments) = @_;
    my ($status, $said) = oai('load', @arguments);
    my @counts = $said =~ /: (\d+) records \((\d+) inserted, (\d+) updated, (\d+) unchanged\), (\d+) passed over.*, (\d+) damaged/;
    return ("$status: " . join('/', @counts), $said);
}
sub item { my ($id, $what) = @_; my $v = $db->value("select $what from library.item where local_id = '$id'"); utf8::decode($v) if defined $v; return $v }
sub sets { my ($id) = @_; return $db->value("select string_agg(s.spec, ' ' order by s.spec) from oai.membership m join oai.set s on s.id = any (m.sets_now) where m.local_id = '$id'") }

# The sample has files in all formats.
system("$root/deploy/sample/make-library", "$dir/sample") == 0 or die;
open my $list, '<', "$dir/sample/load.list" or die $!;
my $all = 0;
for my $line (<$list>) {
    my ($file, @collections) = split ' ', $line;
    my @to = map { ('--collection', $_) } @collections;
    my ($counts, $said) = load(@to, "$dir/sample/$file");
    my ($status, $n, undef, undef, undef, undef, $damaged) = split /[:\/] ?/, $counts;
    is("$status $damaged", '0 0', "$file loads") or diag $said;
    $all += $n;
    is((load('--model', 'library', @to, "$dir/sample/$file"))[0], "0: $n/0/0/$n/0/0", 'loading it again changes nothing');
}
is($db->value('select count(*) from library.item'), $all, 'the table holds all loaded records');
is($db->value("select count(*) from library.item where marc is not null and title is not null and date is not null and kind is not null"), 140, 'MARC records have title, date and kind');
1 while $db->publish(10_000);
is($db->value("select count(*) from oai.item where local_id like 'thesis/%' and datestamp < '2023-01-01'"), 120, 'the first load keeps the datestamps of a dump');
is($db->value("select count(*) from oai.item where deleted"), 7, 'and its deleted records');
my ($status, $said) = oai('get', 'verb=ListRecords&metadataPrefix=oai_dc&set=lang:ar');
is($status, 0, 'the set of a language can be harvested');
like($said, qr{<dc:title xml:lang="ar">\p{Arabic}}, 'titles are in this language and carry xml:lang');
($status, $said) = oai('check', '--offline');
unlike($said, qr/^oai: (?!schema: |formats: )/m, 'oai check reports nothing except how this test installed the schema');

# MARC fields are mapped to columns by the crosswalk.
sub marc { my ($id, $fields, $leader) = @_; return "<record><leader>" . ($leader // '00000nam a2200000 i 4500') . "</leader><controlfield tag=\"001\">$id</controlfield>$fields</record>\n" }
sub field { my ($tag, $ind, @s) = @_; my $o = "<datafield tag=\"$tag\" ind1=\"" . substr($ind, 0, 1) . '" ind2="' . substr($ind, 1) . '">'; while (my ($c, $t) = splice @s, 0, 2) { $o .= "<subfield code=\"$c\">$t</subfield>" } return "$o</datafield>" }
my $open = '<collection xmlns="http://www.loc.gov/MARC21/slim">' . "\n";
my $book = marc('nkc 1/ž', '<controlfield tag="008">920219s1993    xr            000 0 cze  </controlfield>'
    . field('020', '  ', a => '80-200-0980-9 (váz.)') . field('024', '7 ', a => '10.1234/abc', 2 => 'doi') . field('041', '1 ', a => 'cze', a => 'ger') . field('100', '1 ', a => 'Němcová, Božena,', d => '1820-1862')
    . field('245', '10', a => 'Babička :', b => 'obrazy /', c => 'B. N.') . field('260', '  ', a => 'Praha :', b => 'Odeon,', c => '[1993]') . field('500', '  ', a => 'Note') . field('506', '  ', a => 'Open')
    . field('520', '  ', a => 'A summary') . field('530', '  ', a => 'Also online') . field('540', '  ', a => 'CC BY', u => 'https://creativecommons.org/licenses/by/4.0/') . field('546', '  ', a => 'In Czech')
    . field('650', ' 7', a => 'ženy', x => 'život') . field('651', ' 7', a => 'Čechy') . field('653', '  ', a => 'one', a => 'two') . field('655', ' 7', a => 'novely') . field('700', '1 ', a => 'Editor, Ed', e => 'editor')
    . field('773', '0 ', t => 'Works', g => 'vol. 1') . field('786', '0 ', t => 'Manuscript') . field('856', '41', u => 'https://e.org/1', q => 'text/html'));
write_file('one.xml', $book);
is((load("$dir/one.xml"))[0], '0: 1/1/0/0/0/0', 'a single record without a <collection> and without a namespace is loaded');
my $id = 'nkc%201/%C5%BE';
my %want = (title => '{"Babička : obrazy"}', creator => '{"Němcová, Božena, 1820-1862"}', contributor => '{"Editor, Ed"}', subject => '{ženy--život,one,two}', description => '{Note,"A summary"}',
    publisher => '{"Praha : Odeon"}', date => '{1993}', type => '{Text,novely}', type_lang => '{en,NULL}', format => '{text/html}', identifier => '{urn:isbn:80-200-0980-9,https://doi.org/10.1234/abc,https://e.org/1}',
    source => '{Manuscript}', language => '{cze,ger}', relation => '{"Also online","Works vol. 1"}', coverage => '{Čechy}', rights => '{Open,"CC BY https://creativecommons.org/licenses/by/4.0/"}', isbn => '{80-200-0980-9}',
    doi => '10.1234/abc', landing_page => 'https://e.org/1', licence => 'https://creativecommons.org/licenses/by/4.0/', year => 1993, kind => 'book');
is(item($id, $_), $want{$_}, "crosswalk: $_") for sort keys %want;

# Access by standard words and codes of MARC; the day on which an embargo ends (506 $g) and the words (506 $f) go before indicators, 506 before 856.
my @access = (['open', '', field('506', '0 ', f => 'Unrestricted online access', 2 => 'star')], ['restricted', '', field('506', '1 ', f => 'Online access with authorization', 2 => 'star')],
    ['embargoed', '2999-01-31', field('506', '1 ', f => 'embargoed access', g => '29990131')], ['embargoed', '2999-01-31', field('506', '0 ', g => '2999-01-31')],
    ['open', '', field('506', '0 ')], ['restricted', '', field('506', '1 ', a => 'On the premises')], ['', '', field('506', '  ', a => 'Ask the desk')],
    ['closed', '', field('506', '  ', f => 'metadata only access', 2 => 'vocabularies.coar-repositories.org')],
    ['open', '', field('856', '40', u => 'https://e.org/2', 7 => '0')], ['restricted', '', field('856', '40', u => 'https://e.org/3', 7 => '1')], ['', '', field('856', '42', u => 'https://e.org/4', 7 => '0')],
    ['restricted', '', field('506', '1 ') . field('856', '40', u => 'https://e.org/5', 7 => '0')]);
write_file('access.xml', $open . join('', map { marc("access/$_", field('245', '10', a => 'T') . $access[$_][2]) } 0 .. $#access) . "</collection>\n");
is((load("$dir/access.xml"))[0], '0: 12/12/0/0/0/0', 'records with all ways to say who may open the file');
is_deeply([map { join ' ', item("access/$_", 'access') // '', (item("access/$_", 'access_from') // '') =~ s/ .*//r } 0 .. $#access], [map { "$_->[0] $_->[1]" } @access], 'access, and from when on');
is(sets($id), 'lang:cs lang:de type:book', 'its sets are derived from language and kind');
like(item($id, 'marc'), qr{^<record xmlns="http://www.loc.gov/MARC21/slim"><leader>}, 'the MARC record itself is kept, in its namespace');
write_file('one.xml', $book =~ s/Note/Another note/r);
is((load("$dir/one.xml"))[0], '0: 1/0/1/0/0/0', 'a changed record is updated');
oai('delete', $id);
is((load('-v', "$dir/one.xml"))[0], '0: 0/0/0/0/1/0', 'a record that was deleted in this repository stays deleted');
is(item($id, 'deleted'), 't', 'and is not updated');
oai('undelete', $id);
for (['00000ntm a2200000 i 4500', field('502', '  ', a => 'Diplomová práce') => 'thesis:master'], ['00000nam a2200000 i 4500', field('502', '  ', b => 'Ph.D.') => 'thesis:doctoral'],
    ['00000nas a2200000 i 4500', '' => 'journal'], ['00000nem a2200000 i 4500', '' => 'map'], ['00000ncm a2200000 i 4500', '' => 'music'], ['00000nab a2200000 i 4500', '' => 'article']) {
    my ($leader, $fields, $kind) = @$_;
    load(write_file('kind.xml', $open . marc('kind', $fields, $leader) . '</collection>'));
    is(item('kind', 'kind'), $kind, "kind: $kind");
}

# Fields in another script stand beside those that they belong to, in its language; marks around what is not sorted by, and the
# breaks of wrapped lines, are of the record alone.
load(write_file('script.xml', $open . marc('script', field('245', '10', 6 => '880-01', a => "\x{98}Die\x{9C} Brüder\n      Karamasow /")
    . field('880', '10', 6 => '245-01/(N', a => 'Братья Карамазовы /') . field('264', ' 1', a => 'Moskva :', b => 'ACT', c => '1990')
    . field('880', ' 1', 6 => '264-02/Cyrl', a => 'Москва :', b => 'ACT', c => '1990') . field('880', '1 ', 6 => '700-03', a => 'Достоевский')) . '</collection>'));
is(item('script', $_->[0]), $_->[1], "field 880 and marks: $_->[0]") for [title => '{"Die Brüder Karamasow","Братья Карамазовы"}'], [title_lang => '{NULL,und-Cyrl}'],
    [publisher => '{"Moskva : ACT","Москва : ACT"}'], [publisher_lang => '{NULL,und-Cyrl}'], [contributor => '{Достоевский}'], [date => '{1990}'];
is(item('script', "marc::text ~ E'\\u0098Die\\u009C Brüder\\n {6}Karamasow'"), 't', 'the record itself has them');

# A record that its leader calls deleted.
my $gone = $open . marc('script', field('245', '10', a => 'Gone'), '00000dam a2200000 i 4500') . '</collection>';
load('--marc-deleted', 'keep', write_file('gone.xml', $gone));
is(item('script', 'title') . item('script', 'deleted'), '{Gone}f', '--marc-deleted keep: a record like others');
is((load("$dir/gone.xml"))[0], '0: 1/0/1/0/0/0', 'leader 05 d: a deleted record');
is(item('script', 'deleted'), 't', 'which harvesters are told');
is((load("$dir/gone.xml"))[0], '0: 1/0/0/1/0/0', 'once');

# ISO 2709: a record of these fields, [tag, content of a control field or indicators and subfields], in bytes.
sub iso2709 {
    my ($leader, @fields) = @_;
    my ($directory, $data) = ('', '');
    for (@fields) {
        my ($tag, $content, @subfields) = @$_;
        while (my ($code, $text) = splice @subfields, 0, 2) { $content .= "\x1F$code$text" }
        $directory .= sprintf '%s%04d%05d', $tag, 1 + length $content, length $data;
        $data .= "$content\x1E";
    }
    my $base = 25 + length $directory;
    return sprintf('%05d%s22%05d%s', $base + 1 + length $data, substr($leader, 5, 5), $base, substr $leader, 17) . "$directory\x1E$data\x1D";
}
sub write_bytes { my ($name, $bytes) = @_; open my $f, '>:raw', "$dir/$name" or die $!; print {$f} $bytes; close $f or die $!; return "$dir/$name" }
my $mrc = iso2709('00000nam  2200000 i 4500', ['001', 'mrc1'], [100, '1 ', a => "N\xE9emcov\xE2a, Bo\xE9zena"], [245, '10', a => 'Babi' . "\xE9cka"])
    . iso2709('00000nam a2200000 i 4500', ['001', 'mrc2'], [245, '10', a => "Babi\xC4\x8Dka"]);
is((load(write_bytes('two.mrc', $mrc)))[0], '0: 2/2/0/0/0/0', 'ISO 2709 is loaded');
is($db->value("select normalize(title[1] || '; ' || coalesce(creator[1], '')) = normalize(U&'Babi\\010Dka; N\\011Bmcov\\00E1, Bo\\017Eena') from library.item where local_id = 'mrc1'"), 't', 'from MARC-8');
is(item('mrc2', 'title[1]'), 'Babička', 'and from UTF-8');
like(item('mrc2', q{(xpath('//*[local-name() = ''leader'']/text()', marc))[1]}), qr{^\d{5}nam a22\d{5} i 4500$}, 'the record is kept as MARCXML');
is((load(write_bytes('damaged.mrc', substr($mrc, 0, 60) . "\x1D" . iso2709('00000nam a2200000 i 4500', ['001', 'mrc3'], [245, '10', a => 'Third']) . "00900nam a22"))) [0], '1: 1/1/0/0/0/2',
    'a damaged record costs itself, and so does one that is cut off');
is((load(write_bytes('large.mrc', iso2709('00000nam a2200000 i 4500', ['001', 'mrc6'], [245, '10', a => 'Before']) . '99999nam a2200000 i 4500' . ('x' x 3_000_000) . "\x1D"
    . iso2709('00000nam a2200000 i 4500', ['001', 'mrc7'], [245, '10', a => 'Behind']))))[0], '1: 2/2/0/0/0/1', 'a record that is too long is one damage');
my $seven = iso2709('00000nam  2200000 i 4500', ['001', 'mrc4'], [245, '10', 6 => '880-01', a => 'Moskva'], [880, '10', 6 => '245-01/(N', a => "\x1B(NmOSKWA\x1B(B"]);
is((load(write_bytes('seven.mrc', $seven)))[0], '0: 1/1/0/0/0/0', 'another script in seven bits');
is(item('mrc4', 'title'), '{Moskva,Москва}', 'is MARC-8, not UTF-8');
my $indicators = iso2709('00000nam a9200000 i 4500', ['001', 'mrc5'], [245, '']);
is((load(write_bytes('indicators.mrc', $indicators =~ s/\A(.{10})./${1}9/sr)))[0] =~ s/:.*//r, 0, 'indicators that would reach beyond the record');
is((load(write_bytes('directory.mrc', $indicators =~ s/245000(\d)/245900$1/r)))[0], '0: 1/0/1/0/0/0', 'a directory that is wrong is made again by the marks that end fields');
my $unimarc = iso2709('00000nam  2200000   450 ', ['001', 'uni1'], ['010', '  ', a => '80-200-0980-9'], [100, '  ', a => '19930101d1993    m  y0czey50      ba'], [101, '0 ', a => 'cze'],
    [200, '1 ', a => "Babi\xCFcka", e => 'obrazy', f => 'BN'], [210, '  ', a => 'Praha', c => 'Odeon', d => '1993'], [606, '  ', a => 'zeny', x => 'zivot'], [700, ' 1', a => "N\xCFemcov\xC2a", b => 'B.']);
is((load(write_bytes('unimarc.mrc', $unimarc)))[0], '0: 1/1/0/0/0/0', 'UNIMARC is loaded');
is($db->value("select normalize(concat_ws(';', title[1], creator[1], publisher[1], date[1], subject[1], isbn[1], language[1], marc is null)) = normalize(U&'Babi\\010Dka : obrazy;N\\011Bmcov\\00E1, B.;Praha : Odeon;1993;zeny--zivot;80-200-0980-9;cze;t')
    from library.item where local_id = 'uni1'"), 't', 'by its own crosswalk, and not given out as MARC 21') or diag item('uni1', 'concat_ws(chr(59), title[1], creator[1], publisher[1], date[1], subject[1], isbn[1], language[1], marc is null)');

# Datestamps as other repositories write them; where there is none to be read the publisher gives one.
my ($dated, $words) = load(write_file('dated.xml', '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>' . join('', map { my ($n, $stamp) = @$_;
    "<record><header><identifier>oai:o.org:dated-$n</identifier><datestamp>$stamp</datestamp></header><metadata><dc xmlns=\"http://purl.org/dc/elements/1.1/\"><title>T</title></dc></metadata></record>" }
    [1, '2017-11-09T12:50:22.485Z'], [2, '2017-11-09T12:50:22+02:00'], [3, '2017-11-09 12:50:22'], [4, ''], [5, 'yesterday']) . '</ListRecords></OAI-PMH>'));
is($dated, '0: 5/5/0/0/0/0', 'records with datestamps of any form are taken') or diag $words;
is(() = $words =~ /dated\.xml:1: no such datestamp: ""; the publisher gives one/g, 1, 'and it is said once where one cannot be read') or diag $words;

# A damaged record is skipped, and the other records are loaded.
my @sound = map { marc("s$_", field('245', '10', a => "Sound $_")) } 1 .. 5;
my %damage = (
    'a tag that does not end' => [ marc('bad', '<datafield tag="245"'), qr/:3: / ],
    'a record that does not end' => [ marc('bad', '') =~ s{</record>}{}r, qr/:3: a record that does not end/ ],
    'an end without begin' => [ '</subfield>' . "\n", qr/:3: / ],
    'no identifier' => [ marc('', '') =~ s{<controlfield.*?/controlfield>}{}r, qr/:3: a record without identifier/ ],
    'too many attributes' => [ marc('bad', '<datafield tag="245" ' . join(' ', map { "a$_=''" } 1 .. 60_000) . '/>'), qr/:3: the attributes of an element are more than 256/ ],
    'too many namespaces' => [ marc('bad', '<datafield tag="245" ' . join(' ', map { "xmlns:n$_='u'" } 1 .. 60_000) . '/>'), qr/:3: the namespace declarations of an element are more than 64/ ],
    'too many fields' => [ marc('bad', field('245', '10', a => 'x') x 130_000), qr/:3: the elements and attributes of it are more than 500000/ ],
    'too long' => [ marc('bad', field('245', '10', a => 'x' x 9e6) x 8), qr/:\d+: a record of more than 64 MiB/ ],
    'something else' => [ "<record xmlns=\"urn:x\"><a/></record>\n", qr/:3: a record that is neither/ ],
);
for my $what (sort keys %damage) {
    $db->run("delete from library.item where local_id like 's_'");
    my ($bytes, $words) = @{ $damage{$what} };
    my $file = write_file('damaged.xml', "$open$sound[0]$bytes" . join('', @sound[ 1 .. 4 ]) . '</collection>');
    my ($counts, $told) = load($file);
    is($counts, '1: 5/5/0/0/0/1', "$what: the other records are loaded") or diag $told;
    like($told, qr/\Q$file\E$words/, 'file and line are reported');
}
$db->run("delete from library.item where local_id like 's_'");
my ($counts, $told) = load(write_file('cut.xml', $open . join('', @sound[ 0 .. 2 ]) . substr($sound[3], 0, 60)));
is($counts, '1: 3/3/0/0/0/1', 'the complete records of a truncated file are loaded');
is((load(write_file('dtd.xml', "<!DOCTYPE collection [<!ENTITY e SYSTEM '/etc/passwd'>]>$open" . marc('dtd', field('245', '10', a => '&e;')) . '</collection>')))[0] =~ s{:.*}{}r, 1, 'a DOCTYPE is refused');
is($db->value("select count(*) from library.item where title::text like '%root%'"), 0, 'and no external entity is read');
my $packed;
my $plain = $open . join('', map { marc("g$_", field('245', '10', a => "Gzip $_ " . join ' ', map { $_ * 7919 } 1 .. 200)) } 1 .. 60) . '</collection>';
utf8::encode($plain);
gzip(\$plain, \$packed) or die;
spew("$dir/cut.xml.gz", substr $packed, 0, length($packed) * 0.6);
($counts, $told) = load("$dir/cut.xml.gz");
like($counts, qr/^1: (\d\d)\/\1\/0\/0\/0\/[12]$/, 'the intact records of a truncated gzip file are loaded');
like($told, qr/cut\.xml\.gz:\d+: .*gzip/, 'and the damage is reported');

# Dumps in which records are deleted, undeleted and moved between sets, and one in which an answer is an error.
sub dumped { my ($header, $title) = @_; return "<record>$header" . (defined $title ? "<metadata><oai_dc:dc xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>$title</dc:title><dc:type>masterThesis</dc:type></oai_dc:dc></metadata>" : '') . "</record>\n" }
sub header { my ($id, $sets, $status) = @_; return "<header" . ($status ? " status=\"$status\"" : '') . "><identifier>oai:o.org:$id</identifier><datestamp>2011-01-01</datestamp>" . join('', map { "<setSpec>$_</setSpec>" } split ' ', $sets) . '</header>' }
sub answer { return '<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>' . join('', @_) . "</ListRecords></OAI-PMH>\n" }
is((load(write_file('dump.xml', answer(dumped(header('d/1', 'a b:c'), 'One'), dumped(header('d/2', 'a', 'deleted'))))))[0], '0: 2/2/0/0/0/0', 'a dump is loaded');
is(sets('d/1'), 'col:a col:b:c type:thesis:master', 'its sets become collections');
is(item('d/2', 'deleted'), 't', 'a deleted record is stored as deleted');
my $again = answer(dumped(header('d/1', 'a', 'deleted'))) . answer(dumped(header('d/2', 'b:c d'), 'Two'));
is((load(write_file('dump.xml', "<dumps>\n" . $again =~ s/<\?xml.*?\?>//gr . '</dumps>')))[0], '0: 2/0/2/0/0/0', 'a later dump, with one root element around all answers, is loaded');
is(item('d/1', 'deleted') . item('d/2', 'deleted'), 'tf', 'it deletes one record and restores another');
is(sets('d/2'), 'col:b:c col:d type:thesis:master', 'and moves a record to other sets');
is((load(write_file('dump.xml', $again)))[0], '0: 2/0/0/2/0/0', 'the same answers without a common root element change nothing');
($counts, $told) = load(write_file('error.xml', answer(dumped(header('d/3', 'a'), 'Three')) . '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><error code="badResumptionToken">gone</error></OAI-PMH>'));
is($counts, '1: 1/1/0/0/0/1', 'an answer with an OAI-PMH error counts as damaged');
like($told, qr/the answer is an error: badResumptionToken gone/, 'and the error is reported');

# RDF, MODS, CSV.
is((load(write_file('rdf.xml', '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcterms="http://purl.org/dc/terms/" xml:lang="cs"><rdf:Description rdf:about="r/1"><dcterms:title>Název</dcterms:title><dcterms:issued>2001</dcterms:issued></rdf:Description></rdf:RDF>')))[0], '0: 1/1/0/0/0/0', 'RDF is loaded');
is(item('r/1', "title::text || title_lang::text || date::text"), '{Název}{cs}{2001}', 'DCMI terms are mapped to the elements that they refine, and xml:lang is inherited');
is((load(write_file('mods.xml', '<modsCollection xmlns="http://www.loc.gov/mods/v3"><mods><titleInfo><title>M</title></titleInfo><identifier>m/1</identifier><genre>book</genre></mods></modsCollection>')))[0], '0: 1/1/0/0/0/0', 'MODS is loaded');
is(item('m/1', 'mods'), '<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>M</title></titleInfo><identifier>m/1</identifier><genre>book</genre></mods>', 'and the MODS record itself is kept');
my $csv = "\x{FEFF}local_id;title\@cs;title\@en;creator;kind;isbn;collection;licence;year\n" . "c/1;\"Válka; \"\"mír\"\"\";War;Tolstoj#Někdo;book;80-1#80-2;Sbírka 1;https://e.org/l;1869\nc/2;\"two\nlines\";;;article;;;;\n";
is((load('--separator', '#', write_file('a.csv', "${csv}c/3;too few\n\"c/4\n")))[0], '1: 2/2/0/0/0/2', 'CSV with two damaged rows is loaded');
is(item('c/1', "title::text || title_lang::text || creator::text || isbn::text || licence || year"), '{"Válka; \"mír\"",War}{cs,en}{Tolstoj,Někdo}{80-1,80-2}https://e.org/l1869', 'repeated values, languages and single-valued columns are mapped');
is(sets('c/1'), 'col:Sb~C3~ADrka~201 type:book', 'the name of a collection is escaped in its setSpec');
is(item('c/2', 'title::text'), "{\"two", 'a quoted field may contain line breaks');
is((load('--separator', '#', write_file('a.csv', $csv)))[0], '0: 2/0/0/2/0/0', 'loading the CSV file again changes nothing');
for (['in one line' => 'x, y ' x 600_000], ['in many lines' => "one, two, three\nfour\n" x 150_000]) {
    my ($how, $text) = @$_;
    is((load(write_file('large.csv', "local_id,title,description\nl/1,One,a\nl/2,Two,\"$text\"\nl/3,\"Three\",c\n")))[0] =~ s{/.*/}{ }r, '1: 2 1', "a row that is too large $how is one damage");
}
is((load(write_file('slip.csv', "local_id,title\ns/0,\"slip\n" . join '', map { "s/$_," . 'Title ' x 2000 . "\n" } 1 .. 100)))[0] =~ s{/.*/}{ }r, '1: 100 1', 'before rows a quote that does not end costs its row');

# A spreadsheet as people have them: words of theirs for columns, kinds and languages, and the encoding of their computer.
my $sheet = "Signatura;Název;Autor;Rok vydání;Jazyk;Typ;dc.description.abstract[cs];Regál\r\n" . join '', map { "z/$_;Příliš žluťoučký kůň $_;Dvořák;1923;čeština;Diplomová práce;Škoda řeči;R1\r\n" } 1 .. 3;
my $people = write_bytes('people.csv', encode('cp1250', "${sheet}z/1;Podruhé;;;klingonsky;Sborník;;\r\n"));
my ($shown, $why) = oai('load', $people);
like($why, qr/columns that are not known: "Regál".*--dry-run/, 'a column that no word means is refused by name');
my $before = $db->value('select count(*) from library.item');
(my $status, $shown) = oai('load', '--dry-run', $people);
is($status, 1, 'and what would become of the file is shown');
like($shown, qr/windows-1250, fields between ';'.*Název -> title.*abstract\[cs\] -> description\@cs.*Regál -> not known.*--column 'Regál='.*description\@cs: Škoda řeči.*set kind:thesis:master: 3 items.*type Sborník is not known: 1 times.*4 items, 0 damaged/s, 'with columns, items, sets and unknown words');
is($db->value('select count(*) from library.item'), $before, 'nothing is loaded by it');
($counts, $told) = load('--column', 'Regál=', $people);
like($told, qr/is taken to be in windows-1250.*identifier z\/1 of an earlier row, which it replaces: 1 times.*language klingonsky is not known: 1 times/s, 'what was guessed, replaced and not known is said');
is(item('z/2', "title::text || language::text || kind || year || description_lang::text"), '{"Příliš žluťoučký kůň 2"}{cs}thesis:master1923{cs}', 'and the rest is as its author meant it');
like((oai('load', '--column', 'Regál=colour', $people))[1], qr/--column Regál=colour: there is no such column/, 'a column can be no other than there are');

# Wrappers and characters that others write. What each becomes is shown without a database.
my $marc = sub { my ($id, $p) = @_; return qq(<${p}record xmlns@{[$p ? ':' . substr $p, 0, -1 : '']}="http://www.loc.gov/MARC21/slim"><${p}leader>00000nam a2200000 a 4500</${p}leader><${p}controlfield tag="001">$id</${p}controlfield><${p}datafield tag="245" ind1=" " ind2=" "><${p}subfield code="a">Title $id</${p}subfield></${p}datafield></${p}record>) };
my $mods = sub { return qq(<mods xmlns="http://www.loc.gov/mods/v3"><titleInfo><title>Title $_[0]</title></titleInfo><recordInfo><recordIdentifier>$_[0]</recordIdentifier></recordInfo></mods>) };
my $sru = sub {
    my ($p, $namespace, @records) = @_;
    return qq(<?xml version="1.0"?>\n<${p}searchRetrieveResponse xmlns@{[$p ? ':' . substr $p, 0, -1 : '']}="$namespace"><${p}records>)
        . join('', map { "<${p}record><${p}recordSchema>x</${p}recordSchema><${p}recordData>$records[$_ - 1]</${p}recordData><${p}recordIdentifier>i$_</${p}recordIdentifier></${p}record>" } 1 .. @records)
        . "</${p}records></${p}searchRetrieveResponse>\n";
};
my ($one, $two) = ('http://www.loc.gov/zing/srw/', 'http://docs.oasis-open.org/ns/search-ws/sruResponse');
my $as_string = $marc->(1, '') =~ s/</&lt;/gr;
my $dc = '<d:dc xmlns:d="info:srw/schema/1/dc-schema"><title xmlns="http://purl.org/dc/elements/1.1/">Title</title></d:dc>';
my $oai = sub { my @all = @_; return '<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>' . join('', map { "<record><header><identifier>oai:x:$_</identifier><datestamp>2020-01-01</datestamp></header><metadata>$all[$_ - 1]</metadata></record>" } 1 .. @all) . '</ListRecords></OAI-PMH>' };
my $title = sub { my ($text) = @_; return qq(<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">@{[defined $text ? "<dc:title>$text</dc:title>" : '']}</oai_dc:dc>) };
my $declared = '<?xml version="1.0" encoding="UTF-8"?>';
my %foreign = (
    'SRU 1.1' => [$sru->('zs:', $one, $marc->(1, ''), $marc->(2, 'm:')), qr/: Title 1\n.*: Title 2\n.*2 items, 0 damaged/s],
    'SRU without prefixes, twice' => [$sru->('', $one, $marc->(1, '')) x 2, qr/2 items, 0 damaged/],
    'SRU 2.0, packed as a string' => [$sru->('s:', $two, $as_string, $as_string), qr/2 items, 0 damaged/],
    'SRU with MODS, alone and in a collection' => [$sru->('zs:', $one, $mods->(1), '<modsCollection xmlns="http://www.loc.gov/mods/v3">' . $mods->(2) . '</modsCollection>'), qr/Title 1.*Title 2.*2 items, 0 damaged/s],
    'SRU with Dublin Core without identifiers' => [$sru->('zs:', $one, $dc, $dc), qr/i1\n.*i2\n.*2 items, 0 damaged/s],
    'SRU with a diagnostic' => [$sru->('zs:', $one, '<diagnostic xmlns="http://www.loc.gov/zing/srw/diagnostic/"><uri>x</uri></diagnostic>', $marc->(1, '')), qr/: diagnostic.*1 items, 1 damaged/s],
    'Atom' => ['<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>e</id><content type="application/xml">' . $marc->(1, '') . '</content></entry></feed>', qr/Title 1.*1 items, 0 damaged/s],
    'declarations in each record' => [$oai->(("$declared\n<!DOCTYPE dc>" . $title->('T')) x 3), qr/repaired.*: 3 times.*3 items, 0 damaged/s],
    'an ampersand and an unknown entity in MARC' => ['<collection>' . marc('amp', field('245', '10', a => 'this & that&nbsp;')) . marc('sound', field('245', '10', a => 'x')) . '</collection>', qr/this & that&nbsp\n.*repaired.*: 1 times.*2 items, 0 damaged/s],
    'an empty oai_dc' => [$oai->($title->(undef), $title->('T')), qr/2 items, 0 damaged/],
    'what XML has not' => [$oai->($title->("a\x01b & c&nbsp;&#xD83D;&#xDE00;"), $title->('sound')), qr/a\x{fffd}b & c&nbsp;\x{1f600}\n.*: 1 times.*2 items, 0 damaged/s],
    'a tag that does not end' => [$oai->($title->('1'), $title->('<b>'), $title->('3')), qr/2 items, 1 damaged/],
    'a control character in CSV' => ["id;title\n1;a\x02b\n", qr/a\x{fffd}b.*repaired.*: 1 times.*1 items, 0 damaged/s]);
# The same of tables and other files as programs write them.
my $counted = iso2709('00000nam a2200000 i 4500', ['001', 'n1'], [245, '10', a => 'Babička'], [260, '  ', a => 'Praha']);
my %exported = (
    'Koha: the number in 999' => ['<collection>' . marc('', field('245', '10', a => 'T') . field('999', '  ', c => 17, d => 17)) . '</collection>', qr/^  17\n.*1 items, 0 damaged/ms],
    'EPrints' => ['<eprints xmlns="http://eprints.org/ep2/data/2.0"><eprint><title>T</title></eprint></eprints>', qr/:1: neither MARC 21.* in <eprints>.*0 items, 1 damaged/s],
    'ListIdentifiers' => ['<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListIdentifiers><header><identifier>a</identifier></header></ListIdentifiers></OAI-PMH>', qr/in <OAI-PMH>.*1 damaged/s],
    'an empty collection' => ['<collection xmlns="http://www.loc.gov/MARC21/slim"/>', qr/^0 items, 0 damaged/m],
    'a page in place of a file' => ["\n<!DOCTYPE HTML>\n<html><body>Log in</body></html>", qr/is a page of HTML/],
    'MarcEdit' => ["=LDR  00000nam\n=001  1\n", qr/is MARC as MarcEdit writes it/], 'Aleph' => ["000000001 LDR   L -----nam\n", qr/Aleph's sequential/],
    'RIS' => ["TY  - JOUR\n", qr/is RIS/], 'BibTeX' => ['@article{x, title={A}}', qr/is BibTeX/], 'JSON' => ['[{"title": "A"}]', qr/is JSON/],
    'lengths in characters' => [$counted, qr/title: Babička\n.*publisher: Praha\n.*taken by their end marks.*1 items, 0 damaged/s],
    'what XML has not, in ISO 2709' => [$counted =~ s/Praha/Prah\x{fffe}a/r, qr/publisher: Prah\x{fffd}a\n.*repaired.*: 1 times.*1 items, 0 damaged/s],
    'a control character in ISO 2709' => [$counted =~ s/Praha/Pra\x02ha/r, qr/publisher: Praha\n.*repaired.*: 1 times.*1 items, 0 damaged/s],
    'no length, behind a byte order mark' => ["\x{feff}00000" . substr($counted, 5), qr/title: Babička\n.*1 items, 0 damaged/s],
    'Excel: sep=, a separator too many, rows of nothing' => ["\x{feff}sep=;\r\nID;Název;Autor;\r\n1;\"A; B\";C;\r\n;;;\r\n2;D;E;;;\r\n", qr/title: A; B\n.*creator: E\n2 items, 0 damaged/s],
    'titles above the columns, which have line breaks' => ["Seznam knih\n;;\nSignatura;\"Hlavní\nnázev\";Autor\nA1;Babička;Němcová\n", qr/2 rows before.*název -> title\n.*title: Babička\n.*1 items, 0 damaged/s],
    'line ends of a Macintosh' => ["id;title\r1;A\r2;B\r", qr/title: A\n  2\n    title: B\n2 items, 0 damaged/],
    'fields between |' => ["id|title|creator\n1|A|B\n", qr/between '\|'.*creator: B\n1 items/s],
    'days and midnights' => ["id,date\n1,31. 12. 2020\n2,2020-12-31 00:00:00\n3,12/31/2020\n4,31.2.2020\n", qr{date: 2020-12-31\n  2\n    date: 2020-12-31\n  3\n    date: 12/31/2020\n  4\n    date: 31.2.2020\n}],
    'an embargo' => ["id,title,visible_from\n1,A,1.1.2099\n2,B,příští rok\n", qr/:3: visible_from is no date: příští rok\n.*visible_from: 2099-01-01T00:00:00Z\n1 items, 1 damaged/s],
    'several languages' => ["id,language\n1,\"čeština, angličtina\"\n2,cs-CZ\n3,češtin\n", qr/: cs\n    language: en\n  2\n    language: cs\n.*language češtin is not known; near to it is cestina \(cs\)/s],
    'kinds and access' => ["id,typ,access\n1,Knihy,open\n2,Rukopisu,jak kdo\n", qr/type Rukopisu is not known; near to it is rukopis \(manuscript\).*set kind:book: 1 items.*access jak kdo is not known: 1|access jak kdo is not known: 1.*type Rukopisu/s],
    'creators between semicolons, a DOI as its address' => ["id,creator,doi\n1,\"A, B; C, D\",https://doi.org/10.1/x\n", qr/identifier: https:\/\/doi.org\/10.1\/x\n.*--separator ';'/s]);
%foreign = (%foreign, %exported);
for my $name (sort keys %foreign) { my (undef, $is) = oai('load', '--dry-run', write_file('foreign.xml', $foreign{$name}[0])); like($is, $foreign{$name}[1], $name) }
my $table = "Přírůstkové číslo;Název;Klíčová slova;Jazyk\r\n" . join '', map { "$_;Šumava;kůň;čeština\r\n" } 1 .. 200;
like((oai('load', '--dry-run', write_bytes('table.csv', encode('cp1250', $table))))[1], qr/CSV in windows-1250,.*Přírůstkové číslo -> local_id.*title: Šumava\n.*language: cs\n.*200 items, 0 damaged/s, 'a table of few words is in the encoding in which its columns are known');
my $wide = "id;Název\n" . join '', map { "$_;" . ("\x{1f600}\x{17e}" x ($_ % 9)) . "\n" } 1 .. 9_000;
for my $encoding (qw(UTF-16LE UTF-16BE)) {
    for my $mark ('', "\x{feff}") {
        my (undef, $is) = oai('load', '--dry-run', write_bytes('wide.csv', encode($encoding, $mark . $wide)));
        like($is, qr/id -> local_id\n  Název -> title\n.*9000 items, 0 damaged/s, "$encoding " . ($mark ? 'with a mark' : 'without'));
        unlike($is, qr/\x{fffd}|repaired/, 'and no character is lost');
    }
}
like((oai('load', '--dry-run', write_bytes('wide.xml', encode('UTF-16', $oai->($title->("\x{1f600}")) =~ s/version="1.0"/$& encoding="UTF-16"/r))))[1], qr/\x{1f600}.*1 items, 0 damaged/s, 'an answer in UTF-16');

# Files in other formats are refused.
for (["local_id,colour\n1,red\n" => qr/colour/], ["%PDF-1.4\n" => qr/no bibliographic records/], ["PK\x03\x04xxxx" => qr/zip/], ['' => qr/is empty/],
    ["PK\x03\x04" . 'x' x 26 . '[Content_Types].xml' => qr/is a spreadsheet.*CSV/], ["PK\x03\x04" . 'x' x 26 . 'mimetypeapplication/vnd.oasis.opendocument.spreadsheet' => qr/is a spreadsheet.*CSV/]) {
    my ($text, $words) = @$_;
    my ($s, $w) = oai('load', write_file('foreign', $text));
    is($s, 1, 'a file in another format is refused');
    like($w, $words, 'with an explanation');
}
like((oai('load', '--model', 'webarchiv', "$dir/a.csv"))[1], qr/no model webarchiv/, 'another model than that of the database is refused');
like((oai('load', '--datestamps', 'captured', "$dir/a.csv"))[1], qr/web archives/, 'capture times as datestamps are refused for a library');
# What would cost libxml2 many seconds is a bad record, however it came into the table.
for my $many ("a' || n || '=\"1\"", "xmlns:n' || n || '=\"u\"") {
    $db->run("update library.item set marc = ('<record xmlns=\"http://www.loc.gov/MARC21/slim\"><leader '
        || (select string_agg('$many', ' ') from generate_series(1, 5000) n) || '/></record>')::xml where local_id = 's1'");
    1 while $db->publish(10_000);
    my ($got, $record) = oai('get', 'verb=GetRecord&metadataPrefix=marc21&identifier=oai:example.org:s1');
    is("$got " . ($record =~ /<error code="(\w+)"/)[0], '0 cannotDisseminateFormat', 'a stored record of 5,000 attributes or namespaces is not disseminated');
    like($record, qr/event=bad_record .*oai:example.org:s1.*of an element are more than/, 'the log names it');
    my ($listed, $list) = oai('get', 'verb=ListRecords&metadataPrefix=marc21&from=' . $db->value("select to_char(datestamp at time zone 'UTC', 'YYYY-MM-DD') from oai.item where local_id = 's1'"));
    ok($listed == 0 && $list =~ m{<metadata>} && $list !~ m{oai:example.org:s1<}, 'and lists go on without it');
}
1 while $db->publish(10_000);
is($db->value('select count(*) from oai.check_chunks()'), 0, 'the chunks are consistent');
done_testing;
