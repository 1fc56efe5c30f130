// SPDX-License-Identifier: MIT
// oai: the administrator's tool.
#include "command/command.h"

int main(int argc, char** argv) { return oai::command::run_tool(argc, argv); }
