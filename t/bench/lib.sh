# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # variables are shared with the scripts that source this file
# Sourced by the programs in t/bench: makes and starts the cluster below $OAI_STATE as deploy/run does.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
deploy=$root/deploy
build=${BUILD:-build}
[[ $build == /* ]] || build=$root/$build
programs=$build/release
if [[ $EUID -eq 0 ]]; then
    state=${OAI_STATE:-/var/lib/oai-fcgi-bench} pg_user=postgres web_user=www-data
else
    state=${OAI_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/oai-fcgi-bench} pg_user=$(id -un) web_user=$(id -un)
fi
mkdir -p "$state" "$build/bench"
state=$(cd "$state" && pwd)
run=$state/run logs=$state/log
mkdir -p "$run" "$logs"
# shellcheck source=deploy/lib/children.sh
. "$deploy/lib/children.sh"
# shellcheck source=deploy/lib/cluster.sh
. "$deploy/lib/cluster.sh"
find_postgresql
say() { echo "bench: $*" >&2; }

lock_state() {
    exec 9>"$run/lock"
    flock -n 9 || die "another run serves from $state"
    sockets=$(mktemp -d /tmp/oai-bench.XXXXXX)    # short: the name of a socket has 107 bytes
    chmod 755 "$sockets"
    [[ $EUID -ne 0 ]] || chown "$pg_user:" "$sockets"
    trap 'stop_all; rm -rf "$sockets"' EXIT
    trap 'exit 130' INT TERM HUP
    superuser="host=$sockets dbname=oai user=postgres"
    reader="host=$sockets dbname=oai user=oai_reader"
}

# Starts PostgreSQL with the settings of deploy/run and those given here: -c NAME=VALUE...
cluster_settings=()
start_bench_cluster() {
    write_access
    started=()
    # shellcheck disable=SC2046  # options, one a word
    start postgresql INT "$deploy/as-user" --reach "$state" --die-with-parent INT "$pg_user" \
        "$pg_bin/postgres" -D "$state/pg" -c listen_addresses= -c unix_socket_directories="$sockets" \
        -c hba_file="$run/pg_hba.conf" -c ident_file="$run/pg_ident.conf" -c log_destination=stderr \
        -c logging_collector=off -c cluster_name=oai-fcgi $(tuning) "${cluster_settings[@]}"
    until query 'select 1' postgres >/dev/null 2>&1; do
        check_services
        pause 0.1
    done
}

# Returns once the server has ended, however long its last checkpoint takes.
stop_bench_cluster() {
    kill -INT "${pid_of[postgresql]}"
    wait "${pid_of[postgresql]}" || true
    started=()
}

# empty_repository MODEL: makes it in the cluster, in place of the one that was there, and a configuration.
empty_repository() {
    [[ $(query "select count(*) from pg_database where datname = 'oai'" postgres) == 0 ]] || query 'drop database oai with (force)' postgres
    query 'create database oai' postgres
    must schema "$programs/oai" schema install --connection "$superuser" --model "$1"
    write_bench_ini
}

# Notes in the database what t/bench/generate made, for t/bench/pages and t/bench/load: N SEED.
note_made() {
    query "create schema if not exists bench; set client_min_messages = warning; drop table if exists bench.made;
           create table bench.made (documents bigint, seed bigint); insert into bench.made values ($1, $2)"
}

# A publisher beside a load or changes, as in production. end_publisher waits until everything is published, and says by its
# status if that cannot be.
publisher=
begin_publisher() {
    setpriv --pdeathsig TERM "$programs/oai" --config "$run/bench.ini" publish >>"$logs/bench-publish.log" 2>&1 9>&- &
    publisher=$!
}
end_publisher() {
    until [[ $(query 'select exists (select from oai.queue)') == f ]]; do
        kill -0 "$publisher" 2>/dev/null || { say "oai publish has ended: $logs/bench-publish.log says why"; return 1; }
        pause 0.1
    done
    kill -TERM "$publisher"
    wait "$publisher" || true
    publisher=
}

# Prints the bytes per document of each relation: name, value, unit.
bench_sizes() {
    psql -XAt -F $'\t' -d "$superuser" -v n="$(query 'select documents from bench.made')" <<'SQL'
select 'bytes_per_document ' || c.oid::regclass, round(pg_relation_size(c.oid) / :n::numeric, 1), 'bytes'
from pg_class c join pg_namespace s on s.oid = c.relnamespace
where s.nspname in ('oai', 'webarchiv') and c.relkind in ('r', 'i') and pg_relation_size(c.oid) > :n
order by pg_relation_size(c.oid) desc;
select 'bytes_per_document beside the model''s table and key',
    round((pg_total_relation_size('oai.set_chunk') + pg_total_relation_size('oai.set')
           + pg_total_relation_size('oai.calendar') + pg_total_relation_size('oai.queue')
           + coalesce(pg_relation_size(to_regclass('webarchiv.doc_seq')), 0)) / :n::numeric, 1), 'bytes';
select 'bytes_per_document in all', round(pg_database_size('oai') / :n::numeric, 1), 'bytes';
SQL
}

# A configuration for `oai load` and `oai publish`.
bench_formats=$root/xslt
write_bench_ini() {
    cat >"$run/bench.ini" <<INI
[repository]
name = Bench
base_url = http://127.0.0.1/oai
admin_email = admin@example.org
identifier_namespace = example.org
[token]
key_file = $run/token.key
[formats]
directory = $bench_formats
[database]
connection = $reader
[loader]
connection = host=$sockets dbname=oai user=oai_loader
[publisher]
connection = host=$sockets dbname=oai user=oai_publisher
INI
}

# --- Measuring a served repository, for t/bench/speed and t/bench/peer/peer. REQUIRES: $out, a TSV file; `begin`, the
# number of its lines that are from earlier runs.

row() { printf '%s\t%s\t%s\n' "$@" | tee -a "$out" >&2; }
# Prints the median of this run's rows of that name.
value() {
    awk -F '\t' -v name="$1" -v begin="$begin" 'NR > begin && $1 == name { print $2 }' "$out" | sort -g |
        awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
ratio() { row "$1" "$(awk -v a="$(value "$2")" -v b="$(value "$3")" 'BEGIN { printf "%.2f", a / b }')" ratio; }

# measure NAME SOURCE WHAT CLIENTS [REQUESTS] [gzip]: runs bench/harvester and writes its rows under NAME.
measure() {
    local name=$1
    shift
    "$programs/bench/harvester" "$@" | sed "s/^/$name./" | tee -a "$out" >&2
}

# serve COMPILED: starts deploy/run, with stylesheets compiled or not.
service=
serve() {
    local line
    [[ ! -e $state/oai.ini ]] || sed -i '/^compiled = /d; s/^\[formats\].*/&\ncompiled = '"$1"'/' "$state/oai.ini"
    exec 7< <(exec "$root/deploy/run")
    service=$!
    while read -r line <&7; do [[ $line != ready:* ]] || return 0; done
    service=
    die "deploy/run did not become ready"
}
end_service() {
    [[ -n $service ]] || return 0
    kill -TERM "$service" 2>/dev/null || true
    wait "$service" 2>/dev/null || true
    service=
    exec 7<&-
}

# end_rows: replaces earlier rows of the same name by this run's, and appends this run's rows to a file of all runs.
end_rows() {
    tail -n +$((begin + 1)) "$out" | sed "s/^/$(date -u +%FT%TZ)\t/" >>"${out%.tsv}-runs.tsv"
    awk -F '\t' -v begin="$begin" '{ of[NR] = $1; line[NR] = $0; if (NR > begin) mine[$1] = 1 }
        END { for (i = 1; i <= NR; ++i) if (i > begin || !(of[i] in mine)) print line[i] }' "$out" >"$out.new"
    mv "$out.new" "$out"
}

# at_most NAME BAR, at_least NAME BAR: reports whether this run's row keeps the limit; sets `missed` to 1 if not.
missed=0
bar() {
    local met=ok
    [[ $(bc <<<"$(value "$1") $2 $3") == 1 ]] || met='NOT OK' missed=1
    echo "$met: $1: $(value "$1"), to be $2 $3"
}
at_most() { bar "$1" '<=' "$2"; }
at_least() { bar "$1" '>=' "$2"; }

# Prints the ids of processes and of all their descendants.
tree() {
    local pid
    for pid in "$@"; do
        echo "$pid"
        # shellcheck disable=SC2046  # one argument a process
        tree $(pgrep -P "$pid")
    done
}
processor_time() {
    local pid
    # shellcheck disable=SC2086,SC2046  # one argument a process
    for pid in $(tree $(providers)); do
        sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null || true
    done | awk '{ t += $12 + $13 + $14 + $15 } END { print t }'
}
providers() { echo "$service"; }

# costs NAME COMMAND...: measures the processor time per record of NAME's rows, of all provider processes including web server
# and database. Other load on the machine disturbs this figure the least.
costs() {
    local name=$1 before records
    shift
    before=$(processor_time)
    "$@"
    records=$(awk -F '\t' -v n="$name" '$1 == n ".records_per_second" { r = $2 } $1 == n ".seconds" { s = $2 } END { printf "%.0f", r * s }' "$out")
    row "$name.processor_time" "$(bc <<<"scale = 1; ($(processor_time) - $before) * 10000 / $records")" us/record
}
