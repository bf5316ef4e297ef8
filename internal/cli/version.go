package cli

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
)

// newVersion returns `deeppsl version`.
func newVersion(e *command.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is and what built it",
		Long: "Version prints the version, the commit and the Go toolchain of this program.\n" +
			"A build with the experiment simd gives networks other last bits than one\nwithout.",
		Args: command.NoArguments,
		RunE: func(*cobra.Command, []string) error { return e.Emit(readVersion()) },
	}
}

// version describes the running binary.
type version struct {
	Version     string `json:"version"`
	Commit      string `json:"commit"`   // empty if it was not recorded
	Modified    bool   `json:"modified"` // the commit was not all
	Go          string `json:"go"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Experiments string `json:"experiments"` // GOEXPERIMENT; simd makes networks faster, with other bits
}

// readVersion asks the binary what it was built from.
func readVersion() version {
	v := version{Version: "(devel)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Commit = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		case "GOEXPERIMENT":
			v.Experiments = setting.Value
		}
	}
	return v
}

// Text prints one line per fact that is known.
func (v version) Text(w io.Writer) error {
	text := fmt.Sprintf("deeppsl %s\n", v.Version)
	if v.Commit != "" {
		text += "commit  " + v.Commit
		if v.Modified {
			text += ", modified"
		}
		text += "\n"
	}
	text += fmt.Sprintf("built   with %s for %s/%s\n", v.Go, v.OS, v.Arch)
	_, err := io.WriteString(w, text)
	return err
}

//go:embed licenses.txt.gz
var packedLicenses []byte

// licensesText unpacks licenses.txt, which is ten times as long.
func licensesText() (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(packedLicenses))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// licenses are the texts that have to go with the binary.
type licenses struct {
	Licenses string `json:"licenses"`
}

// Text prints them.
func (l licenses) Text(w io.Writer) error {
	_, err := io.WriteString(w, l.Licenses)
	return err
}
