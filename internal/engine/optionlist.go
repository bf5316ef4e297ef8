package engine

import (
	"cmp"
	"slices"
)

// Option describes a setting that a configuration's "options", or Options.Set, can have.
type Option struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// PSL lists the names that Java PSL has for it, if they are others.
	PSL []string `json:"psl"`
}

// AllOptions lists every option by name, but for those that only Java PSL has, which have no effect here.
func AllOptions() []Option {
	byName := make(map[string][]string)
	for psl, ours := range aliases {
		byName[ours] = append(byName[ours], psl)
	}
	list := make([]Option, len(options))
	for k, o := range options {
		slices.Sort(byName[o.name])
		list[k] = Option{Name: o.name, About: o.about, PSL: append([]string{}, byName[o.name]...)}
	}
	slices.SortFunc(list, func(a, b Option) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
