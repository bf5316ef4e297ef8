package lint

// Checks returns every check that needs only the module's text.
func Checks() []Check {
	return []Check{
		{"gofmt", "one form for all code, so that a change shows only what changed", formatting},
		{"imports", "packages are the pipeline of docs/architecture.md; data flows one way", importDirection},
		{"libraries", "each outside library has one home, so that it can be replaced there", libraryHomes},
		{"silence", "printing, logging and exiting are the caller's: take a writer, return an error", silence},
		{"docs", "an exported name without a comment makes every reader read its code", documentation},
		{"paths", "a path of one machine breaks on every other", machinePaths},
		{"unfinished", "a note in the code is work that nobody plans", unfinishedWork},
		{"columns", "long lines hide their ends", lineLength},
		{"files", "a file holds one thing", fileLength},
		{"goldens", "a message that no test has seen is a message that nobody has read", goldenMessages},
		{"messages", "a name that no page explains leads its reader nowhere", documentedMessages},
		{"face", "a root package that is small and names nothing internal can be learned, and kept", face},
		{"shown", "an exported name that no example uses is one that nobody finds", shown},
		{"guest", "a library is a guest in its process: settings of all of it are the program's", processWide},
		{"seeds", "a test that fails by luck says nothing about the change at hand", seeds},
		{"knots", "files that need each other in a circle are one file, however they are cut", knots},
		{"functions", "a function does one thing, and is read at one glance", functionLength},
	}
}
