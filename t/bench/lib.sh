# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154,SC2317  # variables are shared with the scripts that source this file; in_cluster calls functions by name
# Sourced by the programs in t/bench: makes and starts the cluster below $OAI_STATE as deploy/run does, fills and measures.
# Rows are name, value, unit, in the TSV file $out; `begin` is the number of its lines that are from earlier runs.
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
state+=${state_below:-}
mkdir -p "$state" "$build/bench"
state=$(cd "$state" && pwd)
run=$state/run logs=$state/log
mkdir -p "$run" "$logs"
export OAI_STATE=$state OAI_PORT=${OAI_PORT:-18080}
url=http://127.0.0.1:$OAI_PORT/oai
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

in_cluster() (    # in_cluster COMMAND...: with PostgreSQL running, which ends in good order
    exec 8>&-
    lock_state
    make_cluster
    start_bench_cluster
    "$@"
    stop_bench_cluster
)

# empty_repository MODEL: makes it in the cluster, in place of the one that was there, and a configuration.
empty_repository() {
    [[ $(query "select count(*) from pg_database where datname = 'oai'" postgres) == 0 ]] || query 'drop database oai with (force)' postgres
    query 'create database oai' postgres
    must schema "$programs/oai" schema install --connection "$superuser" --model "$1"
    write_bench_ini "$1"
}

# A configuration for `oai load` and `oai publish`.
write_bench_ini() {
    local formats=$root/xslt
    [[ $1 != library ]] || formats+=/library
    cat >"$run/bench.ini" <<INI
[repository]
name = Bench
base_url = http://127.0.0.1/oai
admin_email = admin@example.org
identifier_namespace = example.org
[token]
key_file = $run/token.key
[formats]
directory = $formats
[database]
connection = $reader
[loader]
connection = host=$sockets dbname=oai user=oai_loader
[publisher]
connection = host=$sockets dbname=oai user=oai_publisher
INI
}

# Notes in the database what t/bench/generate made: N SEED.
note_made() {
    query "create schema if not exists bench; set client_min_messages = warning; drop table if exists bench.made;
           create table bench.made (documents bigint, seed bigint); insert into bench.made values ($1, $2)"
}

# need_archive N: a repository of N generated documents below $state, if there is none yet, without loading.
need_archive() {
    if [[ -d $state/pg ]]; then
        [[ $(in_cluster query 'select documents from bench.made') == "$1" ]] || die "the repository in $state has other than $1 documents: remove it"
        return 0
    fi
    local needed=$(($1 * 1000 / 1048576 + 500)) free    # a document takes 1000 bytes while indexes are made
    free=$(($(df --output=avail -k "$state" | tail -n 1) / 1024))
    [[ $needed -lt $free ]] || die "$1 documents need $needed MB, and $free are free in $state: choose another place by OAI_STATE, or a smaller N"
    (
        cluster_settings=(-c wal_level=minimal -c max_wal_senders=0 -c fsync=off -c max_wal_size=8GB -c shared_buffers=512MB)
        in_cluster fill_archive "$1" >&2
    )
    sync -f "$state"
}
fill_archive() {
    empty_repository webarchiv
    BUILD=$build "$root/t/bench/fill" "$superuser" "$1"
    note_made "$1" 1
    query checkpoint
}

# A publisher beside a load or changes, as in production. end_publisher waits until everything is published.
publisher=
begin_publisher() {
    setpriv --pdeathsig TERM "$programs/oai" --config "$run/bench.ini" publish >>"$logs/bench-publish.log" 2>&1 9>&- &
    publisher=$!
}
end_publisher() {
    until [[ $(query 'select exists (select from oai.queue)') == f ]]; do
        kill -0 "$publisher" 2>/dev/null || die "oai publish has ended: $logs/bench-publish.log says why"
        pause 0.1
    done
    kill -TERM "$publisher"
    wait "$publisher" || true
    publisher=
}

# load_and_publish NAME N OPTION... FILE...: loads N records while a publisher runs. Rows NAME.*_per_million: seconds of `oai load`, and
# until everything is published; processor seconds of all programs.
load_and_publish() {
    local name=$1 n=$2 before begun loaded all ticks
    shift 2
    before=$(query 'select item_count from oai.horizon')
    ticks=$(ticks_of $$)
    begin_publisher
    begun=$EPOCHREALTIME
    "$programs/oai" --config "$run/bench.ini" load --collection g0:c1 --collection g3:c30 "$@" >&2 || die "$name: not loaded"
    loaded=$(bc <<<"$EPOCHREALTIME - $begun")
    end_publisher
    all=$(bc <<<"$EPOCHREALTIME - $begun")
    [[ $(query 'select item_count from oai.horizon') -ge $((before + n)) ]] || die "$name: fewer than $n records were added"
    row "$name.load_seconds_per_million" "$(per_million "$loaded" "$n")" s
    row "$name.seconds_per_million" "$(per_million "$all" "$n")" s
    row "$name.processor_seconds_per_million" "$(per_million "$(bc <<<"scale = 2; ($(ticks_of $$) - $ticks) / 100")" "$n")" s
}

# change_at_random CHANGES: lengths of documents, 20,000 in a transaction, while a publisher runs. Rows: time, and the size of set
# chunks over the ideal: a row holds 128 numbers, 24 bytes of row header, 4 of line pointer, 12 of key, 28 of array header, alignment.
change_at_random() {
    local changed last begun=$EPOCHREALTIME
    chunks_over_ideal before
    begin_publisher
    last=$(query 'select max(id) from webarchiv.doc')
    for ((changed = 0; changed < $1; changed += 20000)); do
        query "update webarchiv.doc set length = coalesce(length, 0) + 1
               where id in (select 1 + floor(random() * $last)::bigint from generate_series(1, 20000))"
    done
    end_publisher
    row changes.seconds_per_million "$(per_million "$(bc <<<"$EPOCHREALTIME - $begun")" "$1")" s
    chunks_over_ideal after
}
chunks_over_ideal() {
    row "changes.chunk_bytes_over_ideal_$1" "$(query "select round(pg_relation_size('oai.set_chunk')
        / (sum(item_count) * 4 + sum((item_count + 127) / 128) * 72), 3) from oai.set")" ratio
}

