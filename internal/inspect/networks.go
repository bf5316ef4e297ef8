package inspect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"html/template"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"slices"
	"strings"

	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/neural"
)

// shownEntities is how many of a network's entities are shown.
const shownEntities = 60

// perceivedPredicate is what a network says of one predicate's atoms.
type perceivedPredicate struct {
	Predicate string
	Atoms     int
	// Entities are all arguments but the last, with the class that the network is surest of; the least sure first.
	Entities []entity
	Found    int
	// Classes counts the entities by that class.
	Classes []classCount
}

// entity is what a network says about one.
type entity struct {
	Name  string
	Class string
	Atom  string
	Value float64
	// Image is what the network sees of it, if that is one.
	Image template.URL

	row int32
}

// classCount is how many entities a network takes for a class.
type classCount struct {
	Class string
	Count int
}

// networks is the page of what networks say.
func (s *Site) networks(context.Context, url.Values) (*page, error) {
	var all []perceivedPredicate
	for k, atoms := range s.grounding.Tables.Store.Relations {
		if atoms.FreeLen() > 0 && atoms.Free == relation.Perceived && atoms.Arity > 0 {
			p := s.perceived(atoms)
			if err := s.picture(k, atoms, p.Entities); err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	return &page{Name: "networks", Title: "Networks", Data: all}, nil
}

// perceived sums up what a network says of a predicate's atoms.
func (s *Site) perceived(atoms *relation.Relation) perceivedPredicate {
	p := perceivedPredicate{Predicate: atoms.Name}
	store := s.grounding.Tables.Store
	best := make(map[string]int) // by entity
	counts := make(map[string]int)
	var tuple []symbol.ID
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		if !atoms.Has(row) {
			continue
		}
		p.Atoms++
		tuple = atoms.Tuple(tuple[:0], row)
		names := make([]string, len(tuple))
		for k, id := range tuple {
			names[k] = store.Symbols.Name(id)
		}
		last := max(len(names)-1, 1) // of an atom with one argument, that is the entity
		e := entity{Name: strings.Join(names[:last], ", "), Class: strings.Join(names[last:], ""),
			Value: session.FreeValue(s.answer, atoms, row), Atom: store.Atom(atoms, row), row: row}
		at, known := best[e.Name]
		if !known {
			best[e.Name] = len(p.Entities)
			p.Entities = append(p.Entities, e)
		} else if e.Value > p.Entities[at].Value {
			p.Entities[at] = e
		}
	}
	for _, e := range p.Entities {
		counts[e.Class]++
	}
	for class, n := range counts {
		p.Classes = append(p.Classes, classCount{class, n})
	}
	slices.SortFunc(p.Classes, func(a, b classCount) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Class, b.Class))
	})
	p.Classes = p.Classes[:min(len(p.Classes), shownEntities)]
	slices.SortStableFunc(p.Entities, func(a, b entity) int { return cmp.Compare(a.Value, b.Value) })
	p.Found = len(p.Entities)
	p.Entities = p.Entities[:min(len(p.Entities), shownEntities)]
	return p
}

// picture draws what networks see of entities, where that are images.
func (s *Site) picture(predicate int, atoms *relation.Relation, entities []entity) error {
	declared, networks := s.grounding.Project.Config.Predicates[predicate].Neural, s.grounding.Networks
	if declared == nil || networks == nil {
		return nil
	}
	at := slices.IndexFunc(networks.Specs, func(spec neural.Spec) bool { return spec.Name == declared.Network })
	features := networks.Features[declared.Network]
	if at < 0 || features == nil {
		return nil
	}
	for k := range entities {
		e := &entities[k]
		name := s.grounding.Tables.Store.Symbols.Name(atoms.Columns[max(declared.Entity, 0)][e.row])
		row, known := features.Row(name)
		if !known {
			continue
		}
		height, width, channels, pixels, ok := networks.Specs[at].Picture(features, row)
		if !ok {
			return nil
		}
		var b bytes.Buffer
		if err := png.Encode(&b, drawn(height, width, channels, pixels)); err != nil {
			return err
		}
		e.Image = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))
	}
	return nil
}

// drawn is an image of pixels, from the least, which is black, to the largest.
func drawn(height, width, channels int, pixels []float32) image.Image {
	least, most := slices.Min(pixels), slices.Max(pixels)
	level := func(v float32) uint8 {
		if most == least {
			return 0
		}
		return uint8(255 * (v - least) / (most - least))
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	for at := range height * width {
		pixel := pixels[at*channels : (at+1)*channels]
		out.SetRGBA(at%width, at/width,
			color.RGBA{level(pixel[0]), level(pixel[channels/2]), level(pixel[channels-1]), 255})
	}
	return out
}
