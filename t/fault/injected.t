#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Tests that the comparison of compiled stylesheets with libxslt (t/lib/emission.h) finds bugs. Each bug below is put alone
# into a copy of its source file, and the comparison must find it within a fortieth of the work of t/fault/emission.t.
use strict;
use warnings;
use File::Path qw(make_path remove_tree);
use Test::More;

my $build = $ENV{BUILD} // 'build';
my $dir = "$build/injected";
my @look = (600, 40, 1);   # stylesheets, records, first seed

# Source file, description of the bug, the code that it replaces (which must occur exactly once), the code of the bug.
my @bugs = (
    # Operations.
    ['lib/transform/interpreter', 'text is not written', '*out_ += text.text;', ''],
    ['lib/transform/interpreter', 'a value in text is escaped as in an attribute', 'value.in_attribute ?', 'true ?'],
    ['lib/transform/interpreter', 'a value in an attribute is escaped as in text', 'value.in_attribute ?', 'false ?'],
    ['lib/transform/compiler', 'an attribute is closed with an apostrophe', 'add_content(node->children, inside, out); add_text("\\"", out);', 'add_content(node->children, inside, out); add_text("\'", out);'],
    ['lib/transform/compiler', 'an attribute has no value', 'add_content(node->children, inside, out); add_text("\\"", out);', 'add_text("\\"", out);'],
    ['lib/transform/interpreter', 'an empty element is written with two tags', 'if (out_->size() == before)', 'if (false)'],
    ['lib/transform/interpreter', 'an element without content is never written as an empty-element tag', 'const std::size_t before = out_->size();', 'const std::size_t before = 0;'],
    ['lib/transform/interpreter', 'an element loses its attributes', 'run(element.attributes);', ''],
    ['lib/transform/interpreter', 'an element has no end tag', '*out_ += element.end;', ''],
    ['lib/transform/interpreter', 'xsl:choose runs the branches after the first true one too', "run(branch.body);\n            return;", 'run(branch.body);'],
    ['lib/transform/interpreter', 'xsl:otherwise is skipped', '!branch.test || test(', 'branch.test && test('],
    ['lib/transform/interpreter', 'for-each treats an absent column as an empty one', 'if (!value) return;', 'if (!value) return run(each.body);'],
    ['lib/transform/interpreter', 'for-each skips an empty column', 'if (!value) return;', 'if (!value || value->empty()) return;'],
    ['lib/transform/interpreter', 'for-each over a column does not set the context node', 'Node node{{*value}}', 'Node node{}'],
    ['lib/transform/interpreter', 'the context node is not restored after for-each over a column', "node_ = outer;\n}\n\nvoid Interpreter::run(const ForEachChild", "}\n\nvoid Interpreter::run(const ForEachChild"],
    ['lib/transform/interpreter', 'the context node is not restored after for-each over an array', "node_ = outer;\n}\n\nvoid Interpreter::run(const CopyElements", "(void)outer;\n}\n\nvoid Interpreter::run(const CopyElements"],
    ['lib/transform/interpreter', 'for-each leaves out the last entry', 'i < entries.size(); ++i', 'i + 1 < entries.size(); ++i'],
    ['lib/transform/interpreter', 'positions count from 0', 'i + 1, entries.size()}', 'i, entries.size()}'],
    ['lib/transform/interpreter', 'last() is too low by one', 'i + 1, entries.size()}', 'i + 1, entries.size() - 1}'],
    # Conditions.
    ['lib/transform/interpreter', 'and behaves as or', 'test(c.operands[0]) && test(c.operands[1])', 'test(c.operands[0]) || test(c.operands[1])'],
    ['lib/transform/interpreter', 'or behaves as and', 'test(c.operands[0]) || test(c.operands[1])', 'test(c.operands[0]) && test(c.operands[1])'],
    ['lib/transform/interpreter', 'not() does nothing', 'return !test(c.operands[0]);', 'return test(c.operands[0]);'],
    ['lib/transform/interpreter', 'an empty column does not exist', 'return record_->attributes[a.slot].has_value();', 'return !record_->attributes[a.slot].value_or("").empty();'],
    ['lib/transform/interpreter', 'an array without entries exists', 'return !record_->children[c.slot].empty();', 'return true;'],
    ['lib/transform/interpreter', '@lang always exists', 'return node_->entry.lang.has_value();', 'return true;'],
    ['lib/transform/interpreter', 'an empty string is true', 'return !string(not_empty.operands[0]).empty();', '(void)string(not_empty.operands[0]); return true;'],
    ['lib/transform/interpreter', 'starts-with() behaves as ends-with()', 's.starts_with(part)', 's.ends_with(part)'],
    ['lib/transform/interpreter', 'contains() behaves as starts-with()', 's.find(part) != std::string_view::npos;', 's.find(part) == 0;'],
    ['lib/transform/interpreter', '= behaves as !=', 'comparison.name == StringComparison::Name::equal', 'false'],
    ['lib/transform/interpreter', '!= over a node set is the negation of =', 'return any_node(comparison, comparison.name == StringComparison::Name::equal);', 'return (comparison.name == StringComparison::Name::equal) == any_node(comparison, true);'],
    ['lib/transform/interpreter', '!= is true of an absent column', 'return value && (*value == other) == equal;', 'return (value == other) == equal;'],
    ['lib/transform/interpreter', 'an absent column equals the empty string', 'return value && (*value == other) == equal;', 'return (value.value_or("") == other) == equal;'],
    ['lib/transform/interpreter', '!= is true of an absent @lang', 'return lang && (*lang == other) == equal;', 'return (lang == other) == equal;'],
    ['lib/transform/interpreter', 'a comparison requires every node of a set to match', 'std::any_of(entries.begin()', 'std::all_of(entries.begin()'],
    ['lib/transform/interpreter', 'a comparison looks at the first node of a set only', 'std::any_of(entries.begin(), entries.end(),', 'std::any_of(entries.begin(), entries.begin() + !entries.empty(),'],
    ['lib/transform/interpreter', 'the context node itself is not compared', 'return (string(nodes) == other) == equal;', 'return equal;'],
    ['lib/transform/interpreter', 'numbers: = is always true', 'return a == b;', 'return true;'],
    ['lib/transform/interpreter', 'numbers: != behaves as <', 'return a != b;', 'return a < b;'],
    ['lib/transform/interpreter', 'numbers: < behaves as <=', 'return a < b;', 'return a <= b;'],
    ['lib/transform/interpreter', 'numbers: <= behaves as <', 'return a <= b;', 'return a < b;'],
    ['lib/transform/interpreter', 'numbers: > behaves as >=', 'return a > b;', 'return a >= b;'],
    ['lib/transform/interpreter', 'numbers: >= behaves as >', 'return a >= b;', 'return a > b;'],
    # Strings and numbers.
    ['lib/transform/interpreter', 'a string literal is empty', 'return literal->text;', 'return {};'],
    ['lib/transform/interpreter', 'string() returns an empty string', "case Name::string:\n            return string(a[0]);", "case Name::string:\n            return {};"],
    ['lib/transform/interpreter', 'concat() returns only its last argument', 'for (const Expression& part : a) out += string(part);', 'for (const Expression& part : a) out = string(part);'],
    ['lib/transform/interpreter', 'substring-before() returns the whole string if the part is not found', 'return at == std::string_view::npos ? "" : s.substr(0, at);', 'return s.substr(0, at);'],
    ['lib/transform/interpreter', 'substring-after() returns the whole string if the part is not found', 'return at == std::string_view::npos ? "" : s.substr(at + part.size());', 'return at == std::string_view::npos ? s : s.substr(at + part.size());'],
    ['lib/transform/interpreter', 'substring-after() includes the part that was searched for', 's.substr(at + part.size())', 's.substr(at)'],
    ['lib/transform/interpreter', 'string-length() counts bytes', 'return count_characters(string(function.arguments[0]));', 'return string(function.arguments[0]).size();'],
    ['lib/transform/interpreter', 'normalize-space() keeps tabs', q{c == ' ' || c == '\t' ||}, q{c == ' ' ||}],
    ['lib/transform/interpreter', 'normalize-space() keeps leading white space', 'pending = !out.empty();', 'pending = true;'],
    ['lib/transform/interpreter', 'normalize-space() removes the spaces between words', q{if (pending) out += ' ';}, ''],
    ['lib/transform/interpreter', 'translate() drops characters that it should keep', '? c : std::string_view(found->second)', '? "" : std::string_view(found->second)'],
    ['lib/transform/interpreter', 'translate() works on bytes, not characters', 'return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;', 'return c < 0x80 ? 1 : 1;'],
    ['lib/transform/interpreter', 'the string of an absent column is not empty', 'return record_->attributes[a.slot].value_or("");', 'return record_->attributes[a.slot].value_or("-");'],
    ['lib/transform/interpreter', 'the string value of an array is that of its last entry', 'entries.front().text', 'entries.back().text'],
    ['lib/transform/interpreter', 'the string of an absent @lang is not empty', 'return node_->entry.lang.value_or("");', 'return node_->entry.lang.value_or("-");'],
    ['lib/transform/interpreter', 'position() returns last()', 'return node_->position;', 'return node_->last;'],
    ['lib/transform/interpreter', 'last() returns position()', 'return node_->last;', 'return node_->position;'],
    ['lib/transform/interpreter', 'a number literal is too high by one', 'return number->value;', 'return number->value + 1;'],
    # Escaping: the rules that text and attributes share, then those of each; the escape sequences; the fast scan for bytes to escape.
    (map { my ($c, $class) = @$_; ["lib/xml/escape", "$c is not escaped", "t['$c'] = $class;", ''] }
        ['&', 'ampersand'], ['<', 'less'], ['>', 'greater'], ['\r', 'carriage'], ['"', 'quote'], ['\t', 'tab'], ['\n', 'newline']),
    (map { ["lib/xml/escape", "$_ in an attribute is not escaped", "t['\"'] = quote;", "t['\"'] = quote;\n    t['$_'] = clean;"] } '&', '<', '>', '\r'),
    (map { my ($c, $class) = @$_; ["lib/xml/escape", "$c in text is escaped", "t['\\r'] = carriage;", "t['\\r'] = carriage;\n    t['$c'] = $class;"] }
        ['\t', 'tab'], ['\n', 'newline']),
    (map { ["lib/xml/escape", "$_ is replaced by a wrong character reference", "\"$_\"", "\"&#x58;\""] } '&amp;', '&lt;', '&gt;', '&quot;', '&#9;', '&#10;', '&#13;'),
    (map { ["lib/xml/escape", "$_ is missed by the fast scan", "(b == '$_')", "(b == 'Q')"] } '&', '<', '>', '"'),
    ['lib/xml/escape', 'control characters are missed by the fast scan', '(b - 0x20 > 0x5F)', '(b > 0x7F)'],
    ['lib/xml/escape', 'multi-byte characters are treated as malformed', 'return {wanted.bytes, !noncharacter};', 'return {wanted.bytes, false};'],
    ['lib/xml/escape', 'text before an escaped character is lost', "flush();\n            out +=", 'out +='],
    ['lib/base/text', 'an invalid character becomes a question mark', '"\xEF\xBF\xBD";', '"?";'],
    ['lib/base/text', 'an invalid character is dropped', '? bytes.substr(0, c.length) : kReplacement', '? bytes.substr(0, c.length) : ""'],
    ['lib/base/text', 'a control character is let through', 'c.well_formed && is_xml_char(c.value)', 'c.well_formed'],
    # Copying stored XML.
    ['lib/transform/interpreter', 'output is kept although the record must be left to libxslt', 'if (!fallback_ && ', 'if ('],
    ['lib/transform/interpreter', 'the required child text is not replaced by the metadata namespace', 'if (elements.is_metadata_namespace) child_text', 'if (false) child_text'],
    ['lib/transform/tree_copier', 'a namespace declaration is repeated', 'if (known != nullptr && known->uri == uri) {', 'if (false) {'],
    ['lib/transform/tree_copier', 'a prefix bound to another namespace is not declared again', 'if (known != nullptr && known->uri == uri) {', 'if (known != nullptr) {'],
    ['lib/transform/tree_copier', 'a namespace declaration stays in scope after its element', 'bindings_.resize(open_.back().bindings);', ''],
    ['lib/transform/tree_copier', 'an element may use a prefix that only the stylesheet declares', 'if (known == nullptr || !known->own) return false;', 'if (known == nullptr) return false;'],
    ['lib/transform/tree_copier', 'an attribute may use a prefix that is not declared', 'return known != nullptr && known->own;', 'return true;'],
    ['lib/transform/tree_copier', 'a path selects elements of every namespace', '&& wanted->name_space == uri', ''],
    ['lib/transform/tree_copier', 'a path selects elements of every name', 'wanted->local == name.local && ', ''],
    ['lib/transform/tree_copier', 'a path selects elements without the required child', 'has_child_ = !path_.child;', 'has_child_ = true;'],
    ['lib/transform/tree_copier', 'a path accepts a child with a different text', '&& std::string_view(child_begin_, content_end) == *child_text_', ''],
    ['lib/transform/tree_copier', 'the text of a child is compared without escaping', 'if (child_text) xml::append_text(child_text_.emplace(), *child_text);', 'if (child_text) child_text_ = *child_text;'],
    ['lib/transform/tree_copier', 'an element without content is written with two tags', 'if (!is_empty && (!accept(">") || std::string_view(next_, end_).starts_with("</"))) return false;', 'if (!is_empty && !accept(">")) return false;'],
    ['lib/transform/tree_copier', 'a carriage return is copied unescaped', "t['\\t'] = t['\\n'] = plain;", "t['\\t'] = t['\\n'] = t['\\r'] = plain;"],
    ['lib/transform/tree_copier', '> is copied unescaped', 'table("<>&")', 'table("<&")'],
    ['lib/transform/tree_copier', 'elements that are not selected are kept', 'if (!selected_) out_.resize(begin_);', ''],
    # Columns, and how stylesheets are compiled.
    ['lib/format/compiled_format', 'an absent array keeps the entries of the previous record', 'if ((*indices)[i] != kAbsent) (*slots)', 'if ((*indices)[i] != kAbsent && !columns[(*indices)[i]].entries.empty()) (*slots)'],
    ['lib/format/compiled_format', 'an absent column keeps the value of the previous record', 'if (attributes_[i] != kAbsent) view_.attributes[i]', 'if (attributes_[i] != kAbsent && columns[attributes_[i]].text) view_.attributes[i]'],
    ['lib/format/compiled_format', 'columns are looked up at the wrong position', 'static_cast<std::size_t>(found - columns.begin())', '(found - columns.begin()) / 2'],
    ['lib/transform/compiler', 'an element that may be empty is compiled as one that never is', 'return std::holds_alternative<Text>(o.node) || std::holds_alternative<Element>(o.node);', 'return !std::holds_alternative<Fallback>(o.node);'],
    ['lib/transform/compiler', 'an element without content is written with two tags', 'is_empty ? "/>" : ">"', 'is_empty ? "></>" : ">"'],
    ['lib/transform/compiler', 'only the first of adjacent texts is kept', 'before->text += text;', ''],
    ['lib/transform/compiler', 'literal text in an attribute is escaped as element text', 'place.in_attribute ? xml::append_attribute(text, view(node->content)) : xml::append_text', 'xml::append_text'],
    ['lib/transform/compiler', 'a doubled brace in an attribute value template stays doubled', 'text += source.front();', 'text += source.substr(0, 2);'],
    ['lib/transform/compiler', 'a namespace declaration is repeated', 'if (!redundant && ', 'if ('],
    ['lib/transform/xpath_parser', 'or binds more tightly than and', 'while (lexer_.accept_word("or")) left = connect(Connective::Name::either, std::move(left), both()); --depth_; return left; } Expression XPathParser::both() { Expression left = equality(); while (lexer_.accept_word("and")) left = connect(Connective::Name::both,',
        'while (lexer_.accept_word("and")) left = connect(Connective::Name::both, std::move(left), both()); --depth_; return left; } Expression XPathParser::both() { Expression left = equality(); while (lexer_.accept_word("or")) left = connect(Connective::Name::either,'],
    ['lib/transform/xpath_parser', 'translate() keeps characters that it should remove', 'i < to.size() ? to[i] : ""', 'i < to.size() ? to[i] : from[i]'],
    ['lib/transform/xpath_parser', 'a function without arguments uses the empty string instead of the context node', 'arguments.push_back(to_string(make(ContextNode{})));', 'arguments.push_back(to_string(make(Literal{})));'],
);

