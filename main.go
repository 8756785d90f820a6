// Command research is the Workspace Research Service: one binary with a subcommand for each program.
package main

import (
	"os"

	"research/cli"
)

func main() { os.Exit(cli.Main()) }
