package project

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/neupsl"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/neural"
	"github.com/deeppsl/deeppsl/neural/features"
)

// The options that all networks of NeuPSL have in common.
const (
	deepModule = "predicate.deep.python.module"
	deepPort   = "predicate.deep.python.port"
	deepServer = "pslpython.deeppsl.server"
)

// takeDeep takes, of options that have no effect as a rule, those that have one on networks of NeuPSL.
func (p *Project) takeDeep(idle []load.Option) []load.Option {
	p.server.Module = deepServer
	var rest []load.Option
	for _, o := range idle {
		switch {
		case !p.deep():
			rest = append(rest, o)
		case o.Name == deepModule:
			p.server.Module = o.Value
		case o.Name == deepPort:
			p.server.Port, _ = strconv.Atoi(o.Value)
		default:
			rest = append(rest, o)
		}
	}
	return rest
}

// deep tells whether any predicate is a DeepPredicate.
func (p *Project) deep() bool {
	for _, predicate := range p.Config.Predicates {
		if predicate.Deep != nil {
			return true
		}
	}
	return false
}

// addDeep describes the networks of NeuPSL, in Python. They learn with the rules alone, from where they stand: they
// cannot go back to where they were.
func (p *Project) addDeep(diags *source.Diagnostics) {
	if !p.deep() {
		return
	}
	p.Learning.Network.Epochs = 0
	for phase := range p.Phases {
		p.Phases[phase].Network.Epochs = 0
	}
	p.Specs, p.Features = maps.Clone(p.Specs), maps.Clone(p.Features)
	if p.Specs == nil {
		p.Specs = make(map[string]neural.Spec)
	}
	if p.Features == nil {
		p.Features = make(map[string]*features.Table)
	}
	port := p.server.Port
	for _, predicate := range p.Config.Predicates {
		if predicate.Deep == nil || predicate.Neural == nil {
			continue
		}
		model := p.server
		model.Port = port
		if port > 0 {
			port++
		}
		p.addModel(predicate, model, diags)
	}
}

// addModel describes the network of a predicate.
func (p *Project) addModel(predicate *load.Predicate, model neupsl.Model, diags *source.Diagnostics) {
	model.Dir, model.Options, model.Log = filepath.Dir(p.Config.Name), make(map[string]string), func(line string) {
		p.Log.Info(line, "network", predicate.Name)
	}
	for _, o := range predicate.Options {
		model.Options[o.Name] = o.Value
	}
	path := predicate.Deep.Map
	if !filepath.IsAbs(path) {
		path = filepath.Join(model.Dir, path)
	}
	names, err := readEntities(path)
	if err != nil {
		p.Config.Unreadable(diags, predicate.Deep.Span, path, err)
		return
	}
	features, err := features.NewNames(names)
	if err != nil {
		diags.Errorf("config-deep-predicate", predicate.Deep.Span, "", "%s: %v", path, err)
		return
	}
	model.Rows, model.Classes = len(names), predicate.Deep.Classes
	p.Features[path] = features
	p.Specs[predicate.Name] = neural.Spec{Name: predicate.Name, Features: path, Outputs: model.Classes,
		Output: neural.NoOutput, External: &model}
}

// readEntities returns the entities of a table that has one in each line, before its features.
func readEntities(path string) (names []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for err == nil {
		var line string
		if line, err = lines.ReadString('\n'); strings.TrimSpace(line) != "" {
			name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			names = append(names, name)
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return names, nil // what is wrong with a line, its reader says
}
