# SPDX-License-Identifier: MIT
# The part of t/platforms/follow about an installed package: what README and the manual say is done to one machine, in an order in
# which each finds what it needs. Only `follow` can run this.
use strict;
use warnings;
our ($here, $source, $dry, $log, $clone, %shown, %done);

# What the reader of the manual has: names, TLS, a site.
my @hosts = qw(localhost example.org museum.example gateway.example.org old.example.org);
sub certificate {
    spew('/etc/hosts', "127.0.0.1 @hosts\n");
    my $names = join ',', map { "DNS:$_" } @hosts;
    my ($certificate, $key) = manual('mount.md') =~ /ssl_certificate(?:_key)? +(\S+);/g;
    must('a certificate', "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=example.org -addext subjectAltName=$names -keyout $key"
        . " -out $certificate && cp $certificate /usr/local/share/ca-certificates/site.crt && update-ca-certificates");
}
# A block of mount.md that begins so, without its indentation.
sub block { my ($begin) = @_; return manual('mount.md') =~ /^((?: {4}\Q$begin\E.*\n)(?: {4}.*\n)*)/m ? $1 =~ s/^ {4}//gmr : die "mount.md has no $begin\n" }
sub in_backquotes { my ($document, $pattern) = @_; return map { DocumentedCommands::tidy($_) } manual($document) =~ /`($pattern)`/g }
# nginx with the server of mount.md, in which these files are included, and more servers.
sub nginx {
    my ($files, $more) = @_;
    my $include = block('server {') =~ /^\s*(include .*;)$/m ? $1 : die 'mount.md includes nothing';
    my $server = block('server {') =~ s/^\s*\Q$include\E\n/join '', map { "    include $_;\n" } @{ $files \/\/ [$include =~ m{(\/.*);}] }/mer;
    ok(scalar(grep { $_ eq $include } in_backquotes('install.md', 'include\s[^`]*')), "install.md has: $include");
    spew('/etc/nginx/conf.d/oai.conf', block('include /etc/oai-fcgi/nginx-oai-http.conf;'));
    spew('/etc/nginx/sites-available/default', $server . ($more // ''));
    must('nginx' . ($files ? " with @$files" : ''), 'nginx -t && systemctl restart nginx');
}
sub apache {
    my (@files) = @_;
    spew('/etc/apache2/sites-available/000-default.conf', "<VirtualHost *:80>\n" . join('', map { m{^/} ? "Include $_\n" : block("Include /etc/oai-fcgi/$_") } @files) . "</VirtualHost>\n");
    must("Apache with @files", 'apache2ctl configtest && systemctl restart apache2');
}
sub harvest {
    my ($way, $url) = @_;
    $url //= 'http://localhost/oai';
    must("$way: a harvest", "rm -f /tmp/h.xml; oai harvest $url --output /tmp/h.xml 2>&1 | tee /tmp/said; grep -q ': complete: ' /tmp/said");
}

sub follow_package {
    my $programs = $ENV{OAI_PLATFORM_PROGRAMS};
    must('curl, as documents have it', 'apt-get install --no-install-recommends curl') if !$ENV{OAI_PLATFORM_HERE};
    $ENV{PATH} = "$here/bin:$ENV{PATH}" if !-d '/run/systemd/system';
    certificate();
    shown('make deb && apt install ./build/deb/oai-fcgi_*.deb', where => $clone,
        $programs ? (as => "make deb PROGRAMS=$programs && apt-get install --yes ./build/deb/oai-fcgi_*.deb") : ());
    instead($_, 'above') for 'make deb';
    shown('apt install ./build/deb/oai-fcgi_*.deb', where => $clone);
    must('a cluster', 'ls /etc/postgresql/*/main || pg_createcluster $(ls /usr/lib/postgresql | sort -V | tail -n 1) main') if $ENV{OAI_PLATFORM_HERE};
    shown('systemctl start postgresql', as => 'pg_lsclusters -h | grep -q online || systemctl start postgresql');
    must('an archive', "$clone/deploy/sample/make-sample /archive");
    follow_init();
    follow_first_day();
    must('the configuration, by hand', 'sed -i "s|^#name =.*|name = Example|; s|^#base_url =.*|base_url = https://example.org/oai|;'
        . ' s|^#admin_email =.*|admin_email = you@example.org|; s|^#identifier_namespace =.*|identifier_namespace = example.org|" /etc/oai-fcgi/oai.ini');
    shown($_) for 'runuser -u postgres -- createdb -E UTF8 -T template0 oai', 'runuser -u postgres -- oai schema install --model webarchiv --connection dbname=oai',
        'systemctl enable --now oai-fcgi.socket oai-fcgi oai-publish', 'systemctl enable --now oai-fcgi.socket oai-fcgi.service oai-publish.service';
    shown('runuser -u oai_loader -- oai load FILE...', as => 'runuser -u oai_loader -- oai load /archive/*.gz');
    ok(published(), 'what was loaded is published');
    shown('oai check', status => 1, like => qr/^oai: outside: /m);    # nothing else: no web server yet
    nginx();
    shown("curl 'http://localhost/oai?verb=Identify'", like => qr{<baseURL>https://example.org/oai<});
    harvest('nginx');
    follow_watching();
    follow_pages();
    follow_units();
    follow_fill();
    follow_path();
    follow_second();
    follow_partners();
    follow_move();
    follow_servers();
    follow_library();
    follow_replica();
    follow_failover();
    follow_backup();
    follow_upgrade();
    follow_end();
}

# From nothing to a harvest by oai init, and all of it undone again.
sub follow_init {
    my $answers = "--name 'Example & Sons | \\1' --base-url http://localhost/oai --admin-email you\@example.org --namespace example.org --model library";
    shown('oai init --dry-run', as => "oai init --dry-run $answers", like => qr/^\+ runuser -u postgres -- createdb -E UTF8 -T template0 oai$/m);
    must('and changes nothing', q(grep -q '^#name =$' /etc/oai-fcgi/oai.ini));
    instead('oai init --help', 't/server/reference.t');
    shown('oai init', as => "oai init $answers </dev/null", like => qr{^http://localhost/oai is set up}m);
    must('Identify has the name', q(curl -s 'http://localhost/oai?verb=Identify' | grep -qF '<repositoryName>Example &amp; Sons | \1</repositoryName>'));
    must('oai check finds no fault with it', 'oai check');
    shown('oai init', as => "oai init $answers </dev/null", status => 1, like => qr/has a name already/);
    undo_init('oai');
}
sub undo_init {
    my ($database) = @_;
    must('all as it was', "systemctl disable --now oai-fcgi.socket oai-fcgi.service oai-publish.service && runuser -u postgres -- dropdb $database"
        . ' && cp /usr/share/oai-fcgi/oai.ini /etc/oai-fcgi/ && rm -rf /etc/nginx/conf.d/oai-fcgi.conf /etc/oai-fcgi/map.ini /etc/oai-fcgi/formats{,.sha256} && nginx -s reload');
}

# The first day of each of three people, and all of it undone again.
sub follow_first_day {
    my ($csv, $site, $stylesheet) = map { manual('first-day.md') =~ /^((?: {4}\Q$_\E.*\n)(?: {4}.*\n)*)/m ? $1 =~ s/^ {4}//gmr : die "first-day.md has no $_\n" } 'local_id,', 'include ', '<xsl:';
    must('a catalogue', "$clone/deploy/sample/make-library /books");
    spew('/books/books.csv', $csv);
    must('tables', q(runuser -u postgres -- createdb -E UTF8 -T template0 magazine && runuser -u postgres -- psql -X -v ON_ERROR_STOP=1 -d magazine -c "create schema mag)
        . q(; create table mag.article (id int primary key, title text, section text, published date); create table mag.author (article_id int references mag.article, position int, name text)
            ; insert into mag.article values (1, 'One', 'News', '2026-01-02'); insert into mag.author values (1, 1, 'Neruda, Jan')"));
    first_day('webarchiv', 'oai', $site, $stylesheet =~ s/"title"/"\@url"/r, 'oai load /archive/*.gz');
    first_day('library', 'oai', $site, $stylesheet, 'oai load --dry-run books.csv', 'oai load books.csv', 'oai load --collection catalogue catalogue.marc.xml.gz');
    first_day('library --database magazine', 'magazine', $site, $stylesheet, grep { /^oai map --connection/ } keys %shown);
}
sub first_day {
    my ($model, $database, $site, $stylesheet, @fill) = @_;
    my $formats = '/usr/share/oai-fcgi/xslt' . ($model =~ /^library/ ? '/library' : '');
    shown($_) for grep { /^oai init .*--model \Q$model\E$/ } keys %shown;
    shown($_, where => '/books') for @fill;
    ok(waits($database), "what $model has is published");
    spew('/etc/nginx/conf.d/oai-fcgi.conf', $site);
    shown('systemctl reload nginx');
    shown('oai check', like => qr/no problem found/);
    my $harvest = 'oai harvest https://example.org/oai --output list.xml';
    shown($harvest, where => '/tmp', as => "rm -f list.xml; $harvest", like => qr/: complete: [1-9]/);
    shown("/usr/share/oai-fcgi/ship-formats $formats /etc/oai-fcgi/formats");
    must('that directory in oai.ini', "sed -i 's|^directory = $formats\$|directory = /etc/oai-fcgi/formats|' /etc/oai-fcgi/oai.ini && grep -q ^directory.*formats /etc/oai-fcgi/oai.ini");
    shown('systemctl restart oai-fcgi');
    spew('/books/titles.xsl', $stylesheet);
    shown('oai check titles.xsl', where => '/books', like => qr/no problem found/);
    shown('cp titles.xsl /etc/oai-fcgi/formats/', where => '/books', as => 'cp titles.xsl /etc/oai-fcgi/formats/');
    ok(wait_until(sub { (run("curl -s 'https://example.org/oai?verb=ListMetadataFormats' | grep -q '>titles<'"))[0] == 0 }), 'the format is live');
    my $titles = 'oai harvest https://example.org/oai --format titles --output titles.xml';
    shown($titles, where => '/tmp', as => "rm -f titles.xml; $titles && grep '<title>.' titles.xml", like => qr/: complete: [1-9]/);
    undo_init($database);
}

sub follow_watching {
    shown('curl localhost/oai/-/health', like => qr/"ok": true/);
    shown($_) for 'oai status', 'systemctl status oai-fcgi oai-fcgi.socket', 'systemctl status oai-publish', 'systemctl status postgresql';
    shown('oai explain OAI-1204', like => qr/^do: /m);
    shown("oai explain 'WORDS'", as => "oai explain 'x: Permission denied'", like => qr/^do: /m);
    shown('journalctl -u oai-fcgi', like => qr/event=request|verb=/);
    shown('journalctl -u oai-fcgi -g event=fault');
    spew('/tmp/capture.xsl', manual('formats.md') =~ /^((?: {4}.*\n)+ {4}<\/xsl:stylesheet>\n)/m ? $1 =~ s/^ {4}//gmr : die 'formats.md has no stylesheet');
    shown($_, as => 'oai check /tmp/capture.xsl', like => qr/no problem found/) for 'oai check FILE';
    shown($_, as => 'oai check --records') for 'oai check --records';
    shown($_, as => 'oai format restamp oai_dc', like => qr/since="/) for 'oai format restamp oai_dc', 'oai format restamp PREFIX';
    shown('curl -s http://localhost/oai/-/metrics', like => qr/^oai_healthy\{/m);
    shown('oai token TOKEN', as => q(oai token "$(curl -s 'http://localhost/oai?verb=ListIdentifiers&metadataPrefix=oai_dc' | sed -nE 's/.*>(.*)<.resumptionToken>.*/\1/p')"), like => qr/^metadataPrefix: oai_dc$/m);
    sql("update oai.set set description = 'What voters read' where spec = 'col:elections';");
    shown('runuser -u postgres -- psql oai', as => q(runuser -u postgres -- psql oai -c '\d webarchiv.doc'), like => qr/archived_time/);
    shown('promtool test rules oai-alerts-test.yml', where => '/usr/share/oai-fcgi/monitoring', as => 'apt-get install --no-install-recommends prometheus >/dev/null && promtool test rules oai-alerts-test.yml');
}

sub follow_pages {
    shown('oai validate https://example.org/oai', as => 'oai validate https://example.org/oai --pause 0', like => qr/^\d+ checks: /m);
    shown('oai recover https://example.org/oai --files /archive --host www.example.org --until 2015 --to /srv/back', like => qr/captures/);
    shown('oai harvest https://example.org/oai --output list.xml', where => '/tmp', like => qr/: complete: /);
}

sub follow_units {
    shown('/usr/share/oai-fcgi/ship-formats /usr/share/oai-fcgi/xslt /etc/oai-fcgi/formats');
    shown($_) for 'systemctl reload oai-fcgi', 'systemctl restart oai-fcgi', 'systemctl stop oai-publish';
    must('the publisher again', 'systemctl start oai-publish');
    mkdir '/etc/oai-fcgi/harvest' if !$dry;
    spew('/etc/oai-fcgi/harvest/NAME.conf', "HARVEST=https://example.org/oai --format oai_dc --mail you\@example.com --output example.xml\n");
    shown($_) for 'systemctl enable --now oai-harvest@NAME.timer', 'systemctl start oai-harvest@NAME';
    must('what the unit has harvested', 'test -s /var/lib/oai-harvest/example.xml');
    shown('journalctl -u oai-harvest@NAME', like => qr/complete: /);
    shown('runuser -u oai_reader -- oai dump --to /var/lib/oai-dump --format oai_dc,marc21 --as xml,jsonl', as => 'install -d -o oai_reader /var/lib/oai-dump && runuser -u oai_reader -- oai dump --to /var/lib/oai-dump --format oai_dc,marc21 --as xml,jsonl', like => qr/^oai_dc: whole/m);
    shown('oai dump --verify /var/lib/oai-dump', like => qr/a harvest goes on from/);
    shown('systemctl enable --now oai-dump.timer');
    instead($_, 'is of a repository of others; t/server/dump.t runs it') for 'oai harvest lib --from-dump https://example.org/oai/dump', 'oai load DIR',
        'oai harvest https://example.org/oai --from-dump https://example.org/oai/dump --output list.xml', 'oai harvest https://example.org/oai --since list.xml --output later.xml';
    if (-d '/run/systemd/system') { shown('systemd-analyze security oai-fcgi oai-publish') }
    else { instead('systemd-analyze security oai-fcgi oai-publish', 'no systemd runs; t/server/install.t does it offline') }
    instead($_, 'opens an editor') for 'systemctl edit oai-fcgi oai-publish', 'systemctl edit', 'systemctl edit oai-dump';
}

sub follow_fill {
    shown('oai load --collection culture:czech /archive/SAMPLE-2014-kultura.warc.gz', like => qr/ 0 damaged/);
    sql($_) for grep { /^insert into webarchiv/ } sort { $shown{$a}[0]{line} <=> $shown{$b}[0]{line} } keys %shown;
    sql($_) for grep { /^update webarchiv/ } keys %shown;
    sql($_) for grep { /^select d\.url from oai\.set/ } keys %shown;
    spew('/tmp/identifiers.txt', "1\n2\n");
    shown('oai delete --file identifiers.txt', where => '/tmp', like => qr/^2 deleted/m);
    shown('oai undelete --file identifiers.txt', where => '/tmp', like => qr/^2 undeleted/m);
    my $purge = 'oai purge --before 2026-01-31';
    shown($purge, as => "sed 's/^#deleted_record = persistent/deleted_record = transient/' /etc/oai-fcgi/oai.ini > /etc/oai-fcgi/transient.ini && "
        . $purge =~ s{oai purge}{oai --config /etc/oai-fcgi/transient.ini purge}r, like => qr/purged|forgotten/);
    ok(published(), 'what was written is published');
}

# Another path than /oai.
sub base_url { my ($url) = @_; must("base_url is $url", "sed -i 's|^base_url = .*|base_url = $url|' /etc/oai-fcgi/oai.ini") }
sub follow_path {
    shown($_) for grep { m{^sed .*/nginx/snippets/archive} } keys %shown;
    base_url('https://example.org/archive/oai');
    shown('systemctl restart oai-fcgi');
    nginx(['/etc/nginx/snippets/archive-oai.conf']);
    harvest('another path', 'https://example.org/archive/oai');
    must('the pages move with it', 'curl -sf http://localhost/archive/oai/-/health && curl -sf https://example.org/archive/oai/browse | grep -q /archive/oai/browse/'
        . " && test \$(curl -s -o /dev/null -w '%{http_code}' https://example.org/oai) = 404");
    base_url('https://example.org/oai');
    must('the server again', 'systemctl restart oai-fcgi');
    nginx();
}

# Another repository beside the first one, as mount.md says of `library`. Returns what its commands begin with.
sub second {
    my ($name, @to) = @_;
    my $begun = '';
    for my $text (map { $_->{text} } sort { $a->{line} <=> $b->{line} } map { grep { $_->{file} =~ /mount/ } @$_ } values %shown) {
        next if $text !~ /library|^systemctl reload nginx/ || $text =~ m{/apache|--config|^a2enmod};
        my $as = ($text =~ s/(?<!model )(?<!&.)library/$name/gr) =~ s{^editor (.*)}{sed -i "s|^name = .*|name = The $name|; s|^base_url = .*|base_url = https://example.org/$name/oai|; s|^identifier_namespace = .*|identifier_namespace = library.example.org|" $1}r;
        if ($as =~ /^systemctl enable/) { $_->($name) for @to }
        if ($as =~ /reload nginx/) { nginx(['/etc/oai-fcgi/nginx-oai.conf', map { s{.*/nginx/}{/etc/nginx/}r } grep { -e } glob '/etc/nginx/snippets/{library,moved}-oai.conf']) }
        shown($text, as => $as);
    }
}
sub waits { my ($name) = @_; return wait_until(sub { (run(qq(runuser -u postgres -- psql -XAtd $name -c 'select count(*) from oai.queue')))[1] =~ /^0$/m }) }
sub follow_second {
    second('library', sub { must('records of the second one', "$clone/deploy/sample/make-library /books && oai --config /etc/oai-fcgi/library.ini load \$(sed 's| .*||; s|^|/books/|' /books/load.list)") });
    sql($_, database => 'library') for grep { /^(?:insert into|update) library/ } keys %shown;
    ok(waits('library'), 'the second one publishes');
    harvest('the second one', 'https://example.org/library/oai');
    must('it is a library, and the first one an archive', 'grep -q library.example.org:babicka /tmp/h.xml && curl -sf https://example.org/oai?verb=ListMetadataFormats | grep -q ">warc<"');
    shown('oai --config /etc/oai-fcgi/library.ini check', like => qr/no problem found|^oai: outside: /m);
}

# A view of the first one, at its own host, as sets.md has it.
sub follow_partners {
    my ($rule) = manual('sets.md') =~ /^    (\[view\]\n(?: {4}.*\n)+)/m or die "sets.md has no view\n";
    my ($units) = manual('sets.md') =~ /^    (systemctl enable --now oai-fcgi\@partners.*)$/m or die "sets.md starts no view\n";
    spew('/etc/oai-fcgi/sets/partners.set', $rule =~ s/^ {4}//gmr);
    must('the configuration of a view', q(sed 's|^base_url = .*|base_url = https://museum.example/oai\nonly = partners|' /etc/oai-fcgi/oai.ini > /etc/oai-fcgi/partners.ini));
    must($units, $units);
    must('its way through nginx', q(sed 's|oai_fcgi|oai_partners|; s|/oai.sock|/partners.sock|; s|oai_clients|partners_clients|' /etc/oai-fcgi/nginx-oai-http.conf > /etc/nginx/conf.d/partners-oai.conf)
        . q( && sed 's|oai_fcgi|oai_partners|; s|oai_clients|partners_clients|' /etc/oai-fcgi/nginx-oai.conf > /etc/nginx/snippets/partners-oai.conf));
    nginx(['/etc/oai-fcgi/nginx-oai.conf', '/etc/nginx/snippets/library-oai.conf'], "server {\nserver_name museum.example;\nlisten 443 ssl;\n"
        . join('', block('server {') =~ /^\s*(ssl_.*\n)/mg) . "include /etc/nginx/snippets/partners-oai.conf;\n}\n");
    ok(wait_until(sub { (run("curl -s 'https://museum.example/oai?verb=ListIdentifiers&metadataPrefix=oai_dc' | grep -q '<setSpec>'"))[0] == 0 }), 'the view is filled');
    must('it shows that set alone', q(rm -f /tmp/v.xml /tmp/e.xml; oai harvest https://museum.example/oai --output /tmp/v.xml && oai harvest https://example.org/oai --set col:culture --output /tmp/e.xml)
        . q( && test $(grep -c '<header' /tmp/v.xml) -gt 0 -a $(grep -c '<header' /tmp/v.xml) = $(grep -c '<header' /tmp/e.xml)));
    must('the view is no more', 'systemctl stop oai-fcgi@partners; rm /etc/nginx/conf.d/partners-oai.conf /etc/nginx/snippets/partners-oai.conf');
    nginx(['/etc/oai-fcgi/nginx-oai.conf', '/etc/nginx/snippets/library-oai.conf']);
}

# The library moves to a third repository, as if it had been another provider's at old.example.org.
sub follow_move {
    my $moved = 'runuser -u oai_loader -- oai --config /etc/oai-fcgi/moved.ini';
    my $servers = "server {\nserver_name old.example.org;\nlisten 443 ssl;\n" . join('', block('server {') =~ /^\s*(ssl_.*\n)/mg) . "include /etc/nginx/snippets/old-oai.conf;\n}\n";
    must('the old address', q(sed 's|\^/library/oai|^/oai|; s|@library_|@old_|' /etc/nginx/snippets/library-oai.conf > /etc/nginx/snippets/old-oai.conf));
    nginx(['/etc/oai-fcgi/nginx-oai.conf', '/etc/nginx/snippets/library-oai.conf'], $servers);
    must('a directory', 'install -d -m 755 /srv/move');
    shown('oai harvest https://old.example.org/oai --output old.xml', where => '/srv/move', like => qr/: complete: /);
    second('moved', sub { shown('runuser -u oai_loader -- oai load old.xml', where => '/srv/move', as => "$moved load old.xml", like => qr/ 0 damaged/) });
    ok(waits('moved'), 'what has moved is published');
    shown('oai harvest http://localhost/oai --output new.xml', where => '/srv/move', as => 'oai harvest http://localhost/moved/oai --output new.xml', like => qr/: complete: /);
    my ($function) = grep { /^headers\(\)/ } keys %shown;
    instead($function, 'with the next one');
    shown($_, where => '/srv/move', as => "$function\ntest \$(headers old.xml | wc -l) -gt 100 && $_") for grep { /^diff / } keys %shown;
    shown('oai validate http://localhost/oai', as => 'oai validate https://example.org/moved/oai --pause 0', like => qr/ 0 failed/);
    shown('oai harvest --sets http://localhost/oai', as => 'oai harvest --sets http://localhost/moved/oai', like => qr/col:/);
    must('a change in the old one', 'oai --config /etc/oai-fcgi/library.ini delete babicka');
    ok(waits('library'), 'is published');
    nginx(['/etc/oai-fcgi/nginx-oai.conf', map { "/etc/nginx/snippets/$_-oai.conf" } qw(library moved)], $servers);
    shown('oai harvest https://old.example.org/oai --since old.xml --output since.xml', where => '/srv/move', like => qr/ 1 of them deleted/);
    shown('runuser -u oai_loader -- oai load since.xml', where => '/srv/move', as => "$moved load since.xml");
    ok(waits('moved'), 'and published here');
    must('and told here', "curl -sf 'http://localhost/moved/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:library.example.org:babicka' | grep 'status=\"deleted\"'");
    instead('oai load --datestamps captured', 'make run loads the sample so');
    must('the third one is no more', 'systemctl stop oai-fcgi@moved oai-publish@moved; rm /etc/nginx/conf.d/moved-oai.conf /etc/nginx/snippets/moved-oai.conf && runuser -u postgres -- dropdb moved');
    nginx(['/etc/oai-fcgi/nginx-oai.conf', '/etc/nginx/snippets/library-oai.conf']);
}

# The other ways in which a web server reaches the program.
sub follow_servers {
    my @spawn = grep { /^spawn-fcgi -s/ } keys %shown;
    must('no service', 'systemctl stop oai-fcgi && apt-get install spawn-fcgi');
    shown('install -d -o oai_reader -g www-data -m 2750 /run/oai-fcgi');
    shown($_) for @spawn;
    harvest('spawn-fcgi');
    shown('kill $(cat /run/oai-fcgi.pid)');
    instead('spawn-fcgi -n', 'is a part of a line of a supervisor');
    must('the service again', 'systemctl start oai-fcgi');
    follow_apache();
}
sub follow_apache {
    my ($configuration) = grep { /^sed -e .*fcgid/ } keys %shown;
    my @paths = sort grep { m{^sed .*/etc/apache2/} } keys %shown;
    my @ident = in_backquotes('mount.md', 'oai\s\S+\soai_reader');
    instead($_, 'is a line of pg_ident.conf') for @ident;
    if ($ENV{OAI_PLATFORM_HERE} && !-x '/usr/sbin/a2enmod') {
        instead($_, 'apache2 is not installed') for 'a2enmod proxy_fcgi', 'a2enmod fcgid', $configuration, 'adduser www-data oai_reader',
            'systemctl reload postgresql', 'apachectl graceful', @paths;
        return;
    }
    must('Apache', 'systemctl stop nginx && apt-get install apache2 libapache2-mod-fcgid') or return;
    shown('a2enmod proxy_fcgi');
    apache('apache-oai.conf');
    harvest('mod_proxy_fcgi');
    shown($_) for @paths;
    apache('/etc/apache2/archive-oai.conf');
    harvest('mod_proxy_fcgi at another path', 'http://localhost/archive/oai');
    apache('apache-oai.conf', '/etc/apache2/library-oai.conf');
    harvest('mod_proxy_fcgi, the second one', 'http://localhost/library/oai');
    shown('a2enmod fcgid');
    shown($configuration);
    shown('adduser www-data oai_reader');
    my ($hba) = in_backquotes('mount.md', 'local oai oai_reader peer map=\w+');
    must('the lines of PostgreSQL', 'cd /etc/postgresql/*/main && cp pg_hba.conf /tmp && { echo "' . $hba . '"; cat /tmp/pg_hba.conf; } >pg_hba.conf'
        . " && cat >>pg_ident.conf <<'END'\n" . join("\n", @ident) . "\nEND");
    shown('systemctl reload postgresql');
    apache('apache-oai-fcgid.conf');
    harvest('mod_fcgid');
    shown('apachectl graceful');
    must('nginx again', 'systemctl stop apache2 && systemctl start nginx');
}

# The museum is a library that takes in a static repository, served by the same nginx, and harvests this one.
sub follow_library {
    my $manual = manual('static.md');
    my $museum = 'runuser -u oai_loader -- oai --config /etc/oai-fcgi/museum.ini';
    my ($block) = $manual =~ /^((?: {4}\w+ = .*\n)+)\nthe first three/m;
    my ($timer) = $manual =~ /^((?: {4}(?:CONFIG|HARVEST)=.*\n){2})/m;
    shown($_, where => '/tmp', as => "runuser -u oai_reader -- $_ --format mods && cp repository.xml /var/www/html") for grep { /^oai export-static/ } keys %shown;
    must('the names of the museum', "sed -i 's|Example</oai:repo|Museum</oai:repo|; s|you\@example.org|curator\@museum.example|;"
        . " s|https://gateway.example.org/oai/[^<]*|https://gateway.example.org/oai/museum.example/repository.xml|' /var/www/html/repository.xml");
    spew('/etc/oai-fcgi/museum.ini', "[repository]\nidentifier_namespace = gateway.example\n" . $block =~ s/^ {4}(?!description)|^ {4}description.*\n//gmr
        . "[database]\nconnection = dbname=museum user=oai_reader\n[publisher]\nconnection = dbname=museum user=oai_publisher\n"
        . "[loader]\nconnection = dbname=museum user=oai_loader\n[token]\nkey_file = /etc/oai-fcgi/token.key\n[formats]\ndirectory = /usr/share/oai-fcgi/xslt/library\n");
    must('a database of the museum', 'runuser -u postgres -- createdb -E UTF8 -T template0 museum && runuser -u postgres -- oai schema install --model library --connection dbname=museum');
    my ($add, $last) = map { my $what = $_; grep { /museum\.ini repository $what/ } keys %shown } 'add', 'remove';
    shown($_, as => s/^oai --config \S+/$museum/r) for $add, 'oai --config /etc/oai-fcgi/museum.ini harvest museum';
    spew('/etc/oai-fcgi/harvest/museum.conf', $timer =~ s/^ {4}//gmr);
    shown('systemctl enable --now oai-harvest@museum.timer');
    must('a harvest of the museum by its unit', 'systemctl start oai-harvest@museum');
    shown('oai repository format PREFIX', as => "$museum repository format mods", like => qr/xsl:stylesheet/);
    shown('oai repository status museum', as => "$museum repository status museum", like => qr/healthy/);
    shown($last, as => $last =~ s/^oai --config \S+/$museum/r);
    shown('oai repository add arxiv http://export.arxiv.org/oai2 --set cs --format arXiv', as => "$museum repository add arxiv https://example.org/oai --set col --format qdc");
    shown('oai harvest arxiv', as => "$museum harvest arxiv");
    shown($_, as => s/^oai /$museum /r) for 'oai repository status', 'oai repository duplicates', 'oai repository change arxiv --set math',
        'oai harvest arxiv --full';
    must('one that is harvested whole', "$museum repository add whole https://example.org/oai --format qdc");
    shown($_, as => s/^oai /$museum /r =~ s/NAME/whole/r) for 'oai repository change NAME --full-interval 30d --delete-missing',
        'oai harvest NAME --full --delete-missing', 'oai harvest NAME --full --delete-missing --believe', 'oai harvest NAME --believe';
    shown('oai repository change arxiv --url URL', as => "$museum repository change arxiv --url https://example.org/oai");
    spew('/etc/oai-fcgi/harvest/all.conf', "CONFIG=/etc/oai-fcgi/museum.ini\nHARVEST=--due\n");
    shown('systemctl enable --now oai-harvest@all.timer');
    must('what is due', 'systemctl start oai-harvest@all');
}

# A second cluster beside the first is the replica.
sub follow_replica {
    my ($version) = map { m{([^/]+)/main} } glob('/etc/postgresql/*/main'), 'VERSION/main';
    must('a place for a replica', "pg_createcluster -p 5433 $version replica && rm -rf /var/lib/postgresql/$version/replica");
    shown($_, as => "runuser -u postgres -- pg_basebackup -D /var/lib/postgresql/$version/replica -R -c fast -d user=postgres") for grep { /^pg_basebackup / } keys %shown;
    must('the replica', "pg_ctlcluster $version replica start");
    shown(q(psql -h db2 -c 'select pg_last_wal_receive_lsn()'), as => q(runuser -u postgres -- psql -p 5433 -c 'select pg_last_wal_receive_lsn()'));
    sql($_) for grep { /^alter (?:system|role)/ } keys %shown;
    must('no synchronous replica', q(runuser -u postgres -- psql -c 'alter system reset synchronous_standby_names'));
    shown(q(runuser -u postgres -- psql -c 'select pg_promote()'), as => q(runuser -u postgres -- psql -p 5433 -c 'select pg_promote()'), like => qr/^ t$/m);
    must('no second cluster', "pg_dropcluster --stop $version replica");
}

# Three hosts are not to be had here.
sub follow_failover {
    for my $text (sort keys %shown) {
        next if grep { $_->{file} !~ /failover\.md$/ } @{ $shown{$text} };
        instead($text, 't/fault/failover.t has three hosts') if $text =~ /patroni|etcd|postgresql|password|pgpass|^pg_dropcluster|^kill -9$/;
    }
}

sub follow_backup {
    my ($repair, $renumber) = map { my $begin = $_; grep { /^$begin/ } keys %shown } 'set oai.publisher', 'update oai.item';
    $done{$repair} = 1;
    shown($renumber, as => qq(runuser -u postgres -- psql -X -v ON_ERROR_STOP=1 -d oai -c "$repair $renumber"));
    sql('insert into oai.queue (id) values (N)', sql => 'insert into oai.queue (id) values (1)');
    sql('grant insert (COLUMN), update (COLUMN) on TABLE to oai_loader',
        sql => 'alter table webarchiv.doc add note text; grant insert (note), update (note) on webarchiv.doc to oai_loader');
    my ($before_dump) = grep { /^grant execute on function/ } keys %shown;
    if ((run('runuser -u postgres -- psql -XAtc "show server_version_num"'))[1] =~ /^(\d{6})$/m && $1 < 170000) { sql($before_dump) }
    else { instead($before_dump, 'is for PostgreSQL 16 and older') }
    sql('update oai.horizon set epoch = epoch + 1');
    ok(published(), 'all of it is published');
    must('a directory of postgres', 'install -d -o postgres /srv/backup');
    shown('runuser -u postgres -- pg_dump -Fc -C oai > oai.dump', where => '/srv/backup');
    shown('pg_dumpall --roles-only', as => 'runuser -u postgres -- pg_dumpall --roles-only', like => qr/oai_reader/);
    shown('pg_restore --data-only', where => '/srv/backup', status => 1, like => qr/oai/,
        as => 'runuser -u postgres -- createdb -E UTF8 -T template0 other && runuser -u postgres -- oai schema install --model webarchiv --connection dbname=other && runuser -u postgres -- pg_restore --data-only -d other < oai.dump');
    must('the database is lost', 'systemctl stop oai-publish; systemctl stop oai-fcgi; runuser -u postgres -- dropdb oai');
    shown('runuser -u postgres -- pg_restore -C -d postgres < oai.dump', where => '/srv/backup');
    must('the services again', 'systemctl start oai-fcgi oai-publish');
    harvest('restored');
    must('zstd', 'apt-get install -y zstd');
    shown('runuser -u postgres -- pg_basebackup -D /srv/backup/base -F tar -Z zstd -c fast -d user=postgres');
    my ($data) = (glob('/var/lib/postgresql/*/main'), '/var/lib/postgresql/VERSION/main');
    must('the cluster is lost', "systemctl stop oai-publish; systemctl stop oai-fcgi; systemctl stop postgresql; find $data -mindepth 1 -delete");
    shown('runuser -u postgres -- tar --zstd -xf /srv/backup/base/base.tar.zst', where => $data);
    shown('runuser -u postgres -- tar -xf /srv/backup/base/pg_wal.tar -C pg_wal', where => $data);
    must('PostgreSQL and the services again', 'systemctl start postgresql oai-fcgi oai-publish');
    harvest('restored from a copy of the cluster');
}

sub follow_upgrade {
    shown('dpkg-deb -x oai-fcgi_*.deb /tmp/oai-new', where => "$clone/build/deb");
    shown($_) for sort grep { m{/tmp/oai-new/usr/bin/oai} } keys %shown;
    shown('oai schema install', as => 'runuser -u postgres -- oai schema install --connection dbname=oai');
    shown('apt install ./oai-fcgi_*.deb', where => "$clone/build/deb");
    shown($_) for 'runuser -u postgres -- oai schema install --connection dbname=library', 'systemctl restart oai-fcgi@library oai-publish@library';
    shown($_) for 'cp -p /etc/oai-fcgi/token.key /etc/oai-fcgi/token.key.before', 'openssl rand -hex 32 > /etc/oai-fcgi/token.key';
    my ($line) = in_backquotes('upgrade.md', 'previous_key_file = [^`]*');
    must($line, "sed -i 's|^#previous_key_file =.*|$line|' /etc/oai-fcgi/oai.ini");
    must('the new key is taken over', "systemctl reload oai-fcgi; sleep 2; ! journalctl -u oai-fcgi | grep 'event=reload state=refused'");
    harvest('upgraded');
}

sub follow_end {
    must('purge', 'systemctl stop oai-fcgi@library oai-publish@library; systemctl stop oai-fcgi; systemctl stop oai-publish; apt-get -y purge oai-fcgi');
    must('the second repository keeps configuration, key and users', 'test -s /etc/oai-fcgi/library.ini -a -s /etc/oai-fcgi/token.key -a ! -e /etc/oai-fcgi/oai.ini && id oai_reader');
    must('nginx can be started, though it includes what is gone', 'nginx -t && grep -q purged /etc/oai-fcgi/nginx-oai.conf');
    must('the package again, which mounts itself where it was', "apt-get install --yes $clone/build/deb/oai-fcgi_*.deb && grep -q location /etc/oai-fcgi/nginx-oai.conf && ! grep -r 'was purged' /etc/oai-fcgi");
    must('and nothing else', 'cd /'
        . ' && find /etc/oai-fcgi -name "*.ini" ! -name oai.ini -delete && rm -f /etc/systemd/system/oai-*.service'
        . ' && rm -f /etc/nginx/conf.d/*oai.conf && for site in /etc/nginx/sites-available/default /etc/apache2/sites-available/000-default.conf; do test ! -e $site || sed -i "/oai-fcgi/d" $site; done');
    must('purge of the only repository', 'apt-get -y purge oai-fcgi');
    must('nothing is left of the package', '! ls -d /etc/oai-fcgi /run/oai-fcgi /var/lib/oai-harvest /usr/share/oai-fcgi && ! grep ^oai_ /etc/passwd');
    must('no other databases', 'runuser -u postgres -- dropdb museum && runuser -u postgres -- dropdb library && runuser -u postgres -- dropdb other');
    shown('dropdb --force oai', as => 'runuser -u postgres -- dropdb --force oai');
    shown('drop role oai_reader, oai_publisher, oai_loader, oai_rule, oai_source', as => q(runuser -u postgres -- psql -X -v ON_ERROR_STOP=1 -c 'drop role oai_reader, oai_publisher, oai_loader, oai_rule, oai_source'));
    shown('make install', where => $clone, $ENV{OAI_PLATFORM_PROGRAMS} ? (as => "make install PROGRAMS=$ENV{OAI_PLATFORM_PROGRAMS}") : ());
    shown($_) for map { my $begin = $_; grep { /^$begin/ } keys %shown } '\(umask', 'systemd-sysusers', 'chown root:oai_reader';
    must('what make install has installed', 'oai --help && /usr/local/sbin/oai.fcgi --help && runuser -u oai_reader -- test -s /etc/oai-fcgi/token.key -a -r /etc/oai-fcgi/token.key');
}

1;
