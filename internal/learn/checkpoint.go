package learn

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/pack"
)

// checkpointMagic begins every checkpoint; its last letter is the format's version.
const checkpointMagic = "deeppsl-train-5\n"

// checkpoint is everything that the rest of a training run depends on, so that a run which is interrupted and resumed
// ends with the same bits as one which was not.
type checkpoint struct {
	Subject     string
	Settings    Settings
	Next        int
	Values      *perception.Values
	Rules, Nets perception.Moments
	Simplex     Progress
	Latent      []float64 // the state and multipliers with the labels clamped, if there is one
	Clamped     []float64
	Best        snapshot
	History     []Epoch
	Solution    []float64
	Multipliers []float64
}

// Checkpoint serialises the run after its last complete epoch. The subject tells what is learned from other such things
// of the same shape.
func (t *Trainer) Checkpoint(subject string) ([]byte, error) {
	saved := checkpoint{
		Subject: subject, Settings: t.Settings, Next: len(t.history), Values: t.values(),
		Rules: t.ruleOpt.Moments(), Nets: t.netOpt.Moments(),
		Best: t.best, History: t.history, Solution: t.y, Multipliers: t.multipliers, Simplex: t.simplex.Progress,
	}
	if v := t.energies(); v != nil {
		saved.Latent, saved.Clamped = v.y, v.multipliers
	}
	text := bytes.NewBufferString(checkpointMagic)
	if err := pack.Write(text, saved); err != nil {
		return nil, fmt.Errorf("writing a checkpoint: %w", err)
	}
	return text.Bytes(), nil
}

// Resume continues a run from a Checkpoint of the same task, subject and settings. The number of epochs may differ.
func (t *Trainer) Resume(data []byte, subject string) error {
	saved, err := decodeCheckpoint(data)
	if err != nil {
		return err
	}
	if err := t.fits(saved); err != nil {
		return err
	}
	if saved.Subject != subject {
		return fmt.Errorf("the checkpoint is of other rules, networks, labels, tables or settings of inference")
	}
	// Last, since what a run learns from may also choose its settings.
	same := saved.Settings
	same.Epochs = t.Epochs
	if same != t.Settings {
		return fmt.Errorf("the checkpoint is of a run with other settings: %s", difference(same, t.Settings))
	}
	t.setValues(saved.Values)
	t.ruleOpt.Resume(saved.Rules)
	t.netOpt.Resume(saved.Nets)
	t.best, t.history, t.next = saved.Best, saved.History, saved.Next
	copy(t.y, saved.Solution)
	t.multipliers = saved.Multipliers
	t.simplex.Progress = saved.Simplex
	if v := t.energies(); v != nil {
		copy(v.y, saved.Latent)
		v.multipliers = saved.Clamped
	}
	return nil
}

// difference names the settings that a checkpoint has otherwise.
func difference(saved, present Settings) string {
	a, b := reflect.ValueOf(saved), reflect.ValueOf(present)
	var names []string
	for k := range a.NumField() {
		if x, y := a.Field(k).Interface(), b.Field(k).Interface(); x != y {
			names = append(names, fmt.Sprintf("%s %v, here %v", a.Type().Field(k).Name, x, y))
		}
	}
	return strings.Join(names, "; ")
}

func decodeCheckpoint(data []byte) (*checkpoint, error) {
	body, ok := bytes.CutPrefix(data, []byte(checkpointMagic))
	if !ok {
		return nil, errors.New("not a training checkpoint of this version")
	}
	saved := new(checkpoint)
	if err := pack.Read(bytes.NewReader(body), saved); err != nil {
		return nil, fmt.Errorf("the checkpoint %w", err)
	}
	return saved, nil
}

// fits checks that the checkpoint's parameters have the shapes of this run's.
func (t *Trainer) fits(saved *checkpoint) error {
	if len(saved.Solution) != len(t.y) {
		return fmt.Errorf("the checkpoint is of another program: %d variables, here %d", len(saved.Solution), len(t.y))
	}
	return saved.Values.Fits(t.parameters())
}