sub slurp { my ($path) = @_; open my $in, '<', $path or die "$path: $!\n"; local $/; return scalar <$in> }

# Returns the position and the length of the code in a text. White space between words is ignored, so that the source may be
# formatted in any way. Returns an empty list if the code does not occur, or occurs more than once.
sub find_code {
    my ($text, $code) = @_;
    my @tokens = $code =~ /\w+|[^\w\s]/g;
    my $pattern = join '', map {
        my $gap = !$_ ? '' : $tokens[$_ - 1] =~ /\w$/ && $tokens[$_] =~ /^\w/ ? '\s+' : '\s*';
        $gap . quotemeta $tokens[$_];
    } 0 .. $#tokens;
    $pattern = "\\b$pattern" if $tokens[0] =~ /^\w/;
    $pattern .= '\b' if $tokens[-1] =~ /\w$/;
    my @found;
    push @found, [$-[0], $+[0] - $-[0]] while $text =~ /$pattern/g;
    return @found == 1 ? @{$found[0]} : ();
}

# Writes a copy of the source with the bug and returns its name; returns nothing if the code to replace does not occur exactly once.
sub inject {
    my ($n, $source, $from, $to) = @_;
    my $text = slurp("$source.cpp");
    my ($at, $length) = find_code($text, $from) or return;
    substr $text, $at, $length, $to;
    my $name = sprintf '%s/bug%03d', $dir, $n;
    open my $out, '>', "$name.cpp" or die "$name.cpp: $!\n";
    print {$out} $text;
    close $out or die "$name.cpp: $!\n";
    return $name;
}

# Runs half of the programs and prints a line for each: its number and the result.
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
    my $why = !$programs[$n] ? "$source.cpp no longer has the code that the bug replaces, or has it more than once"
            : !exists $said{$n} ? 'it does not compile' : $said{$n};
    like $why, qr/^found by/, "$source: $what" and note $why;
}

my $sane = qx($build/release/fault/emission @look 2>&1);
is $?, 0, 'without a bug no difference is found' or diag $sane;
remove_tree($dir);
done_testing();
