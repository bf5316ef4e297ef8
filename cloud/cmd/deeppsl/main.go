// Command deeppsl is the command of the core, whose parts may also lie on object stores: deeppsl shard, run --shard and
// merge take s3://bucket/prefix.
package main

import (
	"os"

	"github.com/deeppsl/deeppsl/internal/cli"

	_ "github.com/deeppsl/deeppsl/cloud/s3"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
