// Package killtest helps tests of what must survive kill -9: a test runs itself in a process of its own, which writes
// until it is killed.
package killtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

const variable = "DEEPPSL_TEST_KILLED"

// Path is the file that this process is to write until it is killed; "" in the one that kills.
func Path() string { return os.Getenv(variable) }

// Kill runs the test in a process with a path, kills that a while after it has told so many times how far it is, by a
// line "done N", and returns what it told last.
func Kill(t *testing.T, path string, times int, while time.Duration) (steps int) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), variable+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for told := 0; told < times && lines.Scan(); told++ {
		if _, err := fmt.Sscanf(lines.Text(), "done %d", &steps); err != nil {
			t.Errorf("%q: %v", lines.Text(), err)
			break
		}
	}
	time.Sleep(while)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	return steps
}
