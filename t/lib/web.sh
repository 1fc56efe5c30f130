#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A private web server for tests, with the location files that ship. Nothing outside DIR is touched.
#   web.sh start nginx|apache DIR SOCKET    prints its port; the FastCGI server at SOCKET is mounted at /oai
#   web.sh start fcgid DIR COMMAND [PLACE]  the same by Apache and mod_fcgid, which starts as many processes of COMMAND as it needs;
#                                           PLACE is a directory that they must be able to enter
#   web.sh stop DIR                         stops either of them
# OAI_WEB_FILES is a directory with location files, in place of those that ship; OAI_WEB_HTTP a file for `http` of nginx;
# OAI_WEB_THREADS so many threads for Apache, all of them from the start.
# DIR is created. As root the server runs as www-data, which must be able to connect to SOCKET. A request with the header
# X-Test-Client: ADDRESS counts as one from that address.
set -euo pipefail
reach=()
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
files=${OAI_WEB_FILES:-$root/deploy}

free_port() {
    perl -I "$root/t/lib" -MProcess=free_port -e 'print free_port()'
}

exec_as_web_user() {
    exec "$root/deploy/as-user" --reach "$files" --reach "$dir" "${reach[@]}" www-data "$@"
}

start_nginx() {
    sed -e "s|@PORT@;|&\n        set_real_ip_from 127.0.0.1;\n        real_ip_header X-Test-Client;|" \
        "$root/deploy/nginx.conf.in" | sed -e "s|@DIR@|$dir|g; s|@SOCKET@|$socket|g; s|@PORT@|$port|g; s|@DEPLOY@|$files|g" \
        >"$dir/nginx.conf"
    [[ -z ${OAI_WEB_HTTP-} ]] || sed -i "s|^http {|&\n    include \"$OAI_WEB_HTTP\";|" "$dir/nginx.conf"
    exec_as_web_user nginx -e stderr -c "$dir/nginx.conf" >"$dir/log" 2>&1 9>&- &
}

# The configuration that both ways of Apache have in common, with as many threads as Debian's; $1 is the rest.
start_apache_with() {
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
LoadModule remoteip_module $modules/mod_remoteip.so
LoadModule reqtimeout_module $modules/mod_reqtimeout.so
LoadModule http2_module $modules/mod_http2.so
Protocols h2c http/1.1
RemoteIPHeader X-Test-Client
RemoteIPInternalProxy 127.0.0.1
StartServers $((${OAI_WEB_THREADS:-25} / 25))
MaxSpareThreads ${OAI_WEB_THREADS:-250}
ThreadsPerChild 25
ServerLimit $((${OAI_WEB_THREADS:-150} / 25))
MaxRequestWorkers ${OAI_WEB_THREADS:-150}
$1
CONF
    exec_as_web_user apache2 -D FOREGROUND -f "$dir/apache.conf" >"$dir/log" 2>&1 9>&- &
}

start_apache() {
    start_apache_with "
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_fcgi_module /usr/lib/apache2/modules/mod_proxy_fcgi.so
Define OAI_SOCKET $socket
Include \"$files/apache-oai.conf\""
}

start_fcgid() {
    reach=(--reach "${socket%% *}" ${place:+--reach "$place"})    # the program is the first word
    start_apache_with "
LoadModule fcgid_module /usr/lib/apache2/modules/mod_fcgid.so
FcgidSpawnScoreUpLimit 40
FcgidIPCDir \"$dir/fcgid\"
FcgidProcessTableFile \"$dir/fcgid.table\"
Define OAI_COMMAND \"$socket\"
Include \"$root/deploy/apache-oai-fcgid.conf\""
}

wait_until_it_listens() {
    for _ in {1..6000}; do
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    cat "$dir"/*log >&2
    return 1
}

case ${1-} in
    start)
        kind=$2 dir=$3 socket=$4 place=${5-}
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
        for _ in {1..6000}; do
            kill -0 "$pid" 2>/dev/null || exit 0
            sleep 0.05
        done
        kill -KILL "$pid"
        ;;
    *)
        echo "usage: web.sh start nginx|apache DIR SOCKET | web.sh start fcgid DIR COMMAND [PLACE] | web.sh stop DIR" >&2
        exit 2
        ;;
esac
