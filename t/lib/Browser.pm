# SPDX-License-Identifier: MIT
# Debian's Chromium, without a window, by WebDriver (W3C) through its chromedriver. Everything of it lies in a directory of
# its own and goes at the end.
#   my $b = Browser->new($dir);
#   $b->go($url);                       waits until the page is loaded
#   my $x = $b->run('return 1 + arguments[0]', 2);       a script in the page, apart from its Content-Security-Policy
#   my $x = $b->run_async($script, ...);                 its last argument is what to call with the result
#   $b->cdp('Emulation.setEmulatedMedia', {...});        Chrome DevTools Protocol
#   $b->press("\x{E004}");                               keys, to whatever has the focus
#   my @urls = $b->asked_for; my @words = $b->complaints;    since the last time: requests; errors of the console
package Browser;
use strict;
use warnings;
use HTTP::Tiny;
use IO::Socket::INET;
use JSON::PP;
use MIME::Base64;
use POSIX ();
use Time::HiRes qw(sleep);

my $json = JSON::PP->new->utf8->allow_nonref;

sub new {
    my ($class, $dir) = @_;
    mkdir $dir;
    my $port = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1')->sockport;
    my $self = bless {dir => $dir, http => HTTP::Tiny->new(timeout => 60), base => "http://127.0.0.1:$port", owner => $$}, $class;
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
    my $made = $self->ask(POST => '/session', {capabilities => {alwaysMatch => {
        'goog:chromeOptions' => {binary => '/usr/bin/chromium', args => [@flags, "--user-data-dir=$dir/profile"]},
        'goog:loggingPrefs'  => {browser => 'ALL', performance => 'ALL'}}}});
    $self->{session} = "/session/$made->{sessionId}";
    return $self;
}

sub wait_for_driver {
    my ($self) = @_;
    for (1 .. 300) {
        my $status = $self->{http}->get("$self->{base}/status");
        return if $status->{success};
        sleep 0.1;
    }
    die "chromedriver does not answer\n";
}

sub ask {
    my ($self, $method, $path, $body) = @_;
    my %content = $method eq 'POST' ? (content => $json->encode($body // {}), headers => {'Content-Type' => 'application/json'}) : ();
    my $got = $self->{http}->request($method, "$self->{base}$path", \%content);
    my $value = eval { $json->decode($got->{content})->{value} };
    die "$method $path: " . ($value->{message} // $got->{content}) . "\n" if !$got->{success};
    return $value;
}

sub go { my ($self, $url) = @_; return $self->ask(POST => "$self->{session}/url", {url => $url}) }
sub run { my ($self, $script, @values) = @_; return $self->ask(POST => "$self->{session}/execute/sync", {script => $script, args => \@values}) }
sub run_async { my ($self, $script, @values) = @_; return $self->ask(POST => "$self->{session}/execute/async", {script => $script, args => \@values}) }
sub cdp { my ($self, $command, $parameters) = @_; return $self->ask(POST => "$self->{session}/goog/cdp/execute", {cmd => $command, params => $parameters // {}}) }

sub press {
    my ($self, @keys) = @_;
    my @actions = map { ({type => 'keyDown', value => $_}, {type => 'keyUp', value => $_}) } @keys;
    return $self->ask(POST => "$self->{session}/actions", {actions => [{type => 'key', id => 'keys', actions => \@actions}]});
}

sub click {
    my ($self, $selector) = @_;
    my $found = $self->ask(POST => "$self->{session}/element", {using => 'css selector', value => $selector});
    return $self->ask(POST => "$self->{session}/element/" . (values %$found)[0] . '/click');
}

sub log_of { my ($self, $kind) = @_; return @{$self->ask(POST => "$self->{session}/se/log", {type => $kind})} }

sub asked_for {
    my ($self) = @_;
    my @said = map { $json->decode($_->{message})->{message} } $self->log_of('performance');
    return map { $_->{params}{request}{url} } grep { $_->{method} eq 'Network.requestWillBeSent' } @said;
}
sub complaints { my ($self) = @_; return map { $_->{message} } grep { $_->{level} ne 'INFO' } $self->log_of('browser') }

# What is seen, or all of the page.
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
    eval { $self->ask(DELETE => $self->{session}) } if $self->{session};
    kill TERM => -$self->{pid};
    waitpid $self->{pid}, 0;
    system 'rm', '-rf', $self->{dir};
}

1;
