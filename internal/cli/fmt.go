package cli

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

const fmtHelp = `Fmt prints rule files in their one canonical form: one rule per line, comments
kept where they are, long rules broken before operators.

With -w files are rewritten in place, whole or not at all. With -d the changes
are printed instead, and the exit code is 1 if there are any. A file with errors
is reported and left alone. The name - means the standard input.`

const fmtExamples = `  deeppsl fmt model.psl         print the file, formatted
  deeppsl fmt -w rules/*.psl    rewrite files in place
  deeppsl fmt -d model.psl      check a file, for example before a commit
  deeppsl fmt - < model.psl     format the standard input`

// formatter is one run of `deeppsl fmt`.
type formatter struct {
	*command.Env
	write, diff bool
}

// newFmt returns `deeppsl fmt`.
func newFmt(e *command.Env) *cobra.Command {
	f := &formatter{Env: e}
	cmd := &cobra.Command{
		Use:     "fmt [-w] [-d] FILE...",
		Short:   "Print rule files in their canonical form",
		Long:    fmtHelp,
		Example: fmtExamples,
		GroupID: groupRules,
		Args:    command.AtLeastOne("rule file"),
		RunE:    func(_ *cobra.Command, files []string) error { return f.run(files) },
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "rewrite the files in place")
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change; exit with 1 if anything would")
	return cmd
}

// run formats all files, those after a bad one as well, and then reports what was bad in the order of the files.
func (f *formatter) run(names []string) error {
	var diags source.Diagnostics
	var differs error
	for _, name := range names {
		if f.write && name == command.StdinName {
			return command.Usage("write-stdin", "leave out -w to print the result", "the standard input cannot be rewritten")
		}
		changed, err := f.file(name)
		var failure *source.Failure
		switch {
		case errors.As(err, &failure):
			diags = append(diags, failure.Diagnostics...)
		case err != nil:
			return err
		case changed && f.diff:
			differs = command.ErrReported
		}
	}
	if err := diags.Err(); err != nil {
		return err
	}
	return differs
}

// file formats one file, and says whether its form was another.
func (f *formatter) file(name string) (changed bool, err error) {
	if slices.Contains(configExtensions, strings.ToLower(filepath.Ext(name))) {
		var diags source.Diagnostics
		diags.Errorf("unreadable-file", (&source.File{Name: name}).Whole(), "only rules in a file of their own are formatted",
			"this is a configuration, and no file of rules")
		return false, diags.Err()
	}
	file, err := f.ReadSource(name)
	if err != nil {
		return false, err
	}
	text, diags := syntax.Format(file)
	if err := diags.Err(); err != nil {
		return false, err
	}
	r := formatted{File: file.Name, Changed: text != file.Text}
	if f.diff {
		r.Diff = string(diff.Diff(file.Name, []byte(file.Text), file.Name+" formatted", []byte(text)))
	}
	if f.write && r.Changed {
		if err := report.WriteFile(name, []byte(text)); err != nil {
			return false, err
		}
		r.Written = true
	}
	if !f.write && !f.diff {
		r.Formatted = text
	}
	return r.Changed, f.Emit(r)
}

// formatted is what became of one file.
type formatted struct {
	File      string `json:"file"`
	Changed   bool   `json:"changed"`
	Written   bool   `json:"written"`
	Diff      string `json:"diff,omitempty"`
	Formatted string `json:"formatted,omitempty"`
}

// Text prints the file or the difference: what is left to say if the file was not rewritten silently.
func (f formatted) Text(w io.Writer) error {
	_, err := io.WriteString(w, f.Diff+f.Formatted)
	return err
}
