package learn

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"reflect"
	"strings"
)

// checkpointMagic begins every checkpoint; its last letter is the format's version.
const checkpointMagic = "deeppsl-train-4\n"

// checkpoint is everything that the rest of a training run depends on, so that a run which is interrupted and resumed
// ends with the same bits as one which was not.
type checkpoint struct {
	Subject     string
	Settings    Settings
	Next        int
	Values      *values
	Rules, Nets moments
	Simplex     Progress
	Latent      []float64 // the state and multipliers with the labels clamped, if there is one
	Clamped     []float64
	Best        snapshot
	History     []Epoch
	Solution    []float64
	Multipliers []float64
}

// moments is an optimiser's state.
type moments struct {
	Step   int
	Values [][2][]float32
}

// Checkpoint serialises the run after its last complete epoch. The subject tells what is learned from other such things
// of the same shape.
func (t *Trainer) Checkpoint(subject string) ([]byte, error) {
	var body bytes.Buffer
	saved := checkpoint{
		Subject: subject, Settings: t.Settings, Next: len(t.history), Values: t.values(),
		Rules: moments{t.ruleOpt.step, t.ruleOpt.moments}, Nets: moments{t.netOpt.step, t.netOpt.moments},
		Best: t.best, History: t.history, Solution: t.y, Multipliers: t.multipliers, Simplex: t.simplex.Progress,
	}
	if v := t.energies(); v != nil {
		saved.Latent, saved.Clamped = v.y, v.multipliers
	}
	if err := gob.NewEncoder(&body).Encode(saved); err != nil {
		return nil, fmt.Errorf("writing a checkpoint: %w", err)
	}
	head := fmt.Sprintf("%s%08x\n", checkpointMagic, crc32.ChecksumIEEE(body.Bytes()))
	return append([]byte(head), body.Bytes()...), nil
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
	t.ruleOpt.step, t.ruleOpt.moments = saved.Rules.Step, saved.Rules.Values
	t.netOpt.step, t.netOpt.moments = saved.Nets.Step, saved.Nets.Values
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
	const headLength = len(checkpointMagic) + 9
	if len(data) < headLength || string(data[:len(checkpointMagic)]) != checkpointMagic {
		return nil, fmt.Errorf("not a training checkpoint of this version")
	}
	body := data[headLength:]
	if sum := fmt.Sprintf("%08x\n", crc32.ChecksumIEEE(body)); sum != string(data[len(checkpointMagic):headLength]) {
		return nil, fmt.Errorf("the checkpoint is damaged: its checksum does not match")
	}
	saved := new(checkpoint)
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(saved); err != nil {
		return nil, fmt.Errorf("reading a checkpoint: %w", err)
	}
	return saved, nil
}

// fits checks that the checkpoint's parameters have the shapes of this run's.
func (t *Trainer) fits(saved *checkpoint) error {
	if len(saved.Solution) != len(t.y) {
		return fmt.Errorf("the checkpoint is of another program: %d variables, here %d", len(saved.Solution), len(t.y))
	}
	return saved.Values.fits(t.parameters())
}
