package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/report"
)

// recordedPeers is what peers/classify.py printed.
//
//go:embed peers/recorded.json
var recordedPeers []byte

// peerResults are those of problems, by the digest of their samples.
type peerResults map[string]struct {
	Task   string             `json:"task"`
	Seed   uint64             `json:"seed"`
	Points map[string]float64 `json:"points"` // of a hundred, by the peer's name
}

// peerNames are the programs that learn from samples: scikit-learn's, on standardised columns.
var peerNames = []string{"logistic", "mlp"}

// readPeers reads the file that the peers' script printed; "" means the one that is recorded.
func readPeers(path string) (peerResults, error) {
	text, name := recordedPeers, "the recorded results of peers"
	if path != "" {
		var err error
		if text, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		name = path
	}
	var results peerResults
	if err := json.Unmarshal(text, &results); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return results, nil
}

// mean returns a peer's mean over the problems of some results; nil if one of them is missing.
func (p peerResults) mean(peer string, results []*result) *float64 {
	var all []float64
	for _, r := range results {
		points, ok := p[r.Digest].Points[peer]
		if !ok {
			return nil
		}
		all = append(all, points)
	}
	m, _ := eval.Interval(all)
	return &m
}

// miss says of which results peers have none, since the data have changed or seeds are more than were recorded.
func (p peerResults) miss(stderr io.Writer, results []*result) {
	for _, r := range results {
		if _, ok := p[r.Digest]; r.Digest != "" && !ok {
			fmt.Fprintf(stderr, "%s, seed %d: no results of peers are recorded for these data\n", r.Task, r.Seed)
		}
	}
}

// writeSamples writes a file DIGEST.json for each problem that has samples.
func (o *options) writeSamples(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, t := range o.tasks {
		for seed := range o.seeds {
			p, err := t.make(seed + 1)
			if err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
			if p.samples == nil {
				continue
			}
			text, err := json.Marshal(sampleFile{t.name, seed + 1, t.metric, *p.samples})
			if err != nil {
				return err
			}
			if err := report.WriteFile(filepath.Join(dir, p.samples.digest()+".json"), text); err != nil {
				return err
			}
		}
	}
	return nil
}

// sampleFile is what the peers' script reads.
type sampleFile struct {
	Task   string `json:"task"`
	Seed   uint64 `json:"seed"`
	Metric string `json:"metric"`
	samples
}

// digest names the samples by their content.
func (s *samples) digest() string {
	h := sha256.New()
	for _, rows := range [][][]float64{s.Train, s.Test} {
		for _, row := range rows {
			for _, x := range row {
				fmt.Fprintf(h, "%s,", number(x))
			}
			fmt.Fprintln(h)
		}
		fmt.Fprintln(h)
	}
	fmt.Fprintln(h, s.Known, s.Wanted)
	return hex.EncodeToString(h.Sum(nil)[:8])
}
