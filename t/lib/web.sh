#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A private web server for tests, with the location files that ship. Nothing outside DIR is touched.
#   web.sh start nginx|apache DIR SOCKET    prints its port; the FastCGI server at SOCKET is mounted at /oai
#   web.sh stop DIR                         stops it, whichever it is
# OAI_STRANGER=1: it takes every client for one from elsewhere, to whom what is for this host alone is closed.
# DIR is made. As root the server runs as www-data, which must be able to connect to SOCKET.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

free_port() {
    perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport'
}

# The location file, as it ships but for which address is this host.
location_file() {
    if [[ -z ${OAI_STRANGER-} ]]; then
        echo "$root/deploy/$1"
    else
        sed -e 's|allow 127.0.0.0/8|allow 192.0.2.1|; s|Require local|Require ip 192.0.2.1|' "$root/deploy/$1" >"$dir/$1"
        echo "$dir/$1"
    fi
}

exec_as_web_user() {
    exec "$root/deploy/as-user" --reach "$root/deploy/nginx-oai.conf" --reach "$dir" www-data "$@"
}

start_nginx() {
    sed -e "s|@DIR@|$dir|g; s|@SOCKET@|$socket|g; s|@PORT@|$port|g; s|@DEPLOY@|$(dirname "$(location_file nginx-oai.conf)")|g" \
        "$root/deploy/nginx.conf.in" >"$dir/nginx.conf"
    exec_as_web_user nginx -e stderr -c "$dir/nginx.conf" >"$dir/log" 2>&1 9>&- &
}

start_apache() {
    local modules=/usr/lib/apache2/modules
    cat >"$dir/apache.conf" <<CONF
ServerRoot "$dir"
ServerName localhost
Listen 127.0.0.1:$port
PidFile "$dir/apache.pid"
ErrorLog "$dir/error.log"
DefaultRuntimeDir "$dir"
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule authz_host_module $modules/mod_authz_host.so
LoadModule env_module $modules/mod_env.so
LoadModule proxy_module $modules/mod_proxy.so
LoadModule proxy_fcgi_module $modules/mod_proxy_fcgi.so
StartServers 1
ThreadsPerChild 64
MaxRequestWorkers 64
Define OAI_SOCKET $socket
Include "$(location_file apache-oai.conf)"
CONF
    exec_as_web_user apache2 -D FOREGROUND -f "$dir/apache.conf" >"$dir/log" 2>&1 9>&- &
}

wait_until_it_listens() {
    for _ in {1..200}; do
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    cat "$dir"/*log >&2
    return 1
}

case ${1-} in
    start)
        kind=$2 dir=$3 socket=$4
        mkdir -p "$dir"
        [[ $EUID -ne 0 ]] || chown www-data: "$dir"
        port=$(free_port)
        "start_$kind"
        pid=$!
        echo "$pid" >"$dir/pid"
        wait_until_it_listens
        echo "$port"
        ;;
    stop)
        pid=$(<"$2/pid")
        kill -TERM "$pid" 2>/dev/null || true
        for _ in {1..200}; do
            kill -0 "$pid" 2>/dev/null || exit 0
            sleep 0.05
        done
        kill -KILL "$pid"
        ;;
    *)
        echo "usage: web.sh start nginx|apache DIR SOCKET | web.sh stop DIR" >&2
        exit 2
        ;;
esac
