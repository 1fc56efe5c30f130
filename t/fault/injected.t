#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Does the comparison of compiled stylesheets with libxslt (t/lib/emission.h) find bugs? Each of these is put into a copy
# of its source, by itself; the comparison must come upon it, within a fortieth of what t/fault/emission.t looks at.
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use Test::More;

my $build = $ENV{BUILD} // 'build';
my $dir = "$build/injected";
my @look = (600, 40, 1);   # stylesheets, records, first seed

# Source, the bug in words, what it stands in place of (there once), the bug.
my @bugs = (
    # Operations.
    ['lib/xml/emit', 'text is not written', "*out_ += operation.text;\n                mark", 'mark'],
    ['lib/xml/emit', 'a value in text is escaped as in an attribute', 'operation.in_attribute ?', 'true ?'],
    ['lib/xml/emit', 'a value in an attribute is escaped as in text', 'operation.in_attribute ?', 'false ?'],
    ['lib/xml/emit', 'an attribute ends with an apostrophe', q{*out_ += '"';}, q{*out_ += '\'';}],
    ['lib/xml/emit', 'an attribute has no value', "run(operation.body);\n                *out_ += '\"';", q{*out_ += '"';}],
    ['lib/xml/emit', 'an empty element has two tags', 'if (out_->size() == before)', 'if (false)'],
    ['lib/xml/emit', 'no element is empty but for its attributes', 'const std::size_t before = out_->size();', 'const std::size_t before = 0;'],
    ['lib/xml/emit', 'an element loses its attributes', 'run(operation.head);', ''],
    ['lib/xml/emit', 'an element has no end tag', '*out_ += operation.end;', ''],
    ['lib/xml/emit', 'after the first true branch come the next', "run(branch.body);\n            return;", 'run(branch.body);'],
    ['lib/xml/emit', 'xsl:otherwise is passed over', '!branch.test || test(', 'branch.test && test('],
    ['lib/xml/emit', 'for-each takes an absent column for an empty one', 'if (!value) return;', 'if (!value) return run(operation.body);'],
    ['lib/xml/emit', 'for-each passes over an empty column', 'if (!value) return;', 'if (!value || value->empty()) return;'],
    ['lib/xml/emit', 'for-each over a column has no node', 'Node{{*value}}', 'Node{}'],
    ['lib/xml/emit', 'the node stays behind when for-each over a column ends', "node_ = outer;\n}\n\nvoid Emitter::each_child", "}\n\nvoid Emitter::each_child"],
    ['lib/xml/emit', 'the node stays behind when for-each over an array ends', "node_ = outer;\n}\n\nvoid Emitter::record", "(void)outer;\n}\n\nvoid Emitter::record"],
    ['lib/xml/emit', 'for-each leaves out the last entry', 'i < entries.size(); ++i', 'i + 1 < entries.size(); ++i'],
    ['lib/xml/emit', 'positions count from 0', 'i + 1, entries.size()}', 'i, entries.size()}'],
    ['lib/xml/emit', 'last() is one less', 'i + 1, entries.size()}', 'i + 1, entries.size() - 1}'],
    # Conditions.
    ['lib/xml/emit', 'and is or', 'test(a[0]) && test(a[1])', 'test(a[0]) || test(a[1])'],
    ['lib/xml/emit', 'or is and', 'test(a[0]) || test(a[1])', 'test(a[0]) && test(a[1])'],
    ['lib/xml/emit', 'not() does nothing', 'return !test(a[0]);', 'return test(a[0]);'],
    ['lib/xml/emit', 'an empty column does not exist', 'return record_->attributes[a[0].slot].has_value();', 'return !record_->attributes[a[0].slot].value_or("").empty();'],
    ['lib/xml/emit', 'an array without entries exists', 'return !record_->children[a[0].slot].empty();', 'return true;'],
    ['lib/xml/emit', '@lang always exists', 'return node_.entry.lang.has_value();', 'return true;'],
    ['lib/xml/emit', 'an empty string is true', 'return !string(a[0]).empty();', '(void)string(a[0]); return true;'],
    ['lib/xml/emit', 'starts-with() is ends-with()', 'starts_with(string(a[1]))', 'ends_with(string(a[1]))'],
    ['lib/xml/emit', 'contains() is starts-with()', '!= std::string_view::npos;', '== 0;'],
    ['lib/xml/emit', '= is !=', 'return any_node(e, true);', 'return any_node(e, false);'],
    ['lib/xml/emit', '!= is not(=)', 'return any_node(e, false);', 'return !any_node(e, true);'],
    ['lib/xml/emit', '!= holds of an absent column', 'return value && (*value == other) == wanted;', 'return (value == other) == wanted;'],
    ['lib/xml/emit', 'an absent column equals the empty string', 'return value && (*value == other) == wanted;', 'return (value.value_or("") == other) == wanted;'],
    ['lib/xml/emit', '!= holds of an absent @lang', 'return node_.entry.lang && (*node_.entry.lang == other) == wanted;', 'return (node_.entry.lang == other) == wanted;'],
    ['lib/xml/emit', 'of a set of nodes all must be equal', 'std::any_of(entries.begin()', 'std::all_of(entries.begin()'],
    ['lib/xml/emit', 'of a set of nodes the first is compared', 'std::any_of(entries.begin(), entries.end(),', 'std::any_of(entries.begin(), entries.begin() + !entries.empty(),'],
    ['lib/xml/emit', 'the node itself is not compared', 'return (string(nodes) == other) == wanted;', 'return wanted;'],
    ['lib/xml/emit', 'numbers: = is true', 'number(a[0]) == number(a[1])', 'true'],
    ['lib/xml/emit', 'numbers: != is <', 'number(a[0]) != number(a[1])', 'number(a[0]) < number(a[1])'],
    ['lib/xml/emit', 'numbers: < is <=', 'number(a[0]) < number(a[1])', 'number(a[0]) <= number(a[1])'],
    ['lib/xml/emit', 'numbers: <= is <', 'number(a[0]) <= number(a[1])', 'number(a[0]) < number(a[1])'],
    ['lib/xml/emit', 'numbers: > is >=', 'number(a[0]) > number(a[1])', 'number(a[0]) >= number(a[1])'],
    ['lib/xml/emit', 'numbers: >= is >', 'number(a[0]) >= number(a[1])', 'number(a[0]) > number(a[1])'],
    # Strings and numbers.
    ['lib/xml/emit', 'a literal is empty', 'return e.text;', 'return {};'],
    ['lib/xml/emit', 'string() is empty', "case Kind::string:\n            return string(a[0]);", "case Kind::string:\n            return {};"],
    ['lib/xml/emit', 'concat() leaves out its first', 'for (const Expression& part : a) out += string(part);', 'for (const Expression& part : a) out = string(part);'],
    ['lib/xml/emit', 'substring-before() what is not there is all', 'return at == std::string_view::npos ? "" : s.substr(0, at);', 'return s.substr(0, at);'],
    ['lib/xml/emit', 'substring-after() what is not there is all', 'return at == std::string_view::npos ? "" : s.substr(at + find.size());', 'return at == std::string_view::npos ? s : s.substr(at + find.size());'],
    ['lib/xml/emit', 'substring-after() begins with what was sought', 's.substr(at + find.size())', 's.substr(at)'],
    ['lib/xml/emit', 'string-length() counts bytes', 'return characters(string(e.arguments[0]));', 'return string(e.arguments[0]).size();'],
    ['lib/xml/emit', 'normalize-space() keeps tabs', q{c == ' ' || c == '\t' ||}, q{c == ' ' ||}],
    ['lib/xml/emit', 'normalize-space() keeps a blank in front', 'pending = !out.empty();', 'pending = true;'],
    ['lib/xml/emit', 'normalize-space() joins words', q{if (pending) out += ' ';}, ''],
    ['lib/xml/emit', 'translate() drops what it has no replacement for', '? c : std::string_view(found->second)', '? "" : std::string_view(found->second)'],
    ['lib/xml/emit', 'translate() goes by bytes', 'return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;', 'return c < 0x80 ? 1 : 1;'],
    ['lib/xml/emit', 'the string of an absent column is not empty', 'return record_->attributes[e.slot].value_or("");', 'return record_->attributes[e.slot].value_or("-");'],
    ['lib/xml/emit', 'the string of an array is that of its last', 'entries.front().text', 'entries.back().text'],
    ['lib/xml/emit', 'the string of an absent @lang is not empty', 'return node_.entry.lang.value_or("");', 'return node_.entry.lang.value_or("-");'],
    ['lib/xml/emit', 'position() is last()', 'return node_.position;', 'return node_.last;'],
    ['lib/xml/emit', 'last() is position()', 'return node_.last;', 'return node_.position;'],
    ['lib/xml/emit', 'a number is one more', "default:\n            return e.number;", "default:\n            return e.number + 1;"],
    # Escaping: what text and attributes have in common, then each alone; the way they are written; the quick look ahead.
    (map { my ($c, $class) = @$_; ["lib/xml/escape", "$c is not escaped", "t['$c'] = $class;", ''] }
        ['&', 'ampersand'], ['<', 'less'], ['>', 'greater'], ['\r', 'carriage'], ['"', 'quote'], ['\t', 'tab'], ['\n', 'newline']),
    (map { ["lib/xml/escape", "$_ in an attribute is not escaped", "t['\"'] = quote;", "t['\"'] = quote;\n    t['$_'] = clean;"] } '&', '<', '>', '\r'),
    (map { my ($c, $class) = @$_; ["lib/xml/escape", "$c in text is escaped", "t['\\r'] = carriage;", "t['\\r'] = carriage;\n    t['$c'] = $class;"] }
        ['\t', 'tab'], ['\n', 'newline']),
    (map { ["lib/xml/escape", "$_ is written by its number", "\"$_\"", "\"&#x58;\""] } '&amp;', '&lt;', '&gt;', '&quot;', '&#9;', '&#10;', '&#13;'),
    (map { ["lib/xml/escape", "$_ is not seen by the quick look", "(b == '$_')", "(b == 'Q')"] } '&', '<', '>', '"'),
    ['lib/xml/escape', 'control characters are not seen by the quick look', '(b - 0x20 > 0x5F)', '(b > 0x7F)'],
    ['lib/xml/escape', 'longer characters are broken up', 'return {wanted.bytes, !noncharacter};', 'return {wanted.bytes, false};'],
    ['lib/xml/escape', 'what is before an escaped character is lost', "flush();\n            out +=", 'out +='],
    ['lib/base/text', 'what is no character becomes ?', '"\xEF\xBF\xBD";', '"?";'],
    ['lib/base/text', 'what is no character goes', '? bytes.substr(0, c.length) : kReplacement', '? bytes.substr(0, c.length) : ""'],
    ['lib/base/text', 'a control character is let through', 'c.well_formed && is_xml_char(c.value)', 'c.well_formed'],
    # Copies of stored XML.
    ['lib/xml/emit', 'what is for libxslt is written all the same', 'if (!left_ && ', 'if ('],
    ['lib/xml/emit', 'the namespace of the metadata is not known', 'if (e.of_metadata_namespace) text', 'if (false) text'],
    ['lib/xml/emit_copy', 'a namespace is declared again', 'if (known != nullptr && known->uri == uri) {', 'if (false) {'],
    ['lib/xml/emit_copy', 'a prefix is not declared anew', 'if (known != nullptr && known->uri == uri) {', 'if (known != nullptr) {'],
    ['lib/xml/emit_copy', 'a declaration outlives its element', 'bindings_.resize(open_.back().bindings);', ''],
    ['lib/xml/emit_copy', 'an element may have the prefix of the stylesheet', 'if (known == nullptr || !known->own) return false;', 'if (known == nullptr) return false;'],
    ['lib/xml/emit_copy', 'an attribute may have a prefix that is not declared', 'return known != nullptr && known->own;', 'return true;'],
    ['lib/xml/emit_copy', 'a path takes elements of every namespace', '&& wanted->name_space == uri', ''],
    ['lib/xml/emit_copy', 'a path takes elements of every name', 'wanted->local == name.local && ', ''],
    ['lib/xml/emit_copy', 'a path takes elements without the child', 'has_child_ = !path_->child;', 'has_child_ = true;'],
    ['lib/xml/emit_copy', 'a path takes a child of another text', ' && std::string_view(child_text_, content_end) == text_', ''],
    ['lib/xml/emit_copy', 'the text of a child is compared as it is not written', 'append_text(text_, *text);', 'text_ = *text;'],
    ['lib/xml/emit_copy', 'an element of nothing has two tags', 'return accept(">") && !(end_ - next_ >= 2 && next_[0] == \'<\' && next_[1] == \'/\');', 'return accept(">");'],
    ['lib/xml/emit_copy', 'a carriage return is copied', "t['\\t'] = t['\\n'] = plain;", "t['\\t'] = t['\\n'] = t['\\r'] = plain;"],
    ['lib/xml/emit_copy', '> is copied', 'table("<>&")', 'table("<&")'],
    ['lib/xml/emit_copy', 'what is not selected stays', 'if (!selected_) out_->resize(begin_);', ''],
    # The columns, and what the compiler makes of a stylesheet.
    ['lib/compiled_format', 'an absent array is as long as the last one', 'if ((*indices)[i] != kAbsent) (*slots)', 'if ((*indices)[i] != kAbsent && !columns[(*indices)[i]].entries.empty()) (*slots)'],
    ['lib/compiled_format', 'an absent column is as the last one was', 'if (attributes_[i] != kAbsent) view_.attributes[i]', 'if (attributes_[i] != kAbsent && columns[attributes_[i]].text) view_.attributes[i]'],
    ['lib/compiled_format', 'columns are taken in order', 'static_cast<std::size_t>(found - columns.begin())', '(found - columns.begin()) / 2'],
    ['lib/xml/emit_simplify', 'an element that is not always filled is taken for one that is', 'o.kind == Kind::text || o.kind == Kind::element', 'o.kind != Kind::attribute'],
    ['lib/xml/emit_simplify', 'an element of nothing has two tags', 'empty ? "/>" : ">"', 'empty ? "></>" : ">"'],
    ['lib/xml/emit_simplify', 'of neighbouring texts the first counts', 'out.back().text += o.text;', ''],
    ['lib/xml/emit_compiler', 'the text of an attribute is escaped as text', 'place.in_attribute ? append_attribute(text, view(node->content)) : append_text', 'append_text'],
    ['lib/xml/emit_elements', 'an attribute value template keeps both braces', 'text += source.front();', 'text += source.substr(0, 2);'],
    ['lib/xml/emit_elements', 'a namespace is declared again', 'if (!redundant && ', 'if ('],
    ['lib/xml/emit_xpath', 'or binds as and', 'outer ? "or" : "and"', 'outer ? "and" : "or"'],
    ['lib/xml/emit_expression', 'translate() keeps what has no counterpart', 'i < to.size() ? to[i] : ""', 'i < to.size() ? to[i] : from[i]'],
    ['lib/xml/emit_expression', 'within for-each a function is of the empty string', 'arguments.push_back(to_string(make(Kind::self)));', 'arguments.push_back(to_string(make(Kind::literal)));'],
);

