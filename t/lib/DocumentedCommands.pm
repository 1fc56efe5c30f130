# SPDX-License-Identifier: MIT
# The commands that a document shows: in indented blocks, after an empty line, and between backquotes. Needs only what a bare
# Debian has (perl-base).
#   my ($commands, $strange) = DocumentedCommands::commands($file);
#       commands: {text => 'oai status', line => 12, prompt => '$'}, without comments, blanks and line ends as one blank
#       strange: {text, line} of indented lines that are neither commands nor anything else that documents show
package DocumentedCommands;
use strict;
use warnings;

# What a command without a prompt begins with. Two words of `oai` or `make` alone are the name of a subcommand or target.
my $program = qr{(?:runuser|systemctl|systemd-\w+|journalctl|apt|git|make|oai|sql|curl|sed|cp|install|kill|editor|alias|spawn-fcgi|a2enmod|adduser
    |apachectl|promtool|psql|dropdb|createdb|pg_\w+|cd|chown|diff|dpkg-deb|headers\(\)|openssl|/usr/share/oai-fcgi/ship-formats|\(umask
    |[A-Z_]+=\S+\ make)(?=\s)}x;
my $sql = qr{(?:alter|update|insert|select|set|drop|grant)\s\S+\s\S}i;
# Lines of configurations, stylesheets, programs' output, diagrams.
my $other = qr{^(?:<|\[|[\w.]+\s?=\s?|[\w@.-]+\.service\s|nginx\s[<>]|\(mods\)|[{}"]|[Ii]nclude\s|server\s\{|(?:set_)?real_ip_\w+\s|collections:$|- name:\s|User-agent:\s|[a-z_]+,[\w@,]+$)};

sub commands {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    my @lines = <$in>;
    my (@commands, @strange);
    my $prose = '';
    my @prose_lines;
    for (my $i = 0; $i < @lines; ++$i) {
        if (!($i && $lines[$i - 1] =~ /^\s*$/ && $lines[$i] =~ /^( {4,})\S/)) {
            push @prose_lines, [length $prose, $i + 1];
            $prose .= $lines[$i];
            next;
        }
        my $indent = $1;
        my ($prompt, $is) = ('', undef);
        for (; $i < @lines && $lines[$i] =~ /^$indent/; ++$i) {
            my $line = $i + 1;
            my $text = substr $lines[$i], length $indent;
            $text .= $lines[++$i] =~ s/^\s+//r while $text =~ s/\\\n\z//;
            $text =~ s/\s+\z//;
            $prompt = $1 if $text =~ s/^([\$#]) (?=\S)//;
            $is //= $prompt ne '' || $text =~ /^$program/ ? 'shell' : $text =~ /^$sql/ ? 'sql' : $text =~ $other ? 'other' : 'strange';
            if ($is eq 'sql') { $text .= $lines[++$i] =~ s/^\s+/ /r =~ s/\s+\z//r while $text =~ /^\w/ && $text !~ /;(?:\s+--.*)?\z/ && ($lines[$i + 1] // '') =~ /^$indent/ }
            if ($is eq 'strange') { push @strange, {text => $text, line => $line} }
            elsif ($is ne 'other' && ($prompt eq '' || $lines[$line - 1] =~ /^ *\Q$prompt\E /)) {
                $text =~ s/ {2,}(?:#.*|--.*|(?<=   )\S.*)\z//;
                push @commands, {text => tidy($text), line => $line, prompt => $prompt, sql => $is eq 'sql'};
            }
        }
        --$i;
    }
    while ($prose =~ /`([^`]+)`/g) {
        my ($text, $at) = (tidy($1), $-[0]);
        next if $text !~ /^(?:$program|$sql)/ || $text =~ /^(?:oai|make) [\w-]+\z/ && $text !~ /^make (?:run|deb|install|test|check|help)\z/;
        my ($line) = map { $_->[1] } grep { $_->[0] <= $at } reverse @prose_lines;
        push @commands, {text => $text, line => $line, prompt => '', sql => $text =~ /^$sql/ ? 1 : ''};
    }
    return (\@commands, \@strange);
}
sub tidy { my ($text) = @_; $text =~ s/\s+/ /g; $text =~ s/^ | \z//g; return $text }

1;
