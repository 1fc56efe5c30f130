#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A month in the life of an aggregator: more than forty sources are harvested every night by the command that the shipped timer runs.
# Made-up providers have every malady that the harvester knows, vanish, come back, change their granularity, are restored from a
# backup, rename their sets, refuse and set their clocks wrong (t/lib/LongLivedRepository.pm); two sources are servers of our own, and one is a
# static repository behind a gateway of ours. At the end what is served is compared with what the sources hold, record by record, with
# the provenance of each; nothing has grown that should not; `oai repository status` has said of each source how it was.
#
# PostgreSQL, the servers, `oai` and the providers share a clock that is turned (t/lib/Clock.pm, as t/fault has it): the programs take the
# time from the system, as ever, and need no means of their own for being tested. systemd does not run here: the command is the one of
# deploy/systemd, and is run once a night with up to two hours' delay, as the timer says.
# In the short form it is one night: every source is harvested for the first time, and compared.
# OAI_MONTH_DAYS: 31, how long it lasts; not fewer, but 1. OAI_MONTH_SPOIL=deletions or records: the database loses some of them on the way,
# and the test has to fail. The ledger is written to build/month.tsv.
use TestProgram;
use Clock;
use List::Util qw(min);
use LongLivedRepository;
use StaticWeb;
use Time::HiRes qw(time);
use XML::LibXML;

my $days  = $ENV{OAI_MONTH_DAYS} // (is_long() ? 31 : 1);
my $is_month = $days >= 31;
$is_month || $days == 1 or die "OAI_MONTH_DAYS: 1, or 31 and more: the last thing happens on day 24, and is to be seen\n";
my $began = time;

# ---- The clock, and a PostgreSQL that has it

my $dir   = shared_directory();
my $clock = Clock->new($dir);
my %turned = $clock->environment;
@ENV{keys %turned} = values %turned;
my $base = POSIX::floor($began / 86_400) * 86_400 - ($days + 3) * 86_400;
# Turns the clock to a second of a day.
my $ahead;
sub turn { my ($day, $second) = @_; $clock->turn($ahead = int($base + $day * 86_400 + $second - time)); return }
turn(0, 0);
chomp($ENV{OAI_TEST_DB} = `$root/t/lib/cluster start $dir/pg`);
$? == 0 or die "no PostgreSQL for the test\n";
$ENV{OAI_KEEP_DB} = 1;   # the databases go with their cluster
my $me = $$;
END { if (defined $me && $$ == $me) { my $status = $?; WebServer::stop_all(); system("$root/t/lib/cluster", 'stop', "$dir/pg"); $? = $status } }

