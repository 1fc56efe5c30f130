#!/bin/sh
# SPDX-License-Identifier: MIT
# The golden cases behind nginx.
exec "$(dirname "$0")/golden" --web nginx
