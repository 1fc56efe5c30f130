#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What strangers may write into the fields of the pages for people: markup, control characters, bytes that are no text, ten
# thousand characters, text from right to left, dates that are none. Each is answered by a page that is well-formed, not a 5xx, and
# has nothing of it as markup. And what the admin may: name and logo.
use TestProgram;
use Encode qw(encode);
use XML::LibXML;

my $db = Database->new(model => 'library');
Database::psql($db->conninfo, '-f', 't/golden/library.sql');
$db->publish;
$db->publish;    # the first one numbers
my $dir = tempdir(CLEANUP => 1);
chmod 0755, $dir;
sub put { my ($name, $bytes) = @_; return spew("$dir/$name", $bytes) }
my $svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 1"><rect width="2" height="1"/><script>alert(1)</script></svg>';
my %ini = (directory => 'xslt/page', name => 'Archiv <b> & "Co"', logo => put('logo.svg', $svg));
sub server { my (%browse) = @_; return Repository->new(db => $db, formats => "$ENV{PWD}/xslt/library", ini => {browse => {%ini, %browse}}) }
my $server = server()->start;
wait_until(sub { $server->ask('/oai/browse')->{status} == 200 }) or die $server->log_text;

# Each page with its fields; {} stands for the value.
my %page = (
    list => [qw(set from until metadataPrefix after n)], sets => [qw(set prefix after)], explore => [qw(verb identifier metadataPrefix set from until resumptionToken)],
    record => ['identifier'], '' => ['lang'], formats => ['lang'],
);
my %value = (
    'markup'             => '"><script>owned()</script><img src=x onerror=owned()>',
    'a quote'            => q{' onfocus='owned()' autofocus='},
    'control characters' => join('', map { chr } 1 .. 31),
    'NUL'                => "a\0b",
    'no UTF-8'           => "\xff\xfe\xc3(",
    'half a character'   => "\xe2\x80",
    'a surrogate'        => "\xed\xa0\x80",
    'right to left'      => encode('UTF-8', "\x{202e}txt.exe\x{202c} \x{5e2}\x{5d1}\x{5e8}\x{5d9}\x{5ea}"),
    'ten thousand'       => 'x' x 10_000,
    'ten thousand of markup' => '<b>' x 3_333,
    'a date that is none' => '2020-02-30',
    'a day of month 13'  => '2020-13-01T25:61:61Z',
    'a huge number'      => '99999999999999999999999',
    'a negative one'     => '-1',
    'a format string'    => '{1}{2}{} %s %n',
    'an entity'          => '&lt;script&gt; &#60;',
);
sub escaped { my ($bytes) = @_; return $bytes =~ s/([^A-Za-z0-9])/sprintf '%%%02X', ord $1/ger }

my $parser = XML::LibXML->new(recover => 2, suppress_errors => 1, suppress_warnings => 1);
sub problems {
    my ($answer) = @_;
    my @problems;
    push @problems, "status $answer->{status}" if $answer->{status} !~ /^(200|400|404)$/;
    push @problems, 'no page' if $answer->{body} !~ m{^<!DOCTYPE html.*</html>\s*\z}s;
    push @problems, 'not UTF-8' if !utf8::decode(my $copy = $answer->{body});
    push @problems, 'control characters' if $answer->{body} =~ /[\0-\x08\x0b\x0c\x0e-\x1f]/;
    my $page = $parser->load_html(string => $answer->{body}, encoding => 'UTF-8');
    push @problems, 'a script' if $page->findvalue('count(//script[not(@src)][not(@type)])');
    push @problems, 'an element of its own' if $page->findvalue('count(//b | //img[not(@class = "logo")] | //@onfocus | //@onerror | //@autofocus)');
    push @problems, length($answer->{body}) . ' bytes' if length $answer->{body} > 400_000;
    return join ', ', @problems;
}

for my $path (sort keys %page) {
    for my $name (@{$page{$path}}) {
        my @wrong;
        for my $what (sort keys %value) {
            my $more = $path eq 'explore' && $name ne 'verb' ? '&verb=ListRecords' : '';
            my $found = problems($server->ask("/oai/browse/$path?lang=de&$name=" . escaped($value{$what}) . $more));
            push @wrong, "$what: $found" if $found ne '';
        }
        is join("\n", @wrong), '', "/browse/$path?$name=: " . keys(%value) . ' values are answered by pages';
    }
}
like $server->ask('/oai/browse/list?lang=cs&from=2020-02-30')->{body}, qr{"2020-02-30" v argumentu from není datum}, 'a date that is none is told in words';
unlike $server->ask("/oai/browse/list?from=$_")->{body}, qr{<input id="from"[^>]*value}, "and a browser is not given $_, which it would refuse" for '2020-02-30', '2020-13-01', '2020-00-00';
is $server->ask('/oai/browse/record?identifier=%ff')->{status}, 404, 'no record has an identifier that is no text';

my $home = $server->ask('/oai/browse?lang=en');
like $home->{body}, qr{<h1 dir="auto">Archiv &lt;b&gt; &amp; "Co"</h1>}, 'the name of oai.ini is the heading';
like $server->ask('/oai?verb=Identify')->{body}, qr{<repositoryName>(?!Archiv)}, 'and Identify keeps the name of the repository';
my ($src) = $home->{body} =~ m{<img class="logo" src="([^"]+)" alt="">};
my $logo = $server->ask($src);
is "$logo->{status} $logo->{headers}{'content-type'}", '200 image/svg+xml', 'the logo is served';
is $logo->{body}, $svg, 'as it is';
like $logo->{headers}{'content-security-policy'}, qr/^default-src 'none';.*\bsandbox$/, 'and its script is not run, even where it is a page by itself';

# What is wrong with the keys is said at the start.
sub refusal {
    my (%browse) = @_;
    my $refused = server(%browse);
    return eval { $refused->start; wait_until(sub { !$refused->alive }); $refused->log_text } // $@;
}
like refusal(logo => "$dir/logo.gif"), qr/oai\.ini:\d+: \[browse\] logo: .* is wrong; right is a file named \*\.svg or \*\.png/, 'a logo of another kind';
like refusal(logo => "$dir/none.svg"), qr{none\.svg}, 'a logo that is not there';
like refusal(logo => put('other.svg', '<html/>')), qr{\[browse\] logo: \S+other\.svg: the document element is not <svg>}, 'SVG that is none';
like refusal(logo => put('other.png', $svg)), qr{\[browse\] logo: \S+other\.png: not PNG}, 'PNG that is none';
like refusal(logo => put('long.svg', $svg . ' ' x 100_000)), qr{\[browse\] logo: \S+long\.svg: \d+ bytes long; use a file of at most 100000}, 'a logo that is too long';
done_testing();
