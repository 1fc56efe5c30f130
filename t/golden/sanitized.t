#!/bin/sh
# SPDX-License-Identifier: MIT
# The golden cases through a server built with ASan and UBSan.
export OAI_FLAVOUR=asan
exec "$(dirname "$0")/golden" --sample
