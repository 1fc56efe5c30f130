# SPDX-License-Identifier: MIT
# Providers that live: each holds records that come, change, go and come back day by day, with every malady of HostileProvider.pm, and
# with what happens to repositories in the course of a month. A provider runs in a process of its own on an address of its own;
# what it holds on a day follows from its description alone, so that a test knows it without asking.
#   my $host = LongLivedRepository->new(host => '127.0.0.2', clock => "$dir/clock", base => $epoch, sources => {$name => {...}});
#   $host->url($name)                     a base URL
#   LongLivedRepository::holdings($source, $day)       number => {stamp, deleted, version, changed, spec}; what the source holds on the evening of that
#                                         day; changed: the datestamp that this version had when it came
#   LongLivedRepository::title($source, $number, ...)  what it says in dc:title, as one ought to read it
# A source is a hash of: malady => name; sick => {day => malady} of that day alone; policy => no, transient, persistent; granularity
# => {day => 'days' or 'seconds'} from that day on; renamed => day, restamped => 1: the set `all` is called `everything` from then
# on, and its records get new datestamps or not; restored => [day, from]: on that day it is what it was on the other one;
# leaves => 1: each day a record goes to the set `rest`; emptied => day; dark => day: that evening all of it is deleted, and on the next all is there again; wanders => 1: its
# earliestDatestamp; ahead => {day => seconds}: its clock; identifiers => word: in the place of its name in identifiers.
# The days begin at `base`, and the clock is that of Clock.pm.
package LongLivedRepository;
use strict;
use warnings;
use parent -norequire, 'HostileProvider';
use File::Temp qw(tempdir);
use IO::Socket::INET;
use HostileProvider;
use POSIX ();
use Process;

use constant {FIRST => 14, PAGE => 2, DAY => 86_400, EVENING => 72_000};

my @running;
END { my $status = $?; kill 'KILL', $_ and waitpid $_, 0 for @running; $? = $status }

sub new {
    my ($class, %how) = @_;
    my $listener = IO::Socket::INET->new(Listen => 64, LocalAddr => $how{host}, ReuseAddr => 1) or die "listen on $how{host}: $!";
    my $self = bless {%how, dir => tempdir('oai-living-XXXXXX', TMPDIR => 1, CLEANUP => 1), port => $listener->sockport}, $class;
    $_->{base} = $self->{base} for values %{ $self->{sources} };
    $self->{sources}{$_}{url} = $self->url($_) for keys %{ $self->{sources} };
    push @running, later(sub { $self->serve($listener) });
    return $self;
}

sub url { my ($self, $name) = @_; return "http://$self->{host}:$self->{port}/$name" }

# ---- what a source holds

sub stamp { my ($source, $day, $second) = @_; return $source->{base} + $day * DAY + EVENING + $second }

