package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/deeppsl/deeppsl/internal/scripttest"
)

// TestMain lets the scripts run this test binary as paper.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"paper": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) { scripttest.Run(t) }
