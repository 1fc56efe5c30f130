#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# What a client may do who knows nothing but the address: one library item has 200,000 subjects, and 200 clients at once ask
# for every page of it that there is. Harvesters must not notice: Identify is answered within two seconds all the while. Then
# the pages of that record themselves: they are bounded, say what they leave out, and the server ends when it is told to.
use FindBin;
use lib "$FindBin::Bin/../lib";
use TestProgram;
use Promptness;

my $db = Database->new(model => 'library');
$db->run("insert into library.item (local_id, title, subject) select 'big', array['A big one'], array(select 'subject ' || n from generate_series(1, 200000) n)",
    "insert into library.item (local_id, title, subject) select 'middle', array['A middle one'], array(select 'subject ' || n from generate_series(1, 2000) n)",
    "insert into library.item (local_id, title) select 'small-' || n, array['A small one'] from generate_series(1, 60) n");
1 while $db->publish(1000);
my $r = Repository->new(db => $db, formats => "$Server::root/xslt/library", ini => {
    browse => {directory => "$Server::root/xslt/page"}, database => {max_wait_milliseconds => 1000}});
$r->start;

my @paths = map { "/oai/browse$_" } '', '/list?metadataPrefix=oai_dc', '/sets', '/formats', '/record/big', '/record/oai:example.org:big',
    '/explore?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:big', '/explore?verb=GetRecord&metadataPrefix=marc21&identifier=oai:example.org:big',
    '/explore?verb=ListRecords&metadataPrefix=oai_dc', '/explore?verb=ListMetadataFormats&identifier=oai:example.org:big', '/sitemap.xml', '/no-such-page';

sub asked {
    my ($path) = @_;
    return $r->ask($path);
}

subtest 'the page of a big record' => sub {
    for (['middle', 2000], ['big', 200_000]) {
        my ($name, $subjects) = @$_;
        my ($answer) = asked("/oai/browse/record/oai:example.org:$name");
        is $answer->{status}, 200, "$name: it is shown";
        like $answer->{body}, qr/subject 99\b/, 'with the first of its values';
        unlike $answer->{body}, qr/subject 1500\b/, 'and not with all of them';
        like $answer->{body}, qr/Only the beginning is shown\. Values left out/, 'it says that some are left out';
        cmp_ok length $answer->{body}, '<', 500_000, 'the page has less than half a megabyte';
        note sprintf '%s: %d bytes', $name, length $answer->{body};
    }
    my ($small) = asked('/oai/browse/record/oai:example.org:small-1');
    unlike $small->{body}, qr/Values left out/, 'nothing is left out of a small record';
};

subtest '200 clients ask for every page at once' => sub {
    my @clients = map {
        my $n = $_;
        my $pid = fork // die "fork: $!";
        if (!$pid) {
            my %count;
            for (my $i = $n; !-e "$r->{dir}/enough"; ++$i) { my ($answer) = asked($paths[$i % @paths]); ++$count{$answer->{status}} }
            open my $out, '>', "$r->{dir}/client-$n" or POSIX::_exit(1);
            print {$out} join ' ', map { "$_:$count{$_}" } sort keys %count;
            close $out;
            POSIX::_exit(0);
        }
        $pid;
    } 1 .. 200;
    my $prompt = Promptness->new;
    my (@bad);
    for (1 .. 60) {
        my $answer = $prompt->measure(sub { $r->ask('verb=Identify') });
        push @bad, $answer->{status} if $answer->{status} ne '200';
        pace(0.1);
    }
    ok wait_until(sub { (() = $r->log_text =~ m{event=request .*/browse.* status=200 }g) > 10 }), 'pages were shown meanwhile';
    spew("$r->{dir}/enough", '');
    is "@bad", '', 'Identify is always answered';
    $prompt->is_kept(2, 'within two seconds');
    waitpid $_, 0 for @clients;
    my %count;
    for (glob "$r->{dir}/client-*") { for (split / /, do { local (@ARGV, $/) = $_; <> }) { my ($status, $n) = split /:/; $count{$status} += $n } }
    note 'answers: ', join ', ', map { "$count{$_} of $_" } sort keys %count;
    is join(' ', grep { !/^(?:200|404|503)$/ } sort keys %count), '', 'each client got a page, or was told to come again';
};

is $r->stop('TERM'), 0, 'the server ends when it is told to';
done_testing();
