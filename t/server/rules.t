#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Sets by a rule (schema/core/rules.sql): what is refused and why; random changes of items and rules, after each of which the sets
# are compared with the rows, and what enters or leaves must have a new number; then files that come, change and go under a running
# publisher, what harvesters see of them, and the shipped examples. Environment: OAI_SEED repeats a run.
use TestProgram;
use DocumentedCommands;
use RandomChanges;

sub json { return '[' . join(',', map { my %r = %$_; '{' . join(',', map { qq("$_":") . ($r{$_} =~ s/"/\\"/gr) . '"' } sort keys %r) . '}' } @_) . ']' }
sub register { my ($kept, @rules) = @_; return 'select oai.register_sets($j$' . json(@rules) . '$j$, ' . "'{$kept}')" }
sub rule { my ($name, $spec, $condition) = @_; return {name => $name, spec => $spec, title => "Title of $spec", condition => $condition} }

my $library = Database->new(model => 'library');

subtest 'what is refused, and with which words' => sub {
    $library->run("insert into library.item (local_id, title, year) select 'r' || n, array['t'], n from generate_series(1, 20) n");
    $library->publish;
    for my $case (
        [undef, "title[1] = 'x' and year > '2000'", "lower(title[1]) ~ '^x' and cardinality(subject) > 2 or doi is null", "to_date(date[1], 'YYYY-MM-DD') < date '2001-01-01'",
            'true) or (true', '1 / (year::integer - 7) = 0',   # on one row of twenty
            "year::integer > 5 and date[1]::text is not null and date '2001-01-01'::text > 'a'"],
        [qr/column "nonesuch" does not exist/, 'nonesuch = 1'], [qr/syntax error/, 'title = '], [qr/division by zero/, '1 / 0 = 1'],
        [qr/where: /, 'true); drop table library.item; select (true'],
        [qr/permission denied|a query within/, 'exists (select from library.item)'], [qr/a query within the condition|another table/, 'true) union select 1::bigint where (true'], [qr/permission denied|volatile/, "pg_read_file('/etc/passwd') is null"],
        [qr/a query within the condition/, 'year = (select max(year) from oai.record)'], [qr/the function random, which is volatile/, 'random() < 0.5'],
        [qr/the current time/, "current_date > date '2030-01-01'", "date[1] < 'today'"], [qr/the function now, which depends on more/, "now() > timestamptz '2030-01-01'"],
        [qr/a conversion to date, which depends on more/, "concat('to', 'day')::date > date '2030-01-01'"], [qr/a conversion to timestamp with time zone/, 'date[1]::timestamptz is null'],
        [qr/the function date_in, which depends on more/, 'date_in(textout(date[1])) is null'], [qr/the whole record/, "r::text like '%x%'"],
        [qr/the column (seq|datestamp|collections_id), which publication changes/, 'seq > 10', 'datestamp is null', '12 = any (collections_id)'],
    ) {
        my ($words, @conditions) = @$case;
        for my $condition (@conditions) {
            my $said = $library->value("set role oai_publisher; select oai.judge_rule('a', \$c\$$condition\$c\$, null)");
            defined $words ? like($said // '', $words, $condition) : is($said, undef, $condition);
        }
    }
    is $library->value("set role oai_publisher; select oai.judge_rule('$_', 'true', null)"), 'the set type is not made by a rule', $_ for 'type', 'type:own';
    is $library->value("set role oai_publisher; select oai.judge_rule('a', 'true', '<broken')") =~ /XML/ ? 1 : 0, 1, 'a description that is no XML';
};

# Returns words for what is wrong, '' if nothing is.
sub problems {
    my ($db, %is_met) = @_;
    for my $check (qw(chunks items rules sets)) {
        my ($bad) = $db->rows("select * from oai.check_$check()");
        return "$check: " . join ' ', map { $_ // '' } @$bad if $bad;
    }
    for my $spec (sort keys %is_met) {
        my ($row) = $db->rows("select count(*) filter (where s.id = any (i.set_ids)), count(*) filter (where $is_met{$spec}), s.item_count
            from oai.set s, library.item i where s.spec = '$spec' and i.seq is not null and not i.deleted group by s.id");
        return "$spec has $row->[0], not $row->[1]" if $row && $row->[0] != $row->[1];
        return "$spec is missing" if !$row && $db->value("select count(*) from library.item where seq is not null and not deleted");
    }
    return '';
}

subtest 'sets equal the rows after random changes, and whatever moves has a new number' => sub {
    my ($db, $items) = (hurried(model => 'library'), 0);
    my $new = sub { my ($n) = @_; my $first = $items + 1; $items += $n;
        return "insert into library.item (local_id, title, year, kind) select 'a' || n, case when n % 3 = 0 then array['t'] end, n % 50 + 1, 'book' from generate_series($first, $items) n" };
    my %pool = (even => 'year::integer % 2 = 0', titled => 'title is not null', 'tree:low' => "year < '0010'", 'tree:low:titled' => "year < '0010' and title is not null",
        tree => "year < '0020'", rare => "local_id = 'a7'", failing => '100 / (year::integer - 7) > 3');
    my %by_row = (even => 'year % 2 = 0', titled => 'title is not null', 'tree:low' => 'year < 10', 'tree:low:titled' => 'year < 10 and title is not null',
        tree => 'year < 20', rare => "local_id = 'a7'", failing => 'case when year <> 7 then 100 / (year - 7) > 3 else false end');
    my ($bad, %now) = '';
    my $change = sub {
        my $low = between(1, $items);
        my $some = "substr(local_id, 2)::integer between $low and " . ($low + one_of(0, 20, 400));
        return one_of($new->(between(1, 200)), "update library.item set title = @{[one_of('null', qq(array['u']))]} where $some",
            "update library.item set year = @{[between(1, 60)]} where $some", "update library.item set deleted = @{[one_of('true', 'false')]} where $some",
            "delete from library.item where $some", 'select 1');
    };
    my $rules = sub {
        %now = map { $_ => 1 } grep { rand() < 0.5 } keys %pool;
        return register('', map { rule("file-$_" =~ s/:/-/gr, $_, $pool{$_}) } sort keys %now);
    };
    $db->run($new->(6000), $rules->()); settle($db);
    for my $round (1 .. 4) {
        $db->run('create table before as select id, seq, set_ids from library.item');
        $db->run($change->()) for 1 .. between(1, 5);
        $db->run($rules->());
        if (rand() < 0.5) { $db->run("select oai.publish(@{[one_of(50, 500)]})", "select oai.catch_up_rules(@{[one_of(50, 500)]})"); $db->run($change->(), $rules->()) }
        settle($db) for 1, 2;
        $bad ||= problems($db, map { $_ => $by_row{$_} } keys %now);
        $bad ||= join ' ', map { "$_->[0] moved without a number" } ($db->rows('select i.local_id from before b join library.item i using (id) where i.seq = b.seq and i.set_ids <> b.set_ids'))[0] // ();
        my @gone = grep { my $spec = $_; !$now{$spec} && $db->value("select count(*) from oai.set where spec = '$spec'") && !grep { /^\Q$spec\E:/ } keys %now } sort keys %pool;
        $bad ||= "still there: @gone" if @gone;
        $db->run('drop table before'); last if $bad;
    }
    is $bad, '', 'sets, numbers and counters are right';
    $db->run(register('', rule('failing', 'failing', $pool{failing})), "update library.item set year = 7, deleted = false where local_id = 'a7'"); settle($db);
    like $db->value("select problem from oai.rule where name = 'failing'") // '', qr/^item \S+ is left out: division by zero$/, 'a row on which a condition fails is named';
    $db->run('update library.item set deleted = false, year = 5');
    for my $specs ([qw(tree tree:low)], ['tree:low']) { $db->run(register('', map { rule(s/:/-/r, $_, $pool{$_}) } @$specs)); settle($db) }   # a set that one below it outlives
    $db->run(register('')); settle($db);
    is $db->value("select (select count(*) from oai.rule) || ' ' || (select count(*) from oai.set where spec ~ 'tree|even|failing')"), '0 0', 'nothing is left of rules that are gone';
};

subtest 'the horizon moves, and changes are published, while a rule over all items enters' => sub {
    my $db = hurried(model => 'library');
    $db->run("insert into library.item (local_id, title) select 'a' || n, array['t'] from generate_series(1, 4500) n"); settle($db);
    $db->run(register('', rule('all', 'all', 'true')));
    my $state = sub { return ($db->rows("select o.h, o.last_seq, coalesce(r.examined, 99999), (select count(*) from library.item where local_id ~ 'new' and seq is null)
        from oai.horizon o, oai.rule r where r.name = 'all'"))[0] };
    my ($rounds, $wrong) = (0, '');
    for (my $before = $state->(); $before->[2] < 99_999 && $rounds < 20; $rounds++) {
        my ($published, $examined) = map { $db->run(@$_); $state->() } ["insert into library.item (local_id) values ('new$rounds')", 'select oai.publish(500)'],
            ['select oai.catch_up_rules()'];
        $wrong ||= "@$before, then published @$published, then examined @$examined" if $published->[0] eq $before->[0] || $published->[1] <= $before->[1] || $published->[3]
            || $published->[2] != $before->[2] || "@$examined[0, 1]" ne "@$published[0, 1]" || $examined->[2] <= $published->[2];
        $before = $examined;
    }
    is $wrong, '', 'a publication examines nothing, and what examines items publishes nothing';
    cmp_ok $rounds, '>', 4, "and ends with its second, however many there are: $rounds horizons";
    settle($db); is problems($db, all => 'true'), '', 'the set is right';
};

my $r = Repository->new(db => $library, formats => "$root/xslt/library", ini => {lists => {records => 7}});
mkdir(my $sets = "$r->{dir}/sets") or die $!;
# A file that was written in this second is read in the next.
sub set_file { my ($name, %how) = @_; return spew("$sets/$name.set", $how{text} // "[set]\nspec = $how{spec}\nname = $how{title}\nwhere = $how{where}\n") }
sub listed { my ($spec) = @_; my $body = $r->ask("verb=ListIdentifiers&metadataPrefix=oai_dc&set=$spec")->{body}; return $body =~ /<error code="(\w+)"/ ? $1 : scalar(() = $body =~ /<header/g) . ($body =~ /completeListSize="(\d+)"/ ? " of $1" : '') }

subtest 'files that come, change and go' => sub {
    $r->start;
    my $publisher = start_program(["$r->{bin}/oai", '--config', $r->{ini}, 'publish'], out => "$r->{dir}/publisher.log");
    set_file('young', spec => 'young', title => "Young ones\ndescription = A & <B", where => "year <= '0009'");
    ok wait_until(sub { listed('young') eq '7 of 9' }), 'a file makes a set';
    is $library->value("select description::text from oai.set where spec = 'young'"), 'A &amp; &lt;B', 'with a description in words';
    like $r->ask('verb=ListSets')->{body}, qr{<setSpec>young</setSpec>\s*<setName>Young ones</setName>}, 'ListSets has it';
    like $r->ask('verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:r3')->{body}, qr{<setSpec>young</setSpec>}, 'headers say it';
    like join("\n", $r->oai('sets')), qr/\A0\n.*^young\t9\tyoung\.set\tYoung ones$/ms, 'oai sets lists it, and who defines it, and finds nothing wrong';

    my $stamp = $library->value("select datestamp from library.item where local_id = 'r1'");
    set_file('young', spec => 'young', title => 'The young', where => "year <= '0009'");
    ok wait_until(sub { $r->ask('verb=ListSets')->{body} =~ /The young/ }), 'its name changes';
    is $library->value("select datestamp from library.item where local_id = 'r1'"), $stamp, 'which is told in no record';
    set_file('young', spec => 'young', title => 'The young', where => "year <= '0012'");
    ok wait_until(sub { listed('young') eq '7 of 12' }), 'another condition: others enter';
    is $library->value("select datestamp from library.item where local_id = 'r1'"), $stamp, 'those that were there stay';

    set_file('young', spec => 'young', title => 'The young', where => "yearling <= '0012'");
    ok wait_until(sub { slurp("$r->{dir}/publisher.log") =~ m{event=set_problem set=young why="?\Q$sets\E/young.set:4: where: column [^\n]*yearling} }), 'a broken one is logged with file and line';
    is listed('young'), '7 of 12', 'the version before stays in force';
    like +($r->oai('sets'))[1], qr/sets: young: .*young.set:4: where: column/, 'oai sets says so';
    ok wait_until(sub { $r->ask('/oai/-/health')->{body} =~ /young.set:4/ }), 'and so does health';
    like join("\n", $r->oai('check', "$sets/young.set")), qr{\A1\n.*^oai: set: \Q$sets\E/young.set:4: where: column "yearling" does not exist}ms, 'oai check refuses it in the same words';
    set_file('young', spec => 'young', title => 'The young', where => "year <= '0005'");
    like +($r->oai('check', "$sets/young.set"))[1], qr{young.set: set young has 5 of 20 items; 0 enter and 7 leave, and get a new datestamp; \d+ ms for 10,000 items\n  r1\n}, 'oai check says what a file would do';
    ok wait_until(sub { listed('young') eq '5' }), 'a mended one comes into force';

    set_file('twin', spec => 'young', title => 'Twins', where => 'true');
    ok wait_until(sub { slurp("$r->{dir}/publisher.log") =~ /set=twin why=[^\n]*young.set has the setSpec young, too/ }), 'two files of one setSpec are refused';
    is listed('young'), '5', 'what was there stays';
    # Nobody writes into a pipe, and what comes behind it is live nevertheless.
    POSIX::mkfifo("$sets/pipe.set", 0600) or die $!;
    like +($r->oai('check', "$sets/pipe.set"))[1], qr/pipe\.set: no regular file/, 'a pipe is no file of a set';
    unlink "$sets/twin.set"; set_file("Latin \xe7", spec => 'latin', title => 'Latin', where => 'true'); set_file('typed', spec => 'type', title => 'Kinds', where => 'true');
    ok wait_until(sub { slurp("$r->{dir}/publisher.log") =~ /set=typed why=[^\n]*the set type is not made by a rule/ }), 'and so is one that is called like a set of the model';
    ok wait_until(sub { slurp("$r->{dir}/publisher.log") =~ /Latin .*the name of the file is not UTF-8/ }), 'one whose name is not UTF-8 holds nobody up';
    unlink "$sets/typed.set", "$sets/Latin \xe7.set";
    set_file('endless', spec => 'endless', title => 'Endless', where => "repeat('a', 40) ~ '^(((a+)+)+)+b' or length(repeat('x', 100000000)) + length(repeat('y', 200000000)) + cardinality(string_to_array(repeat('a,', 50000000), ',')) < 0");
    ok wait_until(sub { slurp("$r->{dir}/publisher.log") =~ /set=endless why=[^\n]*does not end within five seconds/ }), 'one that never ends is stopped and refused';
    unlink map { "$sets/$_.set" } qw(endless pipe young);
    ok wait_until(sub { listed('young') eq 'noRecordsMatch' }), 'a file that is gone: there is no such set';
    ok wait_until(sub { $r->ask('verb=ListSets')->{body} !~ /young/ }), 'ListSets has it no more, once its chunks are gone';
    isnt $library->value("select datestamp from library.item where local_id = 'r1'"), $stamp, 'what left has a new datestamp';

    system('cp', glob("$root/etc/sets/library/*.set"), $sets) == 0 or die;
    $library->run("insert into library.item (local_id, title, date, kind, rights, subject, licence) values
        ('open', array['t'], array['2020'], 'thesis:doctoral', array['info:eu-repo/semantics/openAccess'], array['ddc:021.5', 'x'], null),
        ('cc', array['t'], array['2020'], 'map', null, array['0201'], 'https://creativecommons.org/licenses/by/4.0/'),
        ('closed', array['t'], array['2020'], 'article', array['info:eu-repo/semantics/closedAccess'], array['020'], null),
        ('bare', array['t'], null, null, null, null, null)");
    my %want = (openaire => 'cc closed open', open_access => 'cc open', 'ddc:020' => 'closed open', driver => 'open', theses => 'open');
    for my $spec (sort keys %want) {
        my $has = sub { $library->value("select string_agg(local_id, ' ' order by local_id) from library.item where (select id from oai.set where spec = '$spec') = any (set_ids)") // '' };
        ok wait_until(sub { $has->() eq $want{$spec} }), "the example $spec has $want{$spec}" or diag $has->();
    }
    like $r->ask("verb=GetRecord&metadataPrefix=$_&identifier=oai:example.org:open")->{body}, qr/<metadata>/, "a record in such sets is in $_"
        for qw(oai_dc qdc marc21 mods);
    like $r->ask('verb=ListSets')->{body}, qr{<setSpec>ddc</setSpec>}, 'what is above a set is a set';
    spew("$r->{dir}/more.csv", join "\n", 'local_id,title,kind,date,rights', map { "l$_,T,thesis,2021,info:eu-repo/semantics/openAccess" } 1 .. 300);
    is +($r->oai('load', "$r->{dir}/more.csv"))[0], 0, 'loaded' or diag +($r->oai('load', "$r->{dir}/more.csv"))[1];
    ok wait_until(sub { listed('theses') eq '7 of 301' }), 'what a loader publishes itself is in the sets' or diag listed('theses');
    is problems($library), '', 'all is right';

    # What slices had before a pause does not count after it.
    my $pass = sub { my $h = $library->value('select h from oai.horizon'); wait_until(sub { $library->value("select h > '$h'::timestamptz + interval '2 s' from oai.horizon") eq 't' }) };
    my $fill = sub { $library->run("insert into library.item (local_id) select '$_[0]' || n from generate_series(1, 5000) n");
        wait_until(sub { !$library->value("select count(*) from library.item where seq is null and local_id like '$_[0]%'") }) };
    ok $fill->('bulk-a') && $pass->(), 'thousands of items, and a pause';
    my $before = length slurp("$r->{dir}/publisher.log");
    ok $fill->('bulk-b'), 'and as many again';
    like substr(slurp("$r->{dir}/publisher.log"), $before), qr/\A.*?event=published items=(?:1000|\d{1,3})\b/s, 'begin with a thousand at most';
    stop_program($publisher);
};

subtest 'captures of a domain and a year' => sub {
    my $db = Database->new;
    $db->run("insert into webarchiv.arc (file) values ('a')", "insert into webarchiv.domain (name) values ('cz:webarchiv:www')",
        "insert into webarchiv.doc (archived_time, id_arc, id_domain, url, surt, digest) select t, 1, d.id, 'http://www.' || h, s || ')/', t || s
         from webarchiv.domain d, (values ('webarchiv.cz', 'cz,webarchiv,www'), ('webarchiva.cz', 'cz,webarchiva')) h(h, s),
              unnest(array['2003-12-31 23:59:59Z', '2004-01-01 00:00:00Z', '2004-12-31 23:59:59Z', '2005-01-01 00:00:00Z']::timestamptz[]) t where d.name = 'cz:webarchiv:www'");
    my $archive = Repository->new(db => $db, formats => "$root/xslt");
    mkdir "$archive->{dir}/sets"; system('cp', "$root/etc/sets/webarchiv/domain-year.set", "$archive->{dir}/sets") == 0 or die;
    ok wait_until(sub { $archive->oai('publish', '--once'); ($db->value("select item_count from oai.set where spec = 'webarchiv-cz-2004'") // 0) == 2 }), 'two of eight';
    unlike +($archive->oai('check'))[1], qr/oai\.dictionary has no/, 'whose records are in all formats';
    is problems($db), '', 'all is right';
};

subtest 'dates of visibility and of access' => sub {
    my $publisher = start_program(["$r->{bin}/oai", '--config', $r->{ini}, 'publish'], out => "$r->{dir}/dates.log");
    my $state = sub { my ($id) = @_; my $body = $r->ask("verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:example.org:$id")->{body};
        return $body =~ /<error code="(\w+)"/ ? $1 : $body =~ /status="deleted"/ ? 'deleted' : 'there' };
    my $stamp = sub { $library->value("select datestamp from library.item where local_id = '$_[0]'") };
    $library->run("insert into library.item (local_id, title, visible_from, visible_until) values ('never', array['t'], now() + interval '1 day', null),
        ('soon', array['t'], now() + interval '3 s', null), ('gone', array['t'], null, now() - interval '1 s'), ('ends', array['t'], null, now() + interval '1 day')",
        "insert into library.item (local_id, title, access, access_from) values ('opens', array['t'], 'embargoed', now() + interval '5 s')",
        "insert into library.item (local_id, title, creator, date, year, kind, type, language, landing_page, access, access_from, doi)
         select l, array['t'], array['c'], array['2020'], 2020, 'article', array['article'], array['en'], 'https://example.org/' || l, 'embargoed', now() + w, '10.5072/' || l
         from (values ('later', interval '1 day'), ('turned', interval '4 s')) v(l, w)");
    my $right = sub { $r->ask("verb=GetRecord&metadataPrefix=oai_openaire&identifier=oai:example.org:$_[0]")->{body} =~ m{<datacite:rights[^>]*>([^<]*)<} ? $1 : 'none' };
    ok wait_until(sub { $right->('later') eq 'embargoed access' }), 'before its day OpenAIRE is told of the embargo' or diag $right->('later');
    my $datacite = sub { my $body = $r->ask("verb=GetRecord&metadataPrefix=datacite&identifier=oai:example.org:$_[0]")->{body};
        return join ' ', $body =~ m{semantics/(\w+)Access"}, $body =~ m{dateType="Available">(\S\S\S\S)} };
    like $datacite->('later'), qr/^embargoed 2/, 'and so is DataCite, with the day';
    ok wait_until(sub { $right->('turned') eq 'open access' }), 'from its day on of open access';
    is $datacite->('turned'), 'open', 'DataCite, too';
    ok wait_until(sub { $state->('ends') eq 'there' }), 'what is visible until tomorrow is there';
    is $state->($_), 'idDoesNotExist', "$_: what is not visible yet, or no more, is not known" for 'never', 'gone';
    ok wait_until(sub { $state->('soon') eq 'there' }), 'what becomes visible is there then';
    cmp_ok $library->value("select count(*) from library.item where local_id = 'soon' and datestamp >= visible_from - interval '1 s'"), '==', 1, 'with the second as its datestamp';
    $library->run("update library.item set visible_until = now(), hidden_why = 'by court order' where local_id = 'ends'");
    ok wait_until(sub { $state->('ends') eq 'deleted' }), 'what is taken down is a deleted record';
    $library->run("update library.item set visible_until = null where local_id = 'ends'");
    ok wait_until(sub { $state->('ends') eq 'there' }), 'and comes back';
    ok wait_until(sub { $library->value("select access from oai.record where local_id = 'opens'") eq 'open' }), 'files open on their day';
    ok wait_until(sub { $library->value("select datestamp >= access_from - interval '1 s' from library.item where local_id = 'opens'") eq 't' }), 'which is a change of the record';
    spew("$r->{dir}/dated.csv", "local_id,title,visible_from,access,access_from\nd1,T,2001-01-01,embargoed,2999-01-01\nd2,T,2999-01-01,,\n");
    is +($r->oai('load', "$r->{dir}/dated.csv"))[0], 0, 'a spreadsheet with dates is loaded';
    ok wait_until(sub { $state->('d1') eq 'there' }), 'and shows what is visible';
    is $state->('d2'), 'idDoesNotExist', 'nothing else';
    is $library->value("select access || ' ' || access_from::date from oai.record where local_id = 'd1'"), 'embargoed 2999-01-01', 'with its access';
    spew("$r->{dir}/late.csv", "local_id,title,visible_from\nd3,T,\nd4,T,2001-01-01\n");
    is +($r->oai('load', '--visible-from', '2999-01-01', "$r->{dir}/late.csv"))[0], 0, 'a file whose records appear on a day';
    ok wait_until(sub { $state->('d4') eq 'there' }), 'which one of them says otherwise';
    is $state->('d3'), 'idDoesNotExist', 'the other is not there yet';
    is +($r->oai('load', '--visible-from', 'soon', "$r->{dir}/late.csv"))[0], 2, 'a day that is none';
    is +($r->oai('delete', 'oai:example.org:d1'))[0], 0, 'deleted';
    # The publisher looks each second for what appears, and not at what is over.
    $library->run("insert into library.item (local_id, visible_from, visible_until) select 'over' || n, '2001-01-01', '2002-01-01' from generate_series(1, 300) n");
    my $looked = sub { $library->value("select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes where indexrelname = 'item_appears'") };
    my ($h, $read) = ($library->value('select h from oai.horizon'), $looked->());
    ok wait_until(sub { $library->value("select h > '$h'::timestamptz + interval '4 s' from oai.horizon") eq 't' }), 'seconds pass';
    cmp_ok $looked->() - $read, '<', 300, 'what was visible once is not read again';
    $library->run("delete from library.item where local_id like 'over%'");
    is problems($library), '', 'all is right';
    is $library->value("select string_agg(local_id, ' ' order by local_id) from library.item where seq is null"), 'd2 d3 gone never', 'what harvesters never had has no number';
    stop_program($publisher);
    is +($r->oai('purge', '--before', '2999-01-01'))[0] >= 0, 1, 'purged';
    is problems($library), '', 'all is right afterwards';
};

subtest 'what the manual shows' => sub {
    my ($commands) = DocumentedCommands::commands("$root/deploy/manual/sets.md");
    $library->run("insert into library.collection (name) values ('nkc')", "insert into library.item (local_id) values ('thesis/17')");
    for my $shown (@$commands) {
        my $text = $shown->{text};
        my ($status, $out) = $shown->{sql} ? (eval { Database::psql($library->conninfo('oai_loader'), '-c', $text); 0 } // 1, $@)
            : $text =~ /^oai withdraw --reason '([^']+)' (\S+)$/ ? $r->oai('withdraw', '--reason', $1, $2)
            : $text =~ /^oai restore (\S+)$/ ? $r->oai('restore', $1)
            : $text =~ /^systemctl enable/ ? (0, '')   # t/server/install.t has the units
            : $text eq 'oai check FILE.set' ? $r->oai('check', "$sets/theses.set") : (1, 'is not run');
        is $status, 0, $text or diag $out;
    }
    is $library->value("select name from oai.set where spec = 'col:nkc'"), 'National collection', 'a title is corrected';
};
done_testing();
