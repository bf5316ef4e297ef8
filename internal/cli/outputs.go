package cli

import (
	"os"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/command"
	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// checkOutputs finds before a long run, and not after it, what its results cannot be written to.
func (r *runner) checkOutputs(outputs project.Outputs, project *project.Project) error {
	var diags source.Diagnostics
	if file := command.FileOnTheWay(outputs.Atoms); file != "" {
		diags.Errorf("output-path", source.Span{}, "name a folder; it is made if it is not there",
			"the atoms need a folder, but %s is a file", file)
	}
	if r.JSON && (outputs.GroundRules == command.StdinName || outputs.Model == command.StdinName) {
		diags.Errorf("output-path", source.Span{}, "name a file for rules and ground rules",
			"with --json, nothing but the result goes to the standard output")
	}
	if info, err := os.Stat(r.checkpoint); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		diags.Errorf("output-path", source.Span{}, "name a file", "%s is no file that learning could go on from",
			r.checkpoint)
	}
	files := []string{outputs.GroundRules, outputs.Model, r.checkpoint, r.networks, r.curve}
	for _, path := range files {
		if path != "" && path != command.StdinName {
			checkFile(path, &diags)
		}
	}
	if outputs.Atoms != "" {
		files = append(files, engine.AtomFiles(project, outputs.Atoms)...)
	}
	checkInputs(files, project.Inputs(), &diags)
	return diags.Err()
}

// checkOutput finds before a long run that the one file which a command writes cannot be made, or is an input. Nothing
// is wrong with "", which is no file.
func checkOutput(path string, project *project.Project) error {
	if path == "" || path == command.StdinName {
		return nil
	}
	var diags source.Diagnostics
	checkFile(path, &diags)
	checkInputs([]string{path}, project.Inputs(), &diags)
	return diags.Err()
}

// checkInputs refuses outputs in the place of inputs: a run must not destroy what it was made from.
func checkInputs(outputs, inputs []string, diags *source.Diagnostics) {
	for _, output := range outputs {
		there, err := os.Stat(output)
		if output == "" || err != nil {
			continue
		}
		for _, input := range inputs {
			if read, err := os.Stat(input); err == nil && os.SameFile(there, read) {
				diags.Errorf("output-path", source.Span{}, "name another folder or file",
					"%s would be written over %s, which the project is read from", output, input)
				break
			}
		}
	}
}

// checkFile tells why a file cannot be made at path.
func checkFile(path string, diags *source.Diagnostics) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		diags.Errorf("output-path", source.Span{}, "name a file in it", "%s is a folder", path)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		diags.Errorf("output-path", source.Span{}, "make the folder first", "there is no folder for %s", path)
	}
}
