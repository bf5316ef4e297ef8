// Package scripttest runs a program's scripts of testdata, with the commands that look at exit codes and JSON.
package scripttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/deeppsl/deeppsl/internal/goldentest"
)

// Run runs the scripts of the folder testdata of the test that calls it. $DATA is the folder of real data, if there is
// one, and data the condition that there is. $ONNX is that of networks, for the packages beside internal/onnx.
func Run(t *testing.T) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *goldentest.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", os.Getenv("DEEPPSL_DATA"))
			networks, err := filepath.Abs(filepath.Join("..", "onnx", "testdata"))
			e.Setenv("ONNX", networks)
			return err
		},
		Condition: func(name string) (bool, error) {
			if name == "data" {
				return os.Getenv("DEEPPSL_DATA") != "", nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     checkExit,
			"object":    checkObject,
			"normalize": normalize,
			"await":     await,
		},
	})
}

// checkExit is the script command `exits CODE PROGRAM ARG...`: it runs the program and compares its exit code, of which
// testscript's own exec only tells whether it is 0. The commands stdout, stderr and cmp then look at its output.
func checkExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// checkObject is the script command `object FILE KEY...`: the file, or stdout, is exactly one JSON object on one line,
// and has the keys. A key is a path such as seconds.load; name[] stands for every element of a list, of which there
// must be one.
func checkObject(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: object FILE KEY...")
	}
	text := ts.ReadFile(args[0])
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("not one line: %s", text)
	}
	object := decodeOne(ts, text)
	for _, key := range args[1:] {
		if !hasKey(object, strings.Split(key, ".")) {
			ts.Fatalf("no key %s in %s", key, text)
		}
	}
}

// decodeOne decodes a text that is one JSON object and nothing else.
func decodeOne(ts *testscript.TestScript, text string) map[string]any {
	decoder := json.NewDecoder(strings.NewReader(text))
	var object map[string]any
	ts.Check(decoder.Decode(&object))
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		ts.Fatalf("more than one value: %s", text)
	}
	return object
}

// hasKey tells whether a value has a path of keys.
func hasKey(value any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	object, _ := value.(map[string]any)
	name, every := strings.CutSuffix(path[0], "[]")
	member, ok := object[name]
	if !every || !ok {
		return ok && hasKey(member, path[1:])
	}
	list, _ := member.([]any)
	for _, element := range list {
		if !hasKey(element, path[1:]) {
			return false
		}
	}
	return len(list) > 0
}

// normalize is the script command `normalize FROM TO`: it writes the JSON object of a run without what may differ from
// one run to the next: times, memory and the number of threads.
func normalize(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: normalize FROM TO")
	}
	object := decodeOne(ts, ts.ReadFile(args[0]))
	for _, key := range []string{"seconds", "peak_rss_bytes", "threads"} {
		delete(object, key)
	}
	curve, _ := object["learning_curve"].([]any)
	for _, line := range curve {
		maps.DeleteFunc(line.(map[string]any), func(key string, _ any) bool { return strings.HasSuffix(key, "_seconds") })
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	ts.Check(encoder.Encode(object))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o666))
}

// await is the script command `await FILE`: it waits until a background program has made the file.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await FILE")
	}
	for range 3000 {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s did not appear", args[0])
}
