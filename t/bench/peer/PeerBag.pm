# SPDX-License-Identifier: MIT
# A bag that can be searched by CQL, which Dancer::Plugin::Catmandu::OAI requires of a store and Debian's Catmandu::Store::DBI
# does not provide. It understands only the CQL that the plugin writes. Catmandu requires LIMIT, OFFSET and the number of all
# hits for a page, so these are queried from PostgreSQL, with statements prepared once.
package PeerBag;
use Moo;
use Catmandu::Hits;

extends 'Catmandu::Store::DBI::Bag';
with 'Catmandu::CQLSearchable';

my %column = (_id => 'id', datestamp => 'datestamp');
my %operator = (exact => '=', '=' => '=', map { $_ => $_ } qw(< <= >= >));

# '(datestamp >= "2020-01-01T00:00:00Z") and (datestamp <= "...")' -> a condition and its values
sub translate_cql_query {
    my ($self, $cql) = @_;
    my (@conditions, @values);
    for my $clause (split / and /, $cql) {
        $clause =~ s/^\((.*)\)$/$1/;
        next if $clause eq 'cql.allRecords';
        my ($index, $relation, $value) = $clause =~ /^(\w+) (\S+) "([^"]*)"$/;
        defined $value && $column{$index} && $operator{$relation} or Catmandu::Error->throw("unknown CQL: $clause");
        push @conditions, "$column{$index} $operator{$relation} ?";
        push @values, $value;
    }
    return {condition => @conditions ? 'where ' . join(' and ', @conditions) : '', values => \@values};
}

sub translate_sru_sortkeys { $_[1] eq 'datestamp,,1' ? 'datestamp, id' : Catmandu::Error->throw("unknown sort: $_[1]") }

sub search {
    my ($self, %args) = @_;
    my $dbh = $self->store->dbh;
    my $table = $self->name;
    my ($condition, @values) = ($args{query}{condition}, @{$args{query}{values}});
    my $count = $dbh->prepare_cached("select count(*) from $table $condition");
    my ($total) = $dbh->selectrow_array($count, undef, @values);
    my $page = $dbh->prepare_cached("select id as _id, * from $table $condition order by datestamp, id limit ? offset ?");
    my $hits = $dbh->selectall_arrayref($page, {Slice => {}}, @values, $args{limit}, $args{start});
    return Catmandu::Hits->new(start => $args{start}, limit => $args{limit}, total => $total, hits => $hits);
}

sub searcher { Catmandu::NotImplemented->throw('the plugin does not ask for it') }
sub delete_by_query { Catmandu::NotImplemented->throw('the table is only read') }

1;
