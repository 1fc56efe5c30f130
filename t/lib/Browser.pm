# SPDX-License-Identifier: MIT
# Debian's Chromium without a window, controlled by WebDriver (W3C) through its chromedriver. All its files are in one directory,
# which is removed at the end.
#   my $b = Browser->new($dir);
#   $b->go($url);                       returns when the page is loaded
#   my $x = $b->run('return 1 + arguments[0]', 2);       runs a script in the page, whatever its Content-Security-Policy
#   my $x = $b->run_async($script, ...);                 the last argument of the script is a callback for the result
#   $b->cdp('Emulation.setEmulatedMedia', {...});        Chrome DevTools Protocol
#   $b->press("\x{E004}");                               sends keys to the focused element
#   my @urls = $b->requests; my @messages = $b->console_messages;   requests, and messages of the console, since the last call
package Browser;
use strict;
use warnings;
use Cpanel::JSON::XS ();
use IO::Socket::INET;
use MIME::Base64;
use POSIX ();
use Process;

my $json = Cpanel::JSON::XS->new->utf8->allow_nonref;

sub new {
    my ($class, $dir) = @_;
    mkdir $dir;
    my $port = free_port();
    my $self = bless {dir => $dir, address => "127.0.0.1:$port", owner => $$, network => []}, $class;
    $self->{pid} = fork // die "fork: $!";
    if (!$self->{pid}) {
        setpgrp;
        @ENV{qw(HOME TMPDIR XDG_CONFIG_HOME XDG_CACHE_HOME)} = ($dir) x 4;
        open STDOUT, '>', "$dir/chromedriver.log" or die $!;
        open STDERR, '>&', \*STDOUT or die $!;
        exec 'chromedriver', "--port=$port" or POSIX::_exit(127);
    }
    $self->wait_for_driver;
    my @flags = qw(--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run --disable-background-networking);
    $self->tell(POST => '/session', {capabilities => {alwaysMatch => {
        'goog:chromeOptions' => {binary => '/usr/bin/chromium', perfLoggingPrefs => {enableNetwork => \1, enablePage => \0}, args => [@flags, "--user-data-dir=$dir/profile", 'about:blank']},
        'goog:loggingPrefs'  => {browser => 'ALL', performance => 'ALL'}}}});
    return $self;
}

# Waits for the session only when it is first needed, so that Chromium starts while the test prepares its data.
sub session { my ($self) = @_; return $self->{session} //= '/session/' . $self->hear('session')->{sessionId} }

sub wait_for_driver {
    my ($self) = @_;
    wait_until(sub { ($self->{driver} = IO::Socket::INET->new(PeerAddr => $self->{address})) && $self->ask(GET => '/status')->{ready} })
        or die "chromedriver does not answer\n";
    return;
}

# Sends each request as one packet on a persistent connection. HTTP::Tiny would send head and body separately, and the body
# would wait for a delayed acknowledgement, at least 40 ms for each command.
sub tell {
    my ($self, $method, $path, $body) = @_;
    my $content = $method eq 'POST' ? $json->encode($body // {}) : '';
    print {$self->{driver}} "$method $path HTTP/1.1\r\nHost: $self->{address}\r\nContent-Type: application/json\r\nContent-Length: "
        . length($content) . "\r\n\r\n$content";
    $self->{driver}->flush;
    return;
}

sub hear {
    my ($self, $what) = @_;
    local $SIG{ALRM} = sub { die "$what: chromedriver does not answer\n" };
    alarm 300;
    my $head = '';
    while ($head !~ /\r\n\r\n\z/) { $head .= readline($self->{driver}) // die "$what: chromedriver has gone\n" }
    my ($length) = $head =~ /^Content-Length: *(\d+)/mi or die "$what: $head\n";
    read $self->{driver}, (my $said), $length;
    alarm 0;
    my $value = eval { $json->decode($said)->{value} };
    die "$what: " . (ref $value ? $value->{message} : $said) . "\n" if $head !~ m{^HTTP/1\.1 200 };
    return $value;
}

sub ask { my ($self, $method, $path, $body) = @_; $self->tell($method, $path, $body); return $self->hear("$method $path") }

# Asks again while there is no answer to show (the blank page of the start, or an interface of the machine that comes or goes
# meanwhile, ERR_NETWORK_CHANGED), and where the server asks for that by 503. What a server
# says of its troubles is told.
sub go {
    my ($self, $url) = @_;
    wait_until(sub {
        my $before = @{ $self->network };
        eval { $self->ask(POST => $self->session . "/url", {url => $url}); 1 } or $@ =~ /ERR_NETWORK_CHANGED/ ? return : die $@;
        my @said = @{ $self->network };
        my ($answer) = map { $_->{params}{type} eq 'Document' ? $_->{params}{response}{status} : () } grep { $_->{method} eq 'Network.responseReceived' } @said[$before .. $#said];
        print STDERR "# $url: $answer: " . $self->run('return document.body.textContent') . "\n" if ($answer // 0) >= 500;
        return $answer && $answer != 503;
    }) or die "$url is not shown\n";
    return;
}
sub run { my ($self, $script, @values) = @_; return $self->ask(POST => $self->session . "/execute/sync", {script => $script, args => \@values}) }
sub run_async { my ($self, $script, @values) = @_; return $self->ask(POST => $self->session . "/execute/async", {script => $script, args => \@values}) }
sub cdp { my ($self, $command, $parameters) = @_; return $self->ask(POST => $self->session . "/goog/cdp/execute", {cmd => $command, params => $parameters // {}}) }

sub press {
    my ($self, @keys) = @_;
    my @actions = map { ({type => 'keyDown', value => $_}, {type => 'keyUp', value => $_}) } @keys;
    return $self->ask(POST => $self->session . "/actions", {actions => [{type => 'key', id => 'keys', actions => \@actions}]});
}

sub click {
    my ($self, $selector) = @_;
    my $found = $self->ask(POST => $self->session . "/element", {using => 'css selector', value => $selector});
    return $self->ask(POST => $self->session . "/element/" . (values %$found)[0] . '/click');
}

sub log_of { my ($self, $kind) = @_; return @{$self->ask(POST => $self->session . "/se/log", {type => $kind})} }

# What Chromium says of the network since requests() was last called.
sub network {
    my ($self) = @_;
    push @{ $self->{network} }, map { $json->decode($_->{message})->{message} } $self->log_of('performance');
    return $self->{network};
}

sub requests {
    my ($self) = @_;
    return map { $_->{params}{request}{url} } grep { $_->{method} eq 'Network.requestWillBeSent' } splice @{ $self->network };
}
sub console_messages { my ($self) = @_; return map { $_->{message} } grep { $_->{level} ne 'INFO' && $_->{message} !~ /ERR_NETWORK_CHANGED|status of 503/ } $self->log_of('browser') }

# Writes a screenshot of the window.
sub picture {
    my ($self, $file) = @_;
    my $png = $self->cdp('Page.captureScreenshot', {format => 'png'})->{data};
    open my $out, '>:raw', $file or die "$file: $!";
    print {$out} decode_base64($png);
    close $out or die $!;
    return;
}

sub DESTROY {
    my ($self) = @_;
    return if $$ != $self->{owner};
    local ($@, $?);
    eval { $self->ask(DELETE => $self->session) };
    kill TERM => -$self->{pid};
    waitpid $self->{pid}, 0;
    system 'rm', '-rf', $self->{dir};
}

1;