# The bytes per document of each relation.
bench_sizes() {
    psql -XAt -F $'\t' -d "$superuser" -v n="$(query 'select documents from bench.made')" <<'SQL'
select 'bytes_per_document ' || c.oid::regclass, round(pg_relation_size(c.oid) / :n::numeric, 1), 'bytes'
from pg_class c join pg_namespace s on s.oid = c.relnamespace
where s.nspname in ('oai', 'webarchiv') and c.relkind in ('r', 'i') and pg_relation_size(c.oid) > :n
order by pg_relation_size(c.oid) desc;
select 'bytes_per_document_in_all', round(pg_database_size('oai') / :n::numeric, 1), 'bytes';
SQL
}

# The machine's current speed, so that figures from other days and machines can be compared.
machine_speed() {
    local begun=$EPOCHREALTIME
    query 'select sum(length(md5(n::text))) from generate_series(1, 1000000) n' >/dev/null
    row million_md5_sums "$(bc <<<"$EPOCHREALTIME - $begun")" s
}
per_million() { awk -v s="$1" -v n="$2" 'BEGIN { printf "%.1f", s * 1e6 / n }'; }

row() { printf '%s\t%s\t%s\n' "$@" | tee -a "$out" >&2; }
values() { awk -F '\t' -v name="$1" -v begin="$begin" 'NR > begin && $1 == name { print $2 }' "$out" | sort -g; }
# Prints the median of this run's rows of that name.
value() { values "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
# spread NAME: the most over the least of this run's rows of that name.
spread() { values "$1" | awk 'NR == 1 { least = $1 } END { printf "%.2f", $1 / least }'; }
ratio() {
    row "$1" "$(awk -v a="$(value "$2")" -v b="$(value "$3")" 'BEGIN { printf "%.2f", a / b }')" ratio
    row "$1.spread" "$(spread "$2") $(spread "$3")" ratio
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

# begin_rows NAME: rows go into build/bench/NAME.tsv; end_rows replaces those of earlier runs that have the same names.
begin_rows() {
    out=$build/bench/$1.tsv
    touch "$out"
    begin=$(wc -l <"$out")
}
end_rows() {
    awk -F '\t' -v begin="$begin" '{ of[NR] = $1; line[NR] = $0; if (NR > begin) mine[$1] = 1 }
        END { for (i = 1; i <= NR; ++i) if (i > begin || !(of[i] in mine)) print line[i] }' "$out" >"$out.new"
    mv "$out.new" "$out"
    say "$out is written"
}

# --- A repository that deploy/run serves.

# serve COMPILED: starts deploy/run, with stylesheets compiled or not; $conninfo is a superuser's then.
service=
serve() {
    local line
    [[ ! -e $state/oai.ini ]] || sed -i '/^compiled = /d; s/^\[formats\].*/&\ncompiled = '"$1"'/' "$state/oai.ini"
    exec 7< <(exec "$root/deploy/run")
    service=$!
    while read -r line <&7; do
        [[ $line != ready:* ]] || { conninfo=$(own database connection | sed 's/oai_reader/postgres/'); return 0; }
    done
    service=
    die "deploy/run did not become ready"
}
end_service() {
    [[ -n $service ]] || return 0
    kill -TERM "$service" 2>/dev/null || true
    wait "$service" 2>/dev/null || true
    service=
    exec 7<&-
    sed -i '/^compiled = /d' "$state/oai.ini"
}
own() { sed -n "/^\[$1\]/,/^\[/s/^$2 = //p" "$state/oai.ini"; }    # own SECTION KEY
served() { psql -XAtq -v ON_ERROR_STOP=1 -d "$conninfo" -c "$1"; }

# measure NAME SOURCE WHAT CLIENTS [REQUESTS] [gzip]: runs bench/harvester and writes its rows under NAME.
measure() {
    local name=$1
    shift
    "$programs/bench/harvester" "$@" | sed "s/^/$name./" | tee -a "$out" >&2
}

# Prints the ids of processes and of all their descendants.
tree() {
    local pid
    for pid in "$@"; do
        echo "$pid"
        # shellcheck disable=SC2046  # one argument a process
        tree $(pgrep -P "$pid")
    done
}
# ticks_of PID [NAME]: hundredths of a second of the processor that a process, its descendants and ended children took; of those of a name.
ticks_of() {
    local pid
    # shellcheck disable=SC2086,SC2046  # one argument a process
    for pid in $(tree $1); do
        [[ -n ${2-} && $(cat "/proc/$pid/comm" 2>/dev/null) != "$2" ]] || sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null || true
    done | awk '{ t += $12 + $13 + $14 + $15 } END { print t + 0 }'
}
providers() { echo "$service"; }

# costs NAME COMMAND...: measures the processor time per record of NAME's rows, of all provider processes including web server
# and database. Other load on the machine disturbs this figure the least.
costs() {
    local name=$1 before records
    shift
    before=$(ticks_of "$(providers)")
    "$@"
    records=$(awk -F '\t' -v n="$name" '$1 == n ".records_per_second" { r = $2 } $1 == n ".seconds" { s = $2 } END { printf "%.0f", r * s }' "$out")
    row "$name.processor_time" "$(bc <<<"scale = 1; ($(ticks_of "$(providers)") - $before) * 10000 / $records")" us/record
}
