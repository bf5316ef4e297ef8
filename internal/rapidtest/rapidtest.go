// Package rapidtest fixes what tests draw at random with rapid, so that the same code passes the same tests each time.
// Importing it is enough. Other programs are drawn with -rapid.seed=N, or ever new ones with -rapid.seed=0, as
// `make oracle` does; $RAPID_SEED says the same for several packages.
package rapidtest

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // has the flag
)

func init() {
	if _, asked := os.LookupEnv("RAPID_SEED"); asked {
		return
	}
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