sub put {
    my ($all, $number, %is) = @_;
    my $version = ($all->{$number} // {version => 0})->{version} + 1;
    $all->{$number} = {%{ $all->{$number} // {} }, deleted => 0, %is, version => $version, changed => $is{stamp}};
    return;
}

# One day in the life of a source: two records come, three change, one goes, and now and then one comes back.
sub live {
    my ($source, $day, $all) = @_;
    my $spec = $source->{renamed} && $day >= $source->{renamed} ? 'everything' : 'all';
    my $second = 0;
    if ($day == 0) { put($all, $_, stamp => stamp($source, 0, $second++), spec => $spec) for 1 .. FIRST; return }
    my ($alive, $gone) = map { my $wanted = $_; [grep { $all->{$_}{deleted} == $wanted } sort { $a <=> $b } keys %$all] } 0, 1;
    my $first = $source->{restored} && $day > $source->{restored}[0] ? 1000 + 2 * $day : FIRST + 2 * $day - 1;
    put($all, $first + $_, stamp => stamp($source, $day, $second++), spec => $spec) for 0, 1;
    for my $i (0 .. 2) { put($all, $alive->[($day * 5 + $i * 7) % @$alive], stamp => stamp($source, $day, $second++), spec => $spec) if @$alive }
    put($all, $alive->[($day * 11) % @$alive], deleted => 1, stamp => stamp($source, $day, $second++), spec => $spec) if @$alive > 4;
    put($all, $gone->[0], stamp => stamp($source, $day, $second++), spec => $spec) if @$gone && $day % 4 == 0;
    put($all, $alive->[($day * 3) % @$alive], stamp => stamp($source, $day, $second++), spec => 'rest') if $source->{leaves} && @$alive;
    if (($source->{renamed} // -1) == $day) {
        for my $record (map { $all->{$_} } sort { $a <=> $b } keys %$all) { $record->{spec} = $spec; $record->{stamp} = stamp($source, $day, $second++) if $source->{restamped} }
    }
    return;
}

sub holdings {
    my ($source, $day) = @_;
    my $days = $source->{days} //= [];
    for my $d (scalar @$days .. $day) {
        my %all = map { my %copy = %{ $days->[$d - 1]{$_} }; ($_ => \%copy) } $d ? keys %{ $days->[$d - 1] } : ();
        if ($source->{restored} && $d == $source->{restored}[0]) { %all = map { my %copy = %{ $days->[$source->{restored}[1]]{$_} }; ($_ => \%copy) } keys %{ $days->[$source->{restored}[1]] } }
        else {
            for my $r (grep { $_->{dark} } values %all) { @$r{qw(deleted stamp dark)} = (0, stamp($source, $d, 900), 0) }
            live($source, $d, \%all);
            for my $r (grep { !$_->{deleted} && ($source->{dark} // -1) == $d } values %all) { @$r{qw(deleted stamp dark)} = (1, stamp($source, $d, 900), 1) }
        }
        %all = () if $source->{emptied} && $d >= $source->{emptied};
        my $policy = $source->{policy} // 'persistent';
        for my $n (keys %all) {
            next if !$all{$n}{deleted};
            delete $all{$n} if $policy eq 'no' || ($policy eq 'transient' && $all{$n}{stamp} < stamp($source, $d - 3, 0));
        }
        $days->[$d] = \%all;
    }
    return $days->[$day];
}

sub identifier { my ($source, $number) = @_; return 'oai:' . ($source->{identifiers} // $source->{name}) . ".example:$number" }

my %spoilt = (latin1 => {11 => "Tit\x{e9}l 11"}, entities => {11 => 'A & B&nbsp;&eacute; AT&T 11'},
    controls => {map { ($_ => "Ti\x{fffd}tle $_") } 11 .. 13});
sub title { my ($source, $number) = @_; return $spoilt{ $source->{malady} // '' }{$number} // "Title $number" }

# ---- the provider

sub now { my ($self) = @_; open my $in, '<', $self->{clock} or die "$self->{clock}: $!"; read $in, my $bytes, 8; return time + unpack 'q', $bytes }
sub utc { my ($time, $days) = @_; return POSIX::strftime($days ? '%Y-%m-%d' : '%Y-%m-%dT%H:%M:%SZ', gmtime $time) }

# Of the value of the latest day that is not after this one.
sub since_then { my ($by_day, $day, $else) = @_; my ($last) = sort { $b <=> $a } grep { $_ <= $day } keys %{ $by_day // {} }; return defined $last ? $by_day->{$last} : $else }

sub record_text {
    my ($source, $number, $r) = @_;
    my $date = utc($r->{stamp}, $source->{in_days});
    return '<record><header' . ($r->{deleted} ? ' status="deleted"' : '') . '><identifier>' . identifier($source, $number) . "</identifier><datestamp>$date</datestamp>"
        . "<setSpec>$r->{spec}</setSpec></header>" . ($r->{deleted} ? '' : '<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
            . "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>Title $number</dc:title><dc:description>version $r->{version}</dc:description><dc:identifier>http://living.example/$source->{name}/$number</dc:identifier></oai_dc:dc></metadata>") . '</record>';
}

# The numbers of a list, by datestamp. A day in an argument is the whole day.
sub numbers {
    my ($source, $q) = @_;
    my $all = $source->{now};
    my $date = sub { my ($n) = @_; return utc($all->{$n}{stamp}, $source->{in_days} || length($q->{from} // '') == 10) };
    my $malady = $source->{today};
    my $from = $malady eq 'loses_dates' ? '' : $q->{from} // '';
    my $set = $malady eq 'loses_set' ? '' : $q->{set} // '';
    return sort { $all->{$a}{stamp} <=> $all->{$b}{stamp} || $a <=> $b } grep { ($from eq '' || $date->($_) ge $from) && ($set eq '' || $all->{$_}{spec} eq $set) } keys %$all;
}

# In the place of HostileProvider's page(): of this source, today.
sub page {
    my ($source, $q, %how) = @_;
    my $verb = $q->{verb} // '';
    my %identify = (repositoryName => "The $source->{name}", baseURL => $source->{url}, deletedRecord => $source->{policy} // 'persistent',
        earliestDatestamp => utc($source->{base} + ($source->{wanders} ? $source->{day} * DAY : 0), $source->{in_days}), granularity => $source->{in_days} ? 'YYYY-MM-DD' : 'YYYY-MM-DDThh:mm:ssZ', %{ $how{identify} // {} });
    return HostileProvider::identify(%identify) if $verb eq 'Identify';
    my $set = $source->{renamed} && $source->{day} >= $source->{renamed} ? 'everything' : 'all';
    return HostileProvider::document('<ListSets>' . join('', map { "<set><setSpec>$_</setSpec><setName>$_</setName></set>" } $set, $source->{leaves} ? 'rest' : ()) . '</ListSets>') if $verb eq 'ListSets';
    if ($verb eq 'GetRecord') {
        my ($n) = ($q->{identifier} // '') =~ /(\d+)$/;
        return $source->{now}{$n // ''} ? HostileProvider::document('<GetRecord>' . record_text($source, $n, $source->{now}{$n}) . '</GetRecord>') : HostileProvider::problem('idDoesNotExist', 'no such record');
    }
    return HostileProvider::problem('badVerb', 'what?') if $verb !~ /^List(?:Records|Identifiers)$/;
    return HostileProvider::problem('badArgument', 'days, please') if $source->{in_days} && length($q->{from} // '') > 10;
    # Of the one harvester that there is. A list that moves does so in the first walk of a day.
    if (!$q->{resumptionToken}) { $source->{list} = {%$q}; $source->{walks}{ $source->{day} }++ }
    my @numbers = numbers($source, $source->{list});
    shift @numbers if $source->{today} eq 'moves' && $q->{resumptionToken} && @numbers > 2 && $source->{walks}{ $source->{day} } == 1;
    return HostileProvider::problem('noRecordsMatch', 'none') if !@numbers;
    my $after = ($q->{resumptionToken} // 't0') =~ /(\d+)/ ? $1 : 0;
    my $last = $after + PAGE < @numbers ? $after + PAGE : @numbers;
    my $next = $last < @numbers ? ($how{token} // sub { "t$_[0]" })->($last) : '';
    my $size = $how{size} // @numbers;
    my $text = sub { my ($n) = @_; my $record = record_text($source, $n, $source->{now}{$n}); return $verb eq 'ListRecords' ? $record : $record =~ s{^<record>|</header>\K.*}{}gsr };
    return HostileProvider::document("<$verb>\n" . join("\n", map { $text->($_) } @numbers[$after .. $last - 1])
        . "\n<resumptionToken completeListSize=\"$size\" cursor=\"$after\">$next</resumptionToken></$verb>");
}

# Maladies that are bound to certain records or tokens over there.
sub first { my ($verbs, $change) = @_; return sub { my ($q) = @_; my $t = HostileProvider::page($q); $change->(\$t) if $q->{verb} =~ /^(?:$verbs)$/; return HostileProvider::xml($t) } }
my %ours = (
    moves => sub { my ($q) = @_; return HostileProvider::xml(HostileProvider::page($q)) },
    worst_ones => sub { my ($q) = @_; return HostileProvider::xml(HostileProvider::page($q) =~ s{(<dc:title>Title \d*[05])</dc:title>}{$1</dc:titel>}gr) },
    repeats => first('ListRecords', sub { ${ $_[0] } =~ s{(<record>.*?</record>)}{$1$1}s }),
    same_token => sub { my ($q) = @_; my %second = (%$q, $q->{resumptionToken} ? (resumptionToken => 't2') : ()); return HostileProvider::xml(HostileProvider::page(\%second, token => sub { 't2' })) },
    ends_with_error => sub {
        my ($q) = @_;
        return HostileProvider::xml(HostileProvider::problem('noRecordsMatch', 'no more')) if ($q->{resumptionToken} // '') eq 'end';
        return HostileProvider::xml(HostileProvider::page($q) =~ s{></resumptionToken>}{>end</resumptionToken>}r);
    },
    worse_record => first('ListRecords|GetRecord', sub { ${ $_[0] } =~ s{</dc:title>}{</dc:titel>} }),
    nameless => first('ListRecords', sub { ${ $_[0] } =~ s{<identifier>.*?</identifier>}{<identifier/>} }),
    deep => first('ListRecords', sub { ${ $_[0] } =~ s{Title \d+}{'<a>' x 100_000}e }),
    huge => first('ListRecords', sub { ${ $_[0] } =~ s{Title \d+}{'x' x 3_000_000}e }),
    no_such_host => sub { (-2, {}, '') },
    forbidden => sub { (403, {}, 'go away') },
    redirect => sub { my ($q, undef, undef, $raw) = @_; return $raw =~ /&here=1/ ? HostileProvider::xml(HostileProvider::page($q)) : (302, {Location => "?$raw&here=1"}, '') },
    vanished => sub { (404, {}, 'not found') },
);

sub serve {
    my ($self, $listener) = @_;
    local $SIG{PIPE} = 'IGNORE';
    local $SIG{CHLD} = 'IGNORE';
    my %seen;
    while (my $client = $listener->accept) {
        my ($name, $raw, $gzip, $q) = HostileProvider::read_request($client) or next;
        my $source = $self->{sources}{$name} or next;
        my $now = $self->now;
        # What changes in the evening is there from then on.
        my $day = POSIX::floor(($now - EVENING - $self->{base}) / DAY);
        @$source{qw(day now)} = ($day, holdings($source, $day));
        my $malady = $source->{today} = $source->{sick}{$day} // $source->{malady} // 'sound';
        $source->{in_days} = $malady eq 'days' || since_then($source->{granularity}, $day, 'seconds') eq 'days';
        local $HostileProvider::date = utc($now + ($source->{ahead}{$day} // 0));
        local $HostileProvider::page_records = PAGE;
        local $HostileProvider::world = sub { return page($source, @_) };
        my $sick = $ours{$malady} // $HostileProvider::maladies{$malady} // die "no malady $malady";
        HostileProvider::answer($client, $sick->($q, ++$seen{$name}, ++$seen{"$day $name?$raw"}, $raw, $gzip, $self->{port}));
    }
    return;
}

1;
