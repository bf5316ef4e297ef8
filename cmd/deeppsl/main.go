// Command deeppsl reasons with rules and networks: it grounds, infers, learns and reports. See `deeppsl help`.
package main

import (
	"os"

	"github.com/deeppsl/deeppsl/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
