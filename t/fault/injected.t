#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Tests that the comparison of compiled stylesheets with libxslt (t/lib/emission.h) finds bugs. Each bug below is put alone
# into a copy of its source file, and the comparison must find it within an eighteenth of the work of t/fault/emission.t.
# In full all of them; in the short form every 27th, and of all others that the code is still there in which they are put.
use TestProgram;
use File::Path qw(make_path remove_tree);

my $build = $ENV{BUILD} // 'build';
my $dir = "$build/injected";
my @emission_arguments = (1500, 40, 1);   # stylesheets, records, first seed

# Source file, description of the bug, the code that it replaces (which must occur exactly once), the code of the bug.
my @bugs = (
    # Operations.
    ['lib/transform/interpreter', 'text is not written', 'out_->append(text.text);', ''],
    ['lib/transform/interpreter', 'a value in text is escaped as in an attribute', 'value.escape == Escape::text ?', 'false ?'],
    ['lib/transform/interpreter', 'a value in an attribute is escaped as in text', 'value.escape == Escape::text ?', 'true ?'],
    ['lib/transform/interpreter', 'a value in a variable is escaped', 'bool is_plain = value.escape == Escape::none;', 'bool is_plain = false;'],
    ['lib/transform/interpreter', 'every value is taken for plain', 'is_plain || entry->is_plain', 'true'],
    ['lib/transform/compiler', 'text in a variable is escaped', 'case Escape::none: text = view(node->content);', 'case Escape::none: xml::append_text(text, view(node->content));'],
    ['lib/transform/interpreter', 'a variable keeps what it held before', 'out_->clear();', ''],
    ['lib/transform/interpreter', 'what stands behind a variable goes into it', 'run(variable.body); out_ = outer;', 'run(variable.body); (void)outer;'],
    ['lib/transform/compiler', 'a parameter has its default whatever is passed', 'found != passed.end() ? *found : evaluate(node, place, out)', 'found != found ? *found : evaluate(node, place, out)'],
    ['lib/transform/compiler', 'a called template declares no namespaces', 'inside.is_template_top = true; inside.caller = &place;', 'inside.is_template_top = false; inside.caller = &place;'],
    ['lib/transform/interpreter', 'for-each ignores its predicate', 'if (!each.nodes.filter.empty()) {', 'if (false) {'],
    ['lib/transform/interpreter', 'a predicate leaves all nodes', 'if (test(column.filter[0])) found.push_back(all[i]);', 'test(column.filter[0]); found.push_back(all[i]);'],
    ['lib/transform/interpreter', 'positions in a predicate count from 0', 'const Node node{&all[i], i + 1};', 'const Node node{&all[i], i};'],
    ['lib/transform/xpath_parser', 'x[n] selects the first n nodes', 'return make_comparison(Sign::equal, Comparison::Of::numbers,', 'return make_comparison(Sign::greater_equal, Comparison::Of::numbers,'],
    ['lib/transform/interpreter', 'an empty element is written with two tags', 'if (out_->size() == before)', 'if (false)'],
    ['lib/transform/interpreter', 'an element without content is never written as an empty-element tag', 'const std::size_t before = out_->size();', 'const std::size_t before = 0;'],
    ['lib/transform/interpreter', 'an element loses its attributes', 'run(element.attributes);', ';'],
    ['lib/transform/interpreter', 'an element has no end tag', 'out_->append(element.end);', ''],
    ['lib/transform/interpreter', 'xsl:choose runs the branches after the first true one too', "run(branch.body);\n            return;", 'run(branch.body);'],
    ['lib/transform/interpreter', 'xsl:otherwise is skipped', '!branch.test || test(', 'branch.test && test('],
    ['lib/transform/interpreter', 'for-each over several nodes does only the first', 'i < entries.size(); ++i', 'i < std::min<std::size_t>(1, entries.size()); ++i'],
    ['lib/transform/interpreter', 'for-each does not set the context node', 'const Node node{&entries[i], i + 1};', 'static const Entry none; const Node node{&none, i + 1};'],
    ['lib/transform/interpreter', 'the last node of for-each stays the context node', 'run(each.body); } node_ = outer;', 'run(each.body); } static Node last; static Entry entry; if (!entries.empty()) entry = entries.back(); last = {&entry, entries.size()}; node_ = entries.empty() ? outer : &last;'],
    ['lib/transform/interpreter', 'for-each leaves out the last entry', 'i < entries.size(); ++i', 'i + 1 < entries.size(); ++i'],
    ['lib/transform/interpreter', 'positions count from 0', 'const Node node{&entries[i], i + 1};', 'const Node node{&entries[i], i};'],
    # Conditions.
    ['lib/transform/interpreter', 'and behaves as or', 'std::all_of(o.begin()', 'std::any_of(o.begin()'],
    ['lib/transform/interpreter', 'or behaves as and', 'std::any_of(o.begin()', 'std::all_of(o.begin()'],
    ['lib/transform/interpreter', 'not() does nothing', 'return !test(o[0]);', 'return test(o[0]);'],
    ['lib/transform/interpreter', 'what is absent exists', 'return !nodes(e).empty();', 'return true;'],
    ['lib/transform/interpreter', 'an empty column does not exist', 'return !nodes(e).empty();', '{ const Nodes found = nodes(e); return !found.empty() && !found.front().text.empty(); }'],
    ['lib/transform/interpreter', 'an absent @lang exists', 'if (!node_->entry->lang) return {};', 'if (!node_->entry->lang) language_.text = {}; else'],
    ['lib/transform/interpreter', 'an empty string is true', 'return !string(o[0]).empty();', 'string(o[0]); return true;'],
    ['lib/transform/interpreter', 'starts-with() behaves as ends-with()', 'string(o[0]).starts_with(', 'string(o[0]).ends_with('],
    ['lib/transform/interpreter', 'contains() behaves as starts-with()', 'string(o[0]).find(string(o[1])) != std::string::npos;', 'string(o[0]).find(string(o[1])) == 0;'],
    ['lib/transform/interpreter', '!= is true of what is absent', 'return std::any_of(found.begin(), found.end(), [&](const Entry& node) { return holds(comparison.sign, node.text, wanted); });', 'return std::any_of(found.begin(), found.end(), [&](const Entry& node) { return holds(comparison.sign, node.text, wanted); }) || (comparison.sign == Comparison::Sign::not_equal && found.empty());'],
    ['lib/transform/interpreter', 'what is absent equals the empty string', 'return std::any_of(found.begin(), found.end(), [&](const Entry& node) { return holds(comparison.sign, node.text, wanted); });', 'return std::any_of(found.begin(), found.end(), [&](const Entry& node) { return holds(comparison.sign, node.text, wanted); }) || (comparison.sign == Comparison::Sign::equal && wanted.empty() && found.empty());'],
    ['lib/transform/interpreter', 'a comparison requires every node of a set to match', 'return std::any_of(found.begin(), found.end(), [&](const Entry& node) { return holds(comparison.sign, node.text, wanted); });', 'return !found.empty() && std::all_of(found.begin(), found.end(), [&](const Entry& node) { return holds(comparison.sign, node.text, wanted); });'],
    ['lib/transform/interpreter', 'a comparison looks at the first node of a set only', 'return std::any_of(found.begin(), found.end(), [&](const Entry& node) { return holds(comparison.sign, node.text, wanted); });', 'return !found.empty() && holds(comparison.sign, found.front().text, wanted);'],
    (map { my ($name, $sign, $bug) = @$_; ['lib/transform/interpreter', "$sign behaves as $bug", "case Comparison::Sign::$name: return a $sign b;", "case Comparison::Sign::$name: return a $bug b;"] }
        ['equal', '==', '!='], ['equal', '==', '<='], ['not_equal', '!=', '<'], ['less', '<', '<='], ['less_equal', '<=', '<'], ['greater', '>', '>=']),
    ['lib/transform/interpreter', '>= behaves as >', 'return a >= b;', 'return a > b;'],
    ['lib/transform/interpreter', '!= over a node set is the negation of =', 'return std::any_of(found.begin(), found.end(), [&](const Entry& node) { return holds(comparison.sign, node.text, wanted); });', 'const bool is_equal = std::any_of(found.begin(), found.end(), [&](const Entry& node) { return node.text == wanted; }); return comparison.sign == Comparison::Sign::equal ? is_equal : !is_equal;'],
    ['lib/transform/interpreter', 'the context node itself is another', 'if (std::holds_alternative<ContextNode>(e.node)) s = node_->entry->text;', 'if (std::holds_alternative<ContextNode>(e.node)) s = {};'],
    # Strings and numbers.
    ['lib/transform/interpreter', 'a string literal is empty', 'return literal->text;', 'return {};'],
    ['lib/transform/interpreter', 'string() returns an empty string', 'case Builtin::string: return string(a[0]);', 'case Builtin::string: return {};'],
    ['lib/transform/interpreter', 'concat() returns only its last argument', 'for (const Expression& part : a) out += string(part);', 'for (const Expression& part : a) out = string(part);'],
    ['lib/transform/interpreter', 'substring-before() returns the whole string if the part is not found', 'return at == std::string_view::npos ? "" : s.substr(0, at);', 'return s.substr(0, at);'],
    ['lib/transform/interpreter', 'substring-after() returns the whole string if the part is not found', 'return at == std::string_view::npos ? "" : s.substr(at + part.size());', 'return at == std::string_view::npos ? s : s.substr(at + part.size());'],
    ['lib/transform/interpreter', 'substring-after() includes the part that was searched for', 's.substr(at + part.size())', 's.substr(at)'],
    ['lib/transform/interpreter', 'substring() counts from 0', 'std::size_t position = 1; for', 'std::size_t position = 0; for'],
    ['lib/transform/interpreter', 'substring() counts bytes', '++position) take_character(s);', '++position) s.remove_prefix(1);'],
    ['lib/transform/interpreter', 'substring() without a length is empty', ': SIZE_MAX;', ': first;'],
    ['lib/transform/interpreter', 'string-length() counts bytes', 'return count_characters(string(call.operands[0]));', 'return string(call.operands[0]).size();'],
    ['lib/transform/interpreter', 'position() is always that of the first node', 'return node_->position;', 'return std::min<std::size_t>(1, node_->position);'],
    ['lib/transform/interpreter', 'normalize-space() keeps tabs', 'if (is_blank(c)) {', q[if (is_blank(c) && c != '\t') {]],
    ['lib/transform/interpreter', 'normalize-space() keeps leading white space', 'pending = !out.empty();', 'pending = true;'],
    ['lib/transform/interpreter', 'normalize-space() removes the spaces between words', q{if (pending) out += ' ';}, ''],
    ['lib/transform/interpreter', 'translate() drops characters that it should keep', 'at >= from.size()) out += c;', 'at >= from.size()) {}'],
    ['lib/transform/interpreter', 'translate() drops characters beyond ASCII that it should keep', 'is_found ? replacement : c', 'is_found ? replacement : std::string_view()'],
    ['lib/transform/interpreter', 'translate() works on bytes, not characters', 'if (is_ascii(from) && is_ascii(to)) {', 'if (true) {'],
    ['lib/transform/interpreter', 'translate() keeps characters that it should remove', 'else if (at < to.size())', 'else if (at >= to.size()) out += c; else'],
    ['lib/transform/interpreter', 'translate() takes the wrong counterpart', 'out += to[at];', 'out += to[0];'],
    ['lib/transform/interpreter', 'translate() heeds the last of a repeated character', 'from.find(c)', 'from.rfind(c)'],
    ['lib/transform/interpreter', 'the string of what is absent is not empty', 's = found.front().text;', 's = found.front().text; else s = "-";'],
    ['lib/transform/interpreter', 'the string value of a set is that of its last node', 's = found.front().text;', 's = found.back().text;'],
    ['lib/transform/interpreter', '@lang is that of the first entry it was asked of', 'language_.text = *node_->entry->lang;', 'if (language_.text.empty()) language_.text = *node_->entry->lang;'],
    ['lib/transform/interpreter', 'a number literal is too high by one', 'number != nullptr ? number->value :', 'number != nullptr ? number->value + 1 :'],
    # Escaping: the rules that text and attributes share, then those of each; the escape sequences; the fast scan for bytes to escape.
    (map { my ($c, $written) = @$_; ["lib/xml/escape", "$c is not escaped", "t['$c'] = \"$written\";", ''] }
        ['&', '&amp;'], ['<', '&lt;'], ['>', '&gt;'], ['\r', '&#13;'], ['"', '&quot;'], ['\t', '&#9;'], ['\n', '&#10;']),
    (map { ["lib/xml/escape", "$_ in an attribute is not escaped", "t['\"'] = \"&quot;\";", "t['\"'] = \"&quot;\";\n    t['$_'] = {};"] } '&', '<', '>', '\r'),
    (map { my ($c, $written) = @$_; ["lib/xml/escape", "$c in text is escaped", "t['\\r'] = \"&#13;\";", "t['\\r'] = \"&#13;\";\n    t['$c'] = \"$written\";"] }
        ['\t', '&#9;'], ['\n', '&#10;']),
    (map { ["lib/xml/escape", "$_ is replaced by a wrong character reference", "\"$_\"", "\"&#x58;\""] } '&amp;', '&lt;', '&gt;', '&quot;', '&#9;', '&#10;', '&#13;'),
    (map { ["lib/xml/escape", "$_ is missed by the fast scan", "(b == '$_')", "(b == 'Q')"] } '&', '<', '>', '"'),
    ['lib/xml/escape', 'control characters are missed by the fast scan', '(b - 0x20 > 0x5F)', '(b > 0x7F)'],
    ['lib/xml/escape', 'control characters are missed by the fast scan of checked text', '(b < 0x20)', '(b > 0xFE)'],
    ['lib/xml/escape', 'an escaped character is written as it is, too', 'run = p + 1;', 'run = p;'],
    ['lib/xml/escape', 'text before an escaped character is lost', 'out.append(run, p).append(replacement);', 'out.append(replacement);'],
    ['lib/base/text', 'an invalid character becomes a question mark', 'pair > 0 ? pair : 0xFFFD', "pair > 0 ? pair : '?'"],
    ['lib/base/text', 'an invalid character is dropped', 'append_character(out, pair > 0 ? pair : 0xFFFD);', 'if (pair > 0) append_character(out, pair);'],
    ['lib/base/text', 'a control character is let through', 'c.well_formed && is_xml_char(c.value)', 'c.well_formed'],
    # Copying stored XML.
    ['lib/transform/interpreter', 'output is kept although the record must be left to libxslt', 'if (!fallback_ && ', 'if ('],
    ['lib/transform/interpreter', '/records/@metadataNamespace is absent', 'filter.emplace(ChildFilter{*elements.child, record_->metadata_namespace});', 'filter.emplace(ChildFilter{*elements.child, std::nullopt});'],
    ['lib/transform/stored_xml', 'a namespace declaration is repeated', 'if (known != nullptr && known->uri == uri) {', 'if (false) {'],
    ['lib/transform/stored_xml', 'a prefix bound to another namespace is not declared again', 'if (known != nullptr && known->uri == uri) {', 'if (known != nullptr) {'],
    ['lib/transform/stored_xml', 'a namespace declaration stays in scope after its element', 'in_force_.resize(outer);', ''],
    ['lib/transform/stored_xml', 'what is in force around a copy counts as its own', 'return find_prefix(in_force_, outside_, prefix);', 'return find_prefix(in_force_, 0, prefix);'],
    ['lib/transform/stored_xml', 'every element is copied whatever its children are', 'if (!filter_ || has_child_) continue;', 'continue;'],
    ['lib/transform/stored_xml', 'the child of an element before counts', 'has_child_ = false; if (!element(0))', 'if (!element(0))'],
    ['lib/transform/stored_xml', 'a child may be of any namespace', 'name_space != filter_->name.name_space ||', ''],
    ['lib/transform/stored_xml', 'an element that is not copied is counted', 'copied_ = copied_before;', ''],
    ['lib/transform/interpreter', 'a copy is that of the record before', 'copied_of_ = nullptr;', ''],
    ['lib/transform/stored_xml', 'an attribute may use a prefix that is not declared', 'return find_own(name.prefix) != nullptr;', 'return true;'],
    ['lib/transform/interpreter', 'of several values of stored XML the first is read', 'if (copy_elements(copied_, entry.text, scope, copied_elements_, filter)) continue;', 'if (copy_elements(copied_, entry.text, scope, copied_elements_, filter)) break;'],
    ['lib/transform/stored_xml', 'an element without content is written with two tags', 'return !inside.empty() && accept("</")', 'return accept("</")'],
    ['lib/transform/stored_xml', 'a carriage return is copied unescaped', "t['\\t'] = t['\\n'] = plain;", "t['\\t'] = t['\\n'] = t['\\r'] = plain;"],
    ['lib/transform/stored_xml', '> is copied unescaped', 'table("<>&")', 'table("<&")'],
    # Columns, and how stylesheets are compiled.
    ['lib/store/record_values', 'an absent column keeps what the record before had', 'column.nodes = {};', ''],
    ['lib/store/record_values', 'an array keeps the entries of the record before', 'column.entries.clear();', ''],
    ['lib/format/format', 'columns are looked up at the wrong position', 'found = i;', 'found = i / 2;'],
    ['lib/transform/compiler', 'an element that may be empty is compiled as one that never is', 'return std::holds_alternative<Text>(o.node) || std::holds_alternative<Element>(o.node);', 'return !std::holds_alternative<Fallback>(o.node);'],
    ['lib/transform/compiler', 'an element without content is written with two tags', 'is_empty ? "/>" : ">"', 'is_empty ? "></>" : ">"'],
    ['lib/transform/compiler', 'only the first of adjacent texts is kept', 'before->text += text;', ';'],
    ['lib/transform/compiler', 'literal text in an attribute is escaped as element text', 'case Escape::attribute: xml::append_attribute(text, view(node->content));', 'case Escape::attribute: xml::append_text(text, view(node->content));'],
    ['lib/transform/compiler', 'a doubled brace in an attribute value template stays doubled', 'text += source.front();', 'text += source.substr(0, 2);'],
    ['lib/transform/compiler', 'a namespace declaration is repeated', 'if (!redundant && ', 'if ('],
    ['lib/transform/xpath_parser', 'or binds more tightly than and', 'joined("or", Builtin::disjunction, [this] { return both(); }); --depth_; return e; } Expression both() { return joined("and", Builtin::conjunction,', 'joined("and", Builtin::conjunction, [this] { return both(); }); --depth_; return e; } Expression both() { return joined("or", Builtin::disjunction,'],
    ['lib/transform/xpath_parser', 'a function without arguments uses the empty string instead of the context node', 'operands.push_back(to_string(make(ContextNode{})));', 'operands.push_back(to_string(make(Literal{})));'],
);

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
sub try_half {
    my ($half, @programs) = @_;
    for my $n (grep { $_ % 2 == $half && -x ($programs[$_] // '') } 0 .. $#programs) {
        my $said = qx(timeout 3600 $programs[$n] @emission_arguments 2>&1);
        my $found = $? >> 8 == 1 && $said =~ /^seed\t(\d+)\ncompiled:/m ? "found by stylesheet $1" : "not found";
        print "$n\t$found\n";
    }
}

remove_tree($dir);
make_path($dir);
my @programs = map { inject($_, @{$bugs[$_]}[0, 2, 3]) } 0 .. $#bugs;
@programs = map { my $p = sprintf '%s/bug%03d', $dir, $_; -e "$p.cpp" ? $p : undef } 0 .. $#bugs;
my %is_tried = map { ($_ => 1) } sample(27, 0 .. $#bugs);
my $log = qx(make -s -k -j2 BUILD=$build @{[grep { defined } @programs[sort keys %is_tried]]} 2>&1);
diag($log) if $?;

my @halves = map { open(my $out, '-|') // die "fork: $!\n" or do { try_half($_, @programs); exit 0 }; $out } 0, 1;
my %said = map { chomp; split /\t/ } map { readline $_ } @halves;
for my $n (0 .. $#bugs) {
    my ($source, $what) = @{$bugs[$n]};
    my $why = !$programs[$n] ? "$source.cpp no longer has the code that the bug replaces, or has it more than once"
            : !$is_tried{$n} ? '' : !exists $said{$n} ? 'it does not compile' : $said{$n};
    if ($why eq '') { pass "$source: $what: it can be put in"; next }
    like $why, qr/^found by/, "$source: $what" and note $why;
}

my $sane = qx($build/release/fault/emission @emission_arguments 2>&1);
is $?, 0, 'without a bug no difference is found' or diag $sane;
remove_tree($dir);
done_testing();
