#!/bin/sh
# SPDX-License-Identifier: MIT
# The golden cases through `oai get`, without a server.
exec "$(dirname "$0")/golden" --sample --oai "${BUILD:-build}/release/oai"