sub repository {
    my ($namespace, $model) = @_;
    my $r = Repository->new(db => Database->new(model => $model), formats => $model eq 'library' ? "$root/xslt/library" : "$root/xslt",
        ini => {repository => {name => "The $namespace", identifier_namespace => $namespace}, lists => {records => 500}, harvest => {repositories => 4},
            browse => {directory => "$root/xslt/page"}, server => {idle_seconds => 60, request_seconds => 120}});
    $r->configure(base_url => $r->url);
    $r->start;
    return $r;
}
sub succeed { my ($what, $r, @arguments) = @_; my ($status, $said) = $r->oai(@arguments); is($status, 0, $what) or diag $said; return $said }
# A round of the publisher, which is never so late that it has to wait for the next second: hours have passed. The first numbering
# takes more than one, and until it is through a server refuses lists.
sub publish {
    my ($r) = @_;
    do { $clock->turn($ahead += 2); $r->{db}->run('select oai.publish(100000)') } while $r->{db}->value('select h is null from oai.horizon') eq 't';
    my ($path) = slurp($r->{ini}) =~ m{^base_url = http://[^/]*(\S*)}m;
    wait_until(sub { $r->ask("$path/-/health")->{body} =~ /"ready": true/ }) or die "the server of $r->{ini} does not see what is published\n";
    return;
}

# ---- The sources

# Each night another malady that keeps a list from being harvested; the last nights they are well.
my @nights = qw(truncated_once truncated broken_off empty_once html_once html error_500 error_404 busy busy_date busy_for_ever busy_silent too_many redirect_loop
    redirect_file gzip_garbage gzip_cut gzip_bomb huge hangs_up same_token circle empty_pages bad_token_once bad_token_thrice bad_token vanishes no_format
    worse_record nameless doctype deep friendly error_at_once no_such_host vanished forbidden drips);
my %made_up = map { ($_ => {malady => $_}) } qw(sound html_type no_type lead utf16 latin1 prefixed no_namespace far_namespaces controls entities wrong_size no_specs
    loses_dates repeats no_size odd_token escaped_token gzip redirect ends_with_error some_empty_pages nested_records junk_behind days bad_record);
for my $wheel (1 .. 3) { $made_up{"wheel$wheel"} = {sick => {map { (2 + $_ => $nights[($_ * 3 + $wheel) % @nights]) } 0 .. 24}} }
sub every_day { my ($malady, $from, $to) = @_; return {map { ($_ => $malady) } $from .. $to // $days + 5} }
%made_up = (%made_up,
    loses_set => {malady => 'loses_set', sets => 'best'},
    vanishes_for_ever => {sick => every_day('vanished', 10)},
    falls_silent => {sick => every_day('no_such_host', 12)},
    comes_back => {sick => every_day('vanished', 10, 18)},
    refuses => {sick => every_day('forbidden', 20)},
    to_days => {granularity => {12 => 'days'}},
    to_seconds => {granularity => {0 => 'days', 12 => 'seconds'}},
    restored => {restored => [15, 11]},
    emptied => {emptied => 22},
    night_off => {dark => 15, wanders => 1},
    moves => {malady => 'moves'},
    moves_to_the_end => {malady => 'moves', options => ['--delete-missing', '--full-interval', '5d']},
    leaves_its_set => {leaves => 1, sets => 'all'},
    long_bad => {sick => every_day('worst_ones', 0, $days - 4)},
    renames => {renamed => 12, restamped => 1},
    renames_silently => {renamed => 12},
    renames_its_set => {renamed => 12, restamped => 1, sets => 'all'},
    tells_nothing => {policy => 'no', options => [qw(--full-interval 7d --delete-missing)]},
    forgets => {policy => 'transient'},
    ahead => {ahead => {8 => 10 * 365 * 86_400}},
    twin_one => {identifiers => 'twins', options => [qw(--identifiers theirs)]},
    twin_two => {identifiers => 'twins', options => [qw(--identifiers theirs)]});
$made_up{$_}{name} = $_ for keys %made_up;
my @hosts;
my @names = sort keys %made_up;
for my $k (0 .. 5) {
    my %of_host = map { ($_ => $made_up{$_}) } @names[grep { $_ % 6 == $k } 0 .. $#names];
    push @hosts, LongLivedRepository->new(host => '127.0.0.' . ($k + 11), clock => "$dir/clock", base => $base, sources => \%of_host);
}

my $hub = repository('hub.example', 'library');
my $library = repository('library.example', 'library');
my $archive = repository('archive.example', 'webarchiv');
my $museum = repository('hall.example', 'library');   # what has the namespace of one's own is not taken
my $web = StaticWeb->new;
$museum->configure(base_url => $museum->url . '/' . "127.0.0.1%3A$web->{port}/museum.xml");
$museum->stop;
$museum->start;
my %ours = (library => $library, archive => $archive, museum => $museum);
my %url = ((map { ($_ => $made_up{$_}{url}) } @names), library => $library->url, archive => $archive->url, museum => slurp($museum->{ini}) =~ /^base_url = (.*)$/m);

sub museum_file {
    my ($day) = @_;
    my $records = join '', map {
        my $stamp = LongLivedRepository::utc($base + ($_ > 5 ? $_ - 5 : $_ == 1 + $day % 5 ? $day : 0) * 86_400, 1);
        "<oai:record><oai:header><oai:identifier>oai:museum.example:$_</oai:identifier><oai:datestamp>$stamp</oai:datestamp></oai:header><oai:metadata>"
            . '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            . 'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
            . "<dc:title>Title $_</dc:title><dc:description>of day @{[$_ == 1 + $day % 5 ? $day : 0]}</dc:description></oai_dc:dc></oai:metadata></oai:record>\n"
    } 1 .. 5, map { $_ + 5 } 1 .. $day;
    return '<?xml version="1.0" encoding="UTF-8"?><Repository xmlns="http://www.openarchives.org/OAI/2.0/static-repository" xmlns:oai="http://www.openarchives.org/OAI/2.0/">'
        . "<Identify><oai:repositoryName>Museum</oai:repositoryName><oai:baseURL>$url{museum}</oai:baseURL><oai:protocolVersion>2.0</oai:protocolVersion>"
        . '<oai:adminEmail>curator@museum.example</oai:adminEmail><oai:earliestDatestamp>' . LongLivedRepository::utc($base, 1) . '</oai:earliestDatestamp><oai:deletedRecord>no</oai:deletedRecord>'
        . '<oai:granularity>YYYY-MM-DD</oai:granularity></Identify><ListMetadataFormats><oai:metadataFormat><oai:metadataPrefix>oai_dc</oai:metadataPrefix>'
        . '<oai:schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</oai:schema><oai:metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</oai:metadataNamespace>'
        . "</oai:metadataFormat></ListMetadataFormats><ListRecords metadataPrefix=\"oai_dc\">\n$records</ListRecords></Repository>\n";
}
# The day of our own sources.
sub evening {
    my ($day) = @_;
    $library->{db}->run("insert into library.item (local_id, title, description) select 'day/$day/' || n, array['Title ' || n], array['of day $day'] from generate_series(1, 4) n",
        "update library.item set description = array['changed on day $day'] where not deleted and id % 7 = $day % 7 and id % 3 = 0",
        "update library.item set deleted = true where id = (select min(id) from library.item where not deleted and id > $day)");
    $archive->{db}->run('insert into webarchiv.doc (archived_time, url, surt) select timestamptz ' . "'2019-01-01Z' + n * interval '1 hour', 'http://example.org/$day/' || n, 'org,example)/$day/' || n from generate_series(1, 5) n",
        "update webarchiv.doc set deleted = true where id = (select min(id) from webarchiv.doc where not deleted and id > $day)");
    $web->put('museum.xml', museum_file($day));
    publish($_) for $library, $archive;
    return;
}
# The same command as a unit's instance runs, with its file in /etc/oai-fcgi/harvest.
sub unit_command {
    my ($r, %environment) = @_;
    my ($command) = slurp("$root/deploy/systemd/oai-harvest\@.service.in") =~ /^ExecStart=(.*)$/m;
    my %all = (COMMAND => 'harvest', CONFIG => $r->{ini}, %environment);
    $command =~ s/\@bindir\@/$r->{bin}/;
    $command =~ s/\$\{(\w+)\}|\$(\w+)/$all{$1 \/\/ $2}/g;
    return split ' ', $command;
}
my %memory;   # of oai harvest, KB by day
sub night {
    my ($day) = @_;
    my ($status, $taken) = run_program(unit_command($museum, HARVEST => 'file'));
    $status eq '0' or die $taken;
    publish($museum);
    my $log = "$dir/night";
    my $pid = start_program([unit_command($hub, HARVEST => '--due --longest-wait 0 --tries 3 --page-limit 2 --quiet')], out => $log);
    while (waitpid($pid, POSIX::WNOHANG) == 0) { $memory{$day} = $1 if slurp("/proc/$pid/status", '') =~ /^VmHWM:\s*(\d+)/m; pace(0.02) }
    publish($hub);
    return slurp($log);
}

for my $name (@names) { succeed("$name is noted", $hub, 'repository', 'add', $name, $url{$name}, ($made_up{$name}{sets} ? ('--set', $made_up{$name}{sets}) : ()), @{ $made_up{$name}{options} // [] }) }
succeed("$_ is noted", $hub, 'repository', 'add', $_, $url{$_}) for sort keys %ours;
succeed('so is the file of the museum', $museum, 'repository', 'add', 'file', $web->url('museum.xml'), '--identifiers', 'theirs', '--delete-missing');
my @all = sort @names, keys %ours;
cmp_ok scalar(@all), '>=', 40, scalar(@all) . ' sources';
like slurp("$root/deploy/systemd/oai-harvest\@.timer.in"), qr/^OnCalendar=daily\n.*^RandomizedDelaySec=2h\n/ms, 'the timer comes once a day, with up to two hours of delay';
like slurp("$root/deploy/manual/aggregate.md"), qr/`HARVEST=--due` in .*oai-harvest\@all\.timer/, 'and the manual says what it runs: oai harvest --due';

if (my $spoil = $ENV{OAI_MONTH_SPOIL}) {
    $hub->{db}->run(
        "create function spoil() returns trigger language plpgsql as \$\$ begin " . ($spoil eq 'deletions' ? 'new.deleted := old.deleted; return new;' : 'if hashtext(new.local_id) % 50 = 0 then return null; end if; return new;') . ' end $$',
        'create trigger spoil before ' . ($spoil eq 'deletions' ? 'update of deleted' : 'insert') . ' on library.item for each row execute function spoil()');
}

# ---- The month

# The state of each source, as the administrator is told, and what stands below it.
my (%state, %told);
sub ask_states {
    my (undef, $said) = $hub->oai('repository', 'status');
    (%state, %told) = ();
    my $name;
    for my $line (split /\n/, $said) {
        if ($line =~ /^(\w+): http/) { $name = $1; next }
        $state{$name} //= $line =~ /^  (\w+)/ ? $1 : '';
        $told{$name} .= "$line\n";
    }
    return;
}
my (%size, %rows, %resident);
sub measure {
    my ($day) = @_;
    # Autovacuum sleeps for a minute between its rounds, which is half a month here.
    $hub->{db}->run('vacuum');
    $size{$day} = {map { @$_ } $hub->{db}->rows("select c.oid::regclass, pg_total_relation_size(c.oid) from pg_class c join pg_namespace s on s.oid = c.relnamespace
        where c.relkind = 'r' and s.nspname in ('library', 'harvest', 'oai')")};
    $rows{$day} = {map { ($_ => $hub->{db}->value("select count(*) from $_")) } qw(library.item harvest.record harvest.list harvest.set harvest.repository oai.queue library.collection)};
    $hub->ask("verb=ListRecords&metadataPrefix=oai_dc") for 1 .. 20;
    ($resident{$day}) = slurp("/proc/$hub->{pid}/status") =~ /^VmRSS:\s*(\d+)/m;
    return;
}
my %night;   # what was said
my %on = (
    11 => sub {
        like $told{long_bad}, qr/healthy.*\b[1-9]\d* records could not be taken/s, 'records that never parse are told, and the source goes on' or diag $told{long_bad};
        is $state{$_}, 'failing', "$_ is failing on its second night" for qw(vanishes_for_ever comes_back);
        like $told{comes_back}, qr/failing since \d{4}-\d\d-\d\dT.*; last complete \d{4}.*HTTP status 404/s, 'since when, when it was harvested last, and why, is said';
    },
    13 => sub {
        is $state{$_}, 'stale', "$_ is stale" for qw(renames_silently renames_its_set);
        like $told{renames_its_set}, qr/no longer has the sets all.*do: oai harvest renames_its_set --full; or name its sets: oai repository change renames_its_set --set/s, 'the lost set is named, and what to do';
    },
    15 => sub { like $night{15}, qr/^night_off: complete: .*; \d\d records are deleted there, most of what is here/m, 'the one that is dark for a night keeps its records' },
    16 => sub {
        like $night{16}, qr/^night_off: complete: (?!.*deleted there)/m, 'and in the next night has them again';
        is $state{restored}, 'stale', 'the one that was restored from a backup is stale';
        like $told{restored}, qr/was set back.*oai:restored\.example:\d+ of \d{4}.*do: oai harvest restored --full --delete-missing/s, 'by which record it is known, and what to do, is said' or diag $told{restored};
        succeed('the set that has another name now is named', $hub, qw(repository change renames_its_set --set everything));
        succeed('and harvested', $hub, qw(harvest renames_its_set --full));
    },
    18 => sub { like succeed('the one that was restored is harvested anew', $hub, qw(harvest restored --full --delete-missing)), qr/restored: complete: .*[1-9]\d* deleted/, 'and what it does not have any more is deleted' },
    19 => sub { is $state{restored}, 'healthy', 'then it is healthy'; is $state{comes_back}, 'healthy', 'and so is the one that came back' },
    20 => sub { is $state{$_}, 'gone', "$_ is gone after a week" for qw(vanishes_for_ever falls_silent); succeed('the one that renamed its sets silently is harvested anew', $hub, qw(harvest renames_silently --full)) },
    21 => sub { is $state{refuses}, 'refused', 'the one that refuses is said to do so' },
    23 => sub { is $state{emptied}, 'stale', 'the one that has lost everything is stale, and its records are still there' },
    24 => sub { succeed('its records are given up', $hub, qw(harvest emptied --full --delete-missing --believe)) });
for my $day (0 .. $days - 1) {
    turn($day, LongLivedRepository::EVENING + 60);
    evening($day);
    turn($day + 1, 60 + ($day * 2_819) % 7_200);
    $night{$day} = night($day);
    ask_states();
    $on{$day}->() if $on{$day};
    publish($hub) if $on{$day};
    measure($day) if $day == 10 || $day == 20 || $day == $days - 1;
}
succeed('the one without deletions is harvested anew, if it was not in the last night', $hub, qw(harvest tells_nothing --full)) if ($days - 1) % 6;
publish($hub);
ask_states();
my $lasted = time - $began;

# ---- What is served, and what the sources hold

sub elements { my ($xpath, $record) = @_; return join ' | ', sort map { $_->localname . '=' . $_->textContent } $xpath->findnodes('o:metadata/*/*', $record) }
# identifier => {deleted, stamp, sets, metadata, origin} of all records; how often each came is counted.
sub served {
    my ($r, $path) = @_;
    my %got;
    for (my $query = 'verb=ListRecords&metadataPrefix=oai_dc'; $query;) {
        my $answer = $r->ask($path ? "$path?$query" : $query);
        $answer->{status} eq '200' or die "$answer->{status} $answer->{body}";
        my $xpath = XML::LibXML::XPathContext->new(XML::LibXML->load_xml(string => $answer->{body}));
        $xpath->registerNs(o => 'http://www.openarchives.org/OAI/2.0/');
        $xpath->registerNs(p => 'http://www.openarchives.org/OAI/2.0/provenance');
        for my $record ($xpath->findnodes('//o:record')) {
            my $id = $xpath->findvalue('o:header/o:identifier', $record);
            my ($origin) = $xpath->findnodes('o:about/p:provenance/p:originDescription', $record);
            my $times = ($got{$id} // {times => 0})->{times} + 1;
            $got{$id} = {times => $times, deleted => $xpath->findvalue('o:header/@status', $record) eq 'deleted' ? 1 : 0, stamp => $xpath->findvalue('o:header/o:datestamp', $record),
                sets => join(' ', sort map { $_->textContent } $xpath->findnodes('o:header/o:setSpec', $record)), metadata => elements($xpath, $record),
                origin => $origin ? join(' ', $origin->getAttribute('altered'), map { $xpath->findvalue("p:$_", $origin) } qw(baseURL identifier datestamp)) : ''};
        }
        my $token = $xpath->findvalue('//o:resumptionToken');
        $query = $token ? "verb=ListRecords&resumptionToken=$token" : '';
    }
    return \%got;
}
my %frozen = (vanishes_for_ever => 9, falls_silent => 11, refuses => 19);   # the last evening that was harvested
# What a made-up source holds, in the same form.
sub held {
    my ($name) = @_;
    my $source = $made_up{$name};
    my $last = min($frozen{$name} // $days - 1, $days - 1);
    my $all = LongLivedRepository::holdings($source, $last);
    my %held;
    for my $n (keys %$all) {
        my $r = $all->{$n};
        next if $source->{leaves} && $r->{spec} eq 'rest';   # it may be here as a deleted one
        my $in_days = ($source->{malady} // '') eq 'days';
        # A record is known by the datestamp that it had when it came and said something new.
        $in_days = LongLivedRepository::since_then($source->{granularity}, POSIX::floor(($r->{stamp} - $base - LongLivedRepository::EVENING) / 86_400), 'seconds') eq 'days' if $source->{granularity};
        my $stamp = LongLivedRepository::utc($r->{stamp}, $in_days);
        $held{ LongLivedRepository::identifier($source, $n) } = {deleted => $r->{deleted}, stamp => $stamp, changed => LongLivedRepository::utc($r->{changed}, $in_days), sets => $name eq 'no_specs' ? '' : $r->{spec},
            metadata => $r->{deleted} ? '' : 'description=version ' . $r->{version} . " | identifier=http://living.example/$name/$n | title=" . LongLivedRepository::title($source, $n)};
    }
    return \%held;
}
# Of one source: how many records it holds; how many of them are served, are deleted here, are missed, are left over, are doubled, are
# otherwise than there; of how many the provenance is right. A record that the source has no more may be here as a deleted one, and a
# deleted one stays in the sets that it was deleted in.
sub balance {
    my ($name, $held, $served) = @_;
    my %b = (held => scalar keys %$held, map { ($_ => 0) } qw(served deleted missed left doubled other right));
    my %mine;
    for my $id (keys %$served) {
        next if $served->{$id}{sets} !~ /(?:^| )col:\Q$name\E(?: |:|$)/;
        my $theirs = $id =~ s{^oai:hub\.example:\Q$name\E/}{}r;
        $b{doubled} += $served->{$id}{times} - 1 + ($mine{$theirs} ? 1 : 0);
        $mine{$theirs} = $served->{$id};
    }
    for my $id (keys %mine) {
        $b{ $mine{$id}{deleted} ? 'deleted' : 'served' }++;
        $b{left}++ if !$held->{$id} && !$mine{$id}{deleted};
    }
    for my $id (keys %$held) {
        my ($there, $here) = ($held->{$id}, $mine{$id});
        if (!$here) { $b{missed}++ if !$there->{deleted}; next }   # one that was deleted before it was met
        my $sets = join ' ', sort map { "col:$name:$_" } split / /, $there->{sets};
        $sets ||= "col:$name";
        my $own_sets = join ' ', grep { /^col:/ } split / /, $here->{sets};
        # The headers of this one name the set only to who asks for it, so its records leave, and come again.
        my $equal = $name eq 'loses_set' || $there->{deleted} == $here->{deleted} && $there->{metadata} eq $here->{metadata} && ($here->{deleted} || $sets eq $own_sets);
        $b{other}++ if !$equal;
        $b{why} //= "$id: there $there->{deleted} $there->{metadata} $sets; here $here->{deleted} $here->{metadata} $own_sets" if !$equal;
        next if $here->{deleted};
        my $altered = $name =~ /^(?:far_namespaces|nested_records)$/ ? 'true' : 'false';   # they have elements and attributes of other namespaces
        # What comes again under another datestamp and says nothing new, but for its sets, may have either.
        my ($origin, @or) = map { "$altered $url{$name} $id $_" } $there->{stamp}, $there->{changed} // ();
        if (grep { $here->{origin} eq $_ } $origin, $name =~ /^(?:night_off|renames)/ ? @or : ()) { $b{right}++ } else { $b{why} //= "$id: provenance $here->{origin}, not $origin" }
    }
    return \%b;
}
my $served = served($hub);
my %held = ((map { ($_ => held($_)) } @names), library => served($library), archive => served($archive), museum => served($museum, $url{museum} =~ s{^http://[^/]*}{}r));
my @columns = qw(held served deleted missed left doubled other right);
my @ledger = map { my $name = $_; {name => $name, state => $state{$name}, %{ balance($name, $held{$name}, $served) }} } @all;
open my $tsv, '>', "$build/month.tsv" or die "$build/month.tsv: $!";
print {$tsv} join("\t", 'source', @columns, 'state'), "\n", map { my $line = $_; join("\t", map({ $line->{$_} } 'name', @columns, 'state')) . "\n" } @ledger;
close $tsv or die $!;
note sprintf '%-18s' . ' %8s' x @columns . '  %s', 'source', @columns, 'state';
note sprintf '%-18s' . ' %8d' x @columns . '  %s', @{$_}{'name', @columns, 'state'} for @ledger;
my %sum = map { my $column = $_; my $n = 0; $n += $_->{$column} for @ledger; ($column => $n) } @columns;
note sprintf '%-18s' . ' %8d' x @columns, 'all', @sum{@columns};
for my $line (@ledger) {
    is join(' ', map { "$_ $line->{$_}" } qw(missed left doubled other)) . ' provenance ' . ($line->{right} - $line->{served} + $line->{left}), 'missed 0 left 0 doubled 0 other 0 provenance 0',
        "$line->{name}: all of its $line->{held} records are served as they are there" or diag $line->{why} // '';
}
is scalar(grep { $served->{$_}{sets} !~ /col:/ } keys %$served), 0, 'every record has a source';
# The ledger sees what is wrong.
my ($live) = grep { $served->{$_}{sets} =~ /col:sound:/ && !$served->{$_}{deleted} } sort keys %$served;
for (['missed', sub { delete $_[0]{$live} }], ['left', sub { $_[0]{"${live}0001"} = $_[0]{$live} }], ['doubled', sub { $_[0]{$live} = {%{ $_[0]{$live} }, times => 2} }],
    ['other', sub { $_[0]{$live} = {%{ $_[0]{$live} }, deleted => 1} }]) {
    my ($column, $spoil) = @$_;
    my %spoilt = %$served;
    $spoil->(\%spoilt);
    is balance('sound', $held{sound}, \%spoilt)->{$column}, 1, "a record that is $column is counted";
}

# ---- What the administrator is told in the end

my %special = ($is_month ? (vanishes_for_ever => 'gone', falls_silent => 'gone', refuses => 'refused', loses_dates => 'lying', emptied => 'quiet') : (),
    map { ($_ => 'lying') } qw(wrong_size loses_set repeats));
is_deeply {map { ($_ => $state{$_}) } @all}, {map { ($_ => $special{$_} // 'healthy') } @all}, 'each source is said to be as it is' or diag map { "$_: $told{$_}" } grep { $state{$_} ne ($special{$_} // 'healthy') } @all;
like $told{forgets}, qr/deleted records: transient/, 'with its policy of deletion';
is scalar(grep { /it does not tell deletions/ } values %told), 0, 'and no source without deletions is left alone';

# ---- What has grown

my ($first, $middle, $end) = (10, 20, $days - 1);
is $rows{$end}{'oai.queue'}, 0, 'nothing waits to be published in the end';
my $by_sets = grep { $made_up{$_}{sets} } @names;    # what has left their sets is looked for among the headers of the whole
is $rows{$end}{'harvest.list'}, @all + $by_sets + ($is_month ? 1 : 0), 'a list for each source, and for the set that another one took the place of';
is $rows{$end}{'harvest.record'}, $rows{$end}{'library.item'}, 'a row for each record';
cmp_ok $rows{$end}{'harvest.set'}, '<=', $rows{$end}{'library.collection'} + 2, 'no sets are left that no record is in';
sub compare_growth {
    is $rows{$_}{'oai.queue'}, 0, "day $_: nothing waits to be published" for $first, $middle;
    my $more = $rows{$end}{'library.item'} / $rows{$middle}{'library.item'};
    for my $table (sort keys %{ $size{$end} }) {
        next if $size{$end}{$table} < 400_000;
        cmp_ok $size{$end}{$table}, '<', 1.25 * $more * $size{$middle}{$table}, sprintf '%s grew from %d to %d KB, as its rows did', $table, $size{$middle}{$table} / 1024, $size{$end}{$table} / 1024;
    }
    cmp_ok $resident{$end}, '<', $resident{$first} + 8_192, "the server's memory: $resident{$first}, $resident{$middle}, $resident{$end} KB";
    my @peak = map { my ($from, $to) = @$_; (sort { $b <=> $a } map { $memory{$_} // 0 } $from .. $to)[0] } [1, 10], [$days - 10, $days - 1];
    cmp_ok $peak[1], '<', 1.3 * $peak[0], "oai harvest's memory at its most: $peak[0], then $peak[1] KB";
    return;
}
compare_growth() if $is_month;
my $bytes = 0;
$bytes += $_ for values %{ $size{$end} };
my ($postmaster) = slurp("$dir/pg/pgdata/postmaster.pid") =~ /^(\d+)/;
my @of_database = (split ' ', slurp("/proc/$postmaster/stat") =~ s/.*\) //sr)[11 .. 14];
my $ticks = 0;
$ticks += $_ for @of_database;
my (undef, undef, $user, $system) = times;
note sprintf '%d items, %d bytes of tables each; %.0f s, of which the month %.0f; processor: PostgreSQL %.0f s, programs %.0f', $rows{$end}{'library.item'},
    $bytes / $rows{$end}{'library.item'}, time - $began, $lasted, $ticks / POSIX::sysconf(POSIX::_SC_CLK_TCK()), $user + $system;
is $hub->{db}->value('select count(*) from oai.check_chunks()') + $hub->{db}->value('select count(*) from oai.check_items()'), 0, 'what the publisher keeps is consistent';
is $_->stop, 0, 'a server stops with status 0' for $hub, $library, $archive, $museum;
done_testing;
