# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154  # variables and functions are those of the script that sources this file
# Sourced by t/bench/size: backs up the repository while it serves, as deploy/manual/backup.md says, loses it and restores it. A
# harvest that was begun before goes on with its token.

harvest_pages=$((n < 500000 ? n / 5000 : 100))    # before and after

# go_on PAGES: the next pages of the harvest, from $run/token on; appends the identifiers to $run/identifiers.
go_on() {
    local i token
    for ((i = 0; i < $1; ++i)); do
        token=$(cat "$run/token")
        curl -fsS -o "$run/page.xml" "$url?verb=ListIdentifiers&$token" 8>&- || return 1
        if grep -q '<error code="badResumptionToken"' "$run/page.xml"; then
            say 'the token is refused: badResumptionToken'
            return 1
        fi
        grep -oE '<identifier>[^<]+' "$run/page.xml" | sed 's/.*://' >>"$run/identifiers"
        token=$(sed -n 's/.*<resumptionToken[^>]*>\([^<]*\)<.*/\1/p' "$run/page.xml")
        echo "resumptionToken=$token" >"$run/token"
        [[ -n $token ]] || break
    done
}

served() { psql -XAtq -v ON_ERROR_STOP=1 -d "$(sed -n '/^\[database\]/,/^\[/s/^connection = //p' "$state/oai.ini" | sed 's/oai_reader/postgres/')" -c "$1"; }

base_backup() {
    rm -rf "$state/backup"
    mkdir -m 700 "$state/backup"
    [[ $EUID -ne 0 ]] || chown "$pg_user:" "$state/backup"
    local conninfo
    conninfo=$(sed -n '/^\[database\]/,/^\[/s/^connection = //p' "$state/oai.ini" | sed 's/oai_reader/postgres/; s/dbname=oai //')
    "$deploy/as-user" --reach "$state" "$pg_user" "$pg_bin/pg_basebackup" -D "$state/backup" -F tar -Z zstd -c fast -d "$conninfo"
}

# What is not known to fit beside the backup is deleted before it is restored.
lose_repository() {
    local free used
    free=$(df --output=avail -k "$state" | tail -n 1) used=$(du -sk "$state/pg" | cut -f 1)
    rm -rf "$state/pg.before"
    if [[ $((used + 2000000)) -lt $free ]]; then
        mv "$state/pg" "$state/pg.before"
    else
        zstd -tq "$state/backup/base.tar.zst" || die 'the backup is damaged: nothing is deleted'
        say "the disk does not hold the repository twice: it is deleted"
        rm -rf "$state/pg"
    fi
}
unpack_backup() {
    local unpack=("$deploy/as-user" --reach "$state" "$pg_user" tar --zstd -xf)
    rm -rf "$state/pg.new"
    mkdir -m 700 "$state/pg.new"
    [[ $EUID -ne 0 ]] || chown "$pg_user:" "$state/pg.new"
    "${unpack[@]}" "$state/backup/base.tar.zst" -C "$state/pg.new"
    "$deploy/as-user" --reach "$state" "$pg_user" tar -xf "$state/backup/pg_wal.tar" -C "$state/pg.new/pg_wal"
    mv "$state/pg.new" "$state/pg"
}

# What a run that was broken off has left: another cluster must not be made in its place.
find_repository() {
    [[ ! -d $state/pg ]] || return 0
    if [[ -d $state/pg.before ]]; then
        mv "$state/pg.before" "$state/pg"
    elif [[ -e $state/backup/base.tar.zst ]]; then
        say 'restoring the repository from its backup'
        unpack_backup
    else
        die "there is no repository in $state: begin with the phase fill"
    fi
}

back_up_and_restore() {
    local begun status=0
    serve yes 8>&-
    : >"$run/identifiers"
    echo 'metadataPrefix=oai_dc' >"$run/token"
    go_on $harvest_pages
    begun=$EPOCHREALTIME
    base_backup
    note backup.seconds "$(since "$begun")" s
    note backup.bytes_per_document "$(bc <<<"scale = 1; $(du -sb "$state/backup" | cut -f 1) / $(served 'select item_count from oai.horizon')")" bytes
    end_service
    begun=$EPOCHREALTIME
    lose_repository
    unpack_backup
    note restore.seconds "$(since "$begun")" s
    serve yes 8>&-
    note restore.seconds_until_served "$(since "$begun")" s
    go_on $harvest_pages || status=$?
    note restore.token_refused "$status" status
    served "select local_id from oai.item where seq > 0 order by seq limit $(wc -l <"$run/identifiers")" | sort >"$run/listed"
    note backup.missed_or_doubled "$(sort "$run/identifiers" | diff - "$run/listed" | grep -c '^[<>]')" records
    end_service
    rm -rf "$state/pg.before"
    [[ -n ${OAI_SIZE_KEEP-} ]] || rm -rf "$state/backup"
}
