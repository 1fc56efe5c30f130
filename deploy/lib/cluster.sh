# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154  # variables are those of the script that sources this file
# Sourced by deploy/run: a private PostgreSQL cluster that listens on a Unix socket only. Needs $state, $run (files of
# this run), $sockets (for PostgreSQL's), $pg_user, $web_user, $deploy and deploy/lib/children.sh.

# Where the programs of PostgreSQL are: of the version that made the cluster, else of the newest.
find_postgresql() {
    pg_bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
    [[ ! -e $state/pg/PG_VERSION ]] || pg_bin=/usr/lib/postgresql/$(cat "$state/pg/PG_VERSION")/bin
    [[ -x $pg_bin/postgres ]] || die "there is no PostgreSQL in $pg_bin: see deploy/packages"
}

# Who may be which role: the caller and PostgreSQL's user any, the web server's user only the one that reads. postgres may
# also make a base backup.
write_access() {
    printf 'local all all peer map=oai\nlocal replication postgres peer map=oai\n' >"$run/pg_hba.conf"
    local user role
    {
        for user in $(printf '%s\n' "$(id -un)" "$pg_user" | sort -u); do
            for role in postgres oai_reader oai_publisher oai_loader; do
                printf 'oai "%s" %s\n' "$user" "$role"
            done
        done
        [[ $web_user == "$pg_user" ]] || printf 'oai "%s" oai_reader\n' "$web_user"
    } >"$run/pg_ident.conf"
}

# A cluster appears under its name only when it is whole.
make_cluster() {
    [[ ! -e $state/pg ]] || return 0
    say "making a PostgreSQL cluster in $state/pg"
    rm -rf "$state/pg.new"
    mkdir -m 700 "$state/pg.new"
    [[ $EUID -ne 0 ]] || chown "$pg_user:" "$state/pg.new"
    must initdb "$deploy/as-user" --reach "$state" "$pg_user" "$pg_bin/initdb" -D "$state/pg.new" \
        --username=postgres --auth=peer --encoding=UTF8 --locale=C.UTF-8
    mv "$state/pg.new" "$state/pg"
}

query() { psql -XAtq -v ON_ERROR_STOP=1 -h "$sockets" -U postgres -d "${2:-oai}" -c "$1" 9>&-; }

# PostgreSQL's defaults are those of a small machine of 2005. A publisher that goes through the set chunks of a large
# repository by chance needs them in memory; what it writes is mostly whole pages, which compress well.
tuning() {
    local megabytes
    megabytes=$(awk '/^MemTotal:/ { m = $2 / 1024 / 8; print int(m < 128 ? 128 : m > 4096 ? 4096 : m) }' /proc/meminfo)
    echo "-c shared_buffers=${megabytes}MB -c wal_compression=lz4 -c max_wal_size=4GB"
}

start_cluster() {
    write_access
    # shellcheck disable=SC2046  # options, one a word
    start postgresql INT "$deploy/as-user" --reach "$state" --die-with-parent INT "$pg_user" \
        "$pg_bin/postgres" -D "$state/pg" -c listen_addresses= -c unix_socket_directories="$sockets" \
        -c hba_file="$run/pg_hba.conf" -c ident_file="$run/pg_ident.conf" -c log_destination=stderr \
        -c logging_collector=off -c cluster_name=oai-fcgi $(tuning)
    until query 'select 1' postgres >/dev/null 2>&1; do
        check_services
        pause 0.1
    done
    [[ $(query "select count(*) from pg_database where datname = 'oai'" postgres) == 1 ]] ||
        query 'create database oai' postgres
}
