#!/bin/sh
# SPDX-License-Identifier: MIT
# The golden cases behind Apache with mod_fcgid, which starts the server itself.
exec "$(dirname "$0")/golden" --sample --web fcgid
