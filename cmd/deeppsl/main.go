// Command deeppsl reasons with rules and networks: it grounds, infers, learns and reports. See `deeppsl help`.
package main

import "os"

func main() { os.Exit(0) }
