# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154  # variables are those of the script that sources this file
# Sourced by deploy/run: processes that it starts, watches and stops. Needs $logs, the directory of their logs.

declare -A pid_of=() signal_of=()
started=()    # the youngest first, which is the order of stopping
busy=         # the step that is being waited for

say() { echo "run: $*" >&2 || true; }    # the terminal may have gone

die() {
    say "$*"
    exit 1
}

# log_for NAME: an empty log, the one before kept beside it.
log_for() {
    local log=$logs/$1.log
    [[ ! -e $log ]] || mv "$log" "$log.1"
    : >"$log"
    echo "$log"
}

last_words() { tail -n 10 "$logs/$1.log" | sed 's/^/    /' >&2 || true; }

# start NAME SIGNAL COMMAND...: a service; SIGNAL ends it in good order. It gets a session of its own, so that the
# Control-C of a terminal reaches only us and we stop things in their order.
start() {
    local name=$1 signal=$2 log
    shift 2
    log=$(log_for "$name")
    setsid "$@" >"$log" 2>&1 </dev/null 9>&- &
    pid_of[$name]=$!
    signal_of[$name]=$signal
    started=("$name" "${started[@]}")
}

# step NAME COMMAND...: something that ends; its status is returned. Signals to us are not kept waiting by it.
step() {
    local name=$1 status=0 log
    shift
    log=$(log_for "$name")
    setsid setpriv --pdeathsig TERM "$@" >"$log" 2>&1 </dev/null 9>&- &
    busy=$!
    while kill -0 "$busy" 2>/dev/null; do
        ! make_gave_up || exit 0
        pause 0.1
    done
    wait "$busy" || status=$?
    busy=
    return "$status"
}

must() {
    step "$@" || {
        say "$1 failed:"
        last_words "$1"
        exit 1
    }
}

# A pause in which signals are heard at once.
pause() {
    sleep "$1" 9>&- &
    wait $! || true
}

# Ends everything if a service has ended.
check_services() {
    local name status
    for name in "${started[@]}"; do
        kill -0 "${pid_of[$name]}" 2>/dev/null && continue
        status=0
        wait "${pid_of[$name]}" || status=$?
        say "$name has ended by itself, with status $status; its last words:"
        last_words "$name"
        exit 1
    done
}

ended_within() {
    local tenths=$(($2 * 10))
    while kill -0 "$1" 2>/dev/null; do
        ((tenths-- > 0)) || return 1
        sleep 0.1
    done
}

stop_service() {
    local pid=${pid_of[$1]}
    kill -s "${signal_of[$1]}" "$pid" 2>/dev/null || return 0
    ended_within "$pid" 20 && return
    say "$1 takes its time"
    kill -s TERM "$pid" 2>/dev/null || true
    ended_within "$pid" 60 && return
    say "$1 does not stop: killed"
    kill -s KILL -- "-$pid" 2>/dev/null || true
}

stop_all() {
    trap '' INT TERM HUP
    if [[ -n $busy ]]; then
        kill -s TERM "$busy" 2>/dev/null || true
        ended_within "$busy" 20 || kill -s KILL -- "-$busy" 2>/dev/null || true
    fi
    local name
    for name in "${started[@]}"; do stop_service "$name"; done
}

# make waits for us after a SIGINT that only it got, without a word to us: it has let go of its handler then.
# True if we were started by make and it has given up or has gone.
make_gave_up() {
    [[ -n $make_caught ]] || return 1
    [[ $(parent_now) == "$PPID" ]] || return 0
    [[ $make_caught == 1 && $(interrupt_in SigCgt) == 0 ]]
}
parent_now() { sed -n 's/^PPid:\t//p' "/proc/$$/status"; }
# interrupt_in SigCgt|SigIgn: whether our parent catches, or ignores, SIGINT: 1 or 0.
interrupt_in() {
    local mask
    mask=$(sed -n "s/^$1:\t//p" "/proc/$PPID/status" 2>/dev/null) || true
    echo $(((0x${mask:-0} >> 1) & 1))
}
# A make that does not ignore SIGINT catches it until one comes: even one that came before we looked counts.
make_caught=
[[ $(cat "/proc/$PPID/comm" 2>/dev/null) != make ]] || make_caught=$((1 - $(interrupt_in SigIgn)))
