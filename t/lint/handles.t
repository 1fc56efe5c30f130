#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Handles of C libraries are released only in handle.h files, and file descriptors only in base/fd.h; there is no new and no
# delete; SQL occurs only in the files meant for it, and values are never concatenated into a statement. The files with SQL are
# the queries files of store, publish, command and the tools; lib/pg has only the statements of
# transactions and cursors. lib/tools/map makes queries and triggers for tables that only their owner knows: there names are put into
# statements, in script.cpp, and no values.
use TestProgram;

# record_batch.cpp puts names of columns, as PostgreSQL has them and quoted, in the place of a star.
my $statement_files = qr{^lib/(store/record_batch\.cpp|(store|publish|command|tools/(load|aggregate))/(\w+_)?queries\.(h|cpp)|tools/map/(queries\.h|templates\.h|script\.cpp)|pg/\w+\.cpp)$};
my $of_names = qr{^lib/(tools/map/script|store/record_batch)\.cpp$};
my $release = qr/((?<!\w)::close | \bPQ(clear|finish|freemem|freeCancel|conninfoFree)
                 |xmlFree\w*|xslt(Free\w*)|xmlXPathFree\w*|xmlBufferFree|inflateEnd
                 |ucnv_close|ucsdet_close|ZSTD_freeDCtx|curl_(easy_cleanup|url_cleanup|free|slist_free_all)|deflateEnd|BrotliDecoderDestroyInstance|EVP_MD_CTX_free)\s*\(/x;
my $sql = qr/\bselect\s.+\sfrom\s|\bselect\s+[\w.]+\s*\(|\binsert\s+into\s+\w|\bdelete\s+from\s+\w|\bupdate\s+\w[\w.]*\s+set\s
            |\bcopy\s+[\w.]+\s*(\(|from\b)|\bcreate\s+(temp\w*\s+|unlogged\s+)?(table|schema|index|view|function)\s
            |\bdeclare\s+\w+\s.*cursor|\btruncate\s+(table\s+)?oai\.|\balter\s+table\s
            |^\s*(begin|commit|rollback)\b(\s+(isolation|read|transaction|work)\b|\s*;?\s*$)/xi;

# Splits a C++ file into pieces [kind, line, text]: the code without comments and literals, and the literals.
sub pieces {
    my ($text) = @_;
    my ($line, @pieces, $code) = (1);
    my $flush = sub { push @pieces, ['code', $line, $code] if ($code // '') =~ /\S/; undef $code };
    while ($text =~ /\G(?:
            (?<comment>\/\/[^\n]*|\/\*.*?\*\/)
          | (?<raw>R"(?<d>[^(\s]*)\((?<inside>.*?)\)\g{d}")
          | (?<string>"(?:[^"\\\n]|\\.)*")
          | (?<char>(?<![0-9a-zA-Z_])'(?:[^'\\\n]|\\.)+')
          | (?<line>\n)
          | (?<other>.))/gxs) {
        if (defined $+{line}) { $flush->(); $line++; next }
        if (defined $+{other}) { $code .= $+{other}; next }
        my $all = $+{comment} // $+{raw} // $+{string} // $+{char};
        push @pieces, ['literal', $line, $+{inside} // substr($all, 1, -1)] if defined $+{raw} || defined $+{string};
        $code .= '""' if defined $+{raw} || defined $+{string};
        $code .= ' ' if !defined $+{raw} && !defined $+{string};
        if (my $newlines = $all =~ tr/\n//) { $flush->(); $line += $newlines }
    }
    $flush->();
    return @pieces;
}

# Tests of the splitting and of the pattern for SQL.
my @sample = pieces(qq{a("x // y"); // "no"\n/* "no"\n*/ b('"', R"q(in\n"er)q") + 1'000; c});
is_deeply([map { $_->[2] } grep { $_->[0] eq 'literal' } @sample], ['x // y', qq(in\n"er)], 'literals are distinguished from comments');
is_deeply([map { $_->[1] } @sample], [1, 1, 3, 3, 4], 'lines are counted correctly across comments and raw strings');
like($_, $sql, 'this is SQL: ' . s/\n/ /gr) for 'select a from b', 'insert into x values ($1)', 'BEGIN', "\nselect oai.f(\$1)\n",
    'update oai.set set a = 1', 'copy oai.x from stdin', 'commit;', 'declare page no scroll cursor for';
unlike($_, $sql, "this is prose: $_") for 'select what you want', 'cannot delete the file', 'an update of the set', 'begin here';

my @files = sort grep { m{\.(cpp|h)$} } split /\n/, `find fcgi lib -type f 2>/dev/null`;
my (@released, @allocated, @scattered, @pasted);
for my $file (@files) {
    open my $in, '<', $file or die "$file: $!";
    my $text = do { local $/; <$in> };
    my $previous = '';
    for (pieces($text)) {
        my ($kind, $line, $piece) = @$_;
        if ($kind eq 'literal') {
            push @scattered, "$file:$line" if $piece =~ $sql && $file !~ $statement_files;
            $previous = $piece;
            next;
        }
        push @released, "$file:$line: $1" if $piece =~ $release && $file !~ m{/(handle|base/fd)\.h$};
        push @allocated, "$file:$line" if $piece =~ /\bnew\s+[\w:(]|\bnew\s*\(|\bdelete\s+\w|\bdelete\s*\[/;
        # "select ..." + x, x + "...", format("select ...", x)
        push @pasted, "$file:$line" if $previous =~ $sql && $file !~ $of_names && $piece =~ /""\s*\+|\+\s*""|\b(format|append|sprintf|snprintf)\s*\(\s*""/;
        $previous = '';
    }
}

# A pg::Statement is made of literals only, never of text built at run time.
my @built = grep { $_ } map { chomp; $_ }
    `grep -rnE 'pg::Statement(\\s+\\w+)?\\s*[{(][^"]*(c_str|format|std::string)' fcgi lib 2>/dev/null`;

cmp_ok(scalar @files, '>', 20, 'source files are found');
is("@{[map { qq(\n$_) } @released]}", '', 'handles are released only in handle.h, and descriptors only in base/fd.h');
is("@{[map { qq(\n$_) } @allocated]}", '', 'no new, no delete');
is("@{[map { qq(\n$_) } @scattered]}", '', 'SQL statements occur only in the files meant for them');
is("@{[map { qq(\n$_) } @pasted, @built]}", '', 'nothing is concatenated into a statement');
done_testing();
