// Package cli is the command line: it reads arguments, calls the library and prints what it answers. Every command is
// one file of this package: a constructor that returns its *cobra.Command, listed in newRoot, and a result type that
// prints itself as text and as JSON.
package cli

import (
	"io"

	"github.com/deeppsl/deeppsl/internal/command"
	_ "github.com/deeppsl/deeppsl/parquet" // the tables that come with a library
)

// Main runs the command that args, without the program's name, ask for, and returns the exit code: 0 for success, 1
// for failure, 2 for arguments or input that have no meaning.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := &command.Env{In: stdin, Out: stdout, Err: stderr}
	return e.Run(newRoot(e), fromPSL(args))
}
