package training

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/deeppsl/deeppsl/internal/batch"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/syntax"
)

// save returns the function that writes the checkpoint, if there is to be one.
func (g *learner) save(trainer *learn.Trainer, path string) func() {
	if path == "" {
		return nil
	}
	subject := g.subject(trainer)
	return func() {
		data, err := trainer.Checkpoint(subject)
		if err == nil {
			err = report.WriteFile(path, data)
		}
		if err != nil {
			// Training goes on: losing the chance to resume is better than losing the run.
			g.Project.Log.Error("no checkpoint written", "path", path, "error", err)
		}
	}
}

// subject is a digest of what is learned, and from what, beside the settings of training: a run does not go on from the
// checkpoint of another one.
func (g *learner) subject(trainer *learn.Trainer) string {
	digest := sha256.New()
	for _, rule := range g.Project.Rules(g.Phase) {
		fmt.Fprintln(digest, syntax.Print(rule))
	}
	for _, network := range g.Project.Config.Networks {
		fmt.Fprintf(digest, "%s %s\n", network.Name, network.JSON)
		if features := g.Networks.Features[network.Name]; features != nil {
			features.Write(digest)
		}
	}
	g.Model.Write(digest)
	fmt.Fprintln(digest, g.Project.Learning.Batch, g.Project.Learning.Network)
	limits := g.Project.Learning.WhileLearning().WithDefaults(0)
	fmt.Fprintln(digest, g.Project.Learning.Method, limits.Gap, limits.Feasibility, limits.MaxIterations,
		g.Project.Learning.SGD)
	if lessons, ok := trainer.Batches.(*batch.Lessons); ok {
		lessons.Write(digest)
	} else {
		fmt.Fprintln(digest, trainer.Labels.Variables, trainer.Labels.Truth)
	}
	return hex.EncodeToString(digest.Sum(nil))
}

// resume continues from the checkpoint file, if there is one.
func (g *learner) resume(trainer *learn.Trainer, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("resuming from %s: it is no regular file", path)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = trainer.Resume(data, g.subject(trainer))
	}
	if err != nil {
		return fmt.Errorf("resuming from %s: %w", path, err)
	}
	g.Project.Log.Info("resuming", "checkpoint", path)
	return nil
}

// checkpoint is the file of a lesson's checkpoint; "" for none.
func (g *learner) checkpoint(l lesson) string {
	path := g.Project.Checkpoint
	if path != "" && l.start > 0 {
		path = fmt.Sprintf("%s.start%d", path, l.start+1)
	}
	if path != "" && l.beginning > 0 {
		path = fmt.Sprintf("%s.beginning%d", path, l.beginning+1)
	}
	if path != "" && l.anew {
		path += ".anew"
	}
	return path
}
