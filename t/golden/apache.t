#!/bin/sh
# SPDX-License-Identifier: MIT
# The golden cases behind Apache with mod_proxy_fcgi.
exec "$(dirname "$0")/golden" --sample --web apache