sub slurp { my ($path) = @_; open my $in, '<', $path or die "$path: $!\n"; local $/; return scalar <$in> }

# The name of the copy; undef: what the bug replaces is not there, or more than once.
sub inject {
    my ($n, $source, $from, $to) = @_;
    my $text = slurp("$source.cpp");
    my $at = index $text, $from;
    return if $at < 0 || index($text, $from, $at + 1) >= 0;
    substr $text, $at, length $from, $to;
    my $name = sprintf '%s/bug%03d', $dir, $n;
    open my $out, '>', "$name.cpp" or die "$name.cpp: $!\n";
    print {$out} $text;
    close $out or die "$name.cpp: $!\n";
    return $name;
}

# Half of them: a line for each, its number and what was said.
sub look {
    my ($half, @programs) = @_;
    for my $n (grep { $_ % 2 == $half && -x ($programs[$_] // '') } 0 .. $#programs) {
        my $said = qx(timeout 120 $programs[$n] @look 2>&1);
        my $found = $? >> 8 == 1 && $said =~ /^seed\t(\d+)\ncompiled:/m ? "found by stylesheet $1" : "not found";
        print "$n\t$found\n";
    }
}

remove_tree($dir);
make_path($dir);
my @programs = map { inject($_, @{$bugs[$_]}[0, 2, 3]) } 0 .. $#bugs;
@programs = map { my $p = sprintf '%s/bug%03d', $dir, $_; -e "$p.cpp" ? $p : undef } 0 .. $#bugs;
my $log = qx(make -s -k -j2 BUILD=$build @{[grep { defined } @programs]} 2>&1);
diag($log) if $?;

my @halves = map { open(my $out, '-|') // die "fork: $!\n" or do { look($_, @programs); exit 0 }; $out } 0, 1;
my %said = map { chomp; split /\t/ } map { readline $_ } @halves;
for my $n (0 .. $#bugs) {
    my ($source, $what) = @{$bugs[$n]};
    my $why = !$programs[$n] ? "$source.cpp no longer has what the bug replaces, or has it twice"
            : !exists $said{$n} ? 'it does not compile' : $said{$n};
    like $why, qr/^found by/, "$source: $what" and note $why;
}

my $sane = qx($build/release/fault/emission @look 2>&1);
is $?, 0, 'without a bug nothing is found' or diag $sane;
remove_tree($dir);
done_testing();
