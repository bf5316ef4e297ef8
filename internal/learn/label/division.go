package label

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Divide deals the things that labels are about, Labels.Entities, out to folds, so that each is held out once: every
// fold gets about as many, and as many of each class. It returns the fold of each entity, the same for the same seed
// whatever the order of the labels, or nil if there is too little to hold anything out: less than two entities a fold,
// or classes that most folds would not learn from.
func Divide(labels *Labels, folds int, seed uint64) map[int32]int {
	class := labels.classes()
	sizes := make(map[int32]int)
	for _, of := range class {
		sizes[of]++
	}
	alone := 0
	for _, size := range sizes {
		if size == 1 {
			alone++
		}
	}
	if 4*alone > len(class) {
		return nil
	}
	return deal(class, folds, seed)
}

// DivideForRules deals them out where no network learns classes, but weights of rules alone, most of which speak of all
// classes alike. Things of which each has a class to itself, as of what is matched one to one, can be held out, too.
func DivideForRules(labels *Labels, folds int, seed uint64) map[int32]int {
	return deal(labels.classes(), folds, seed)
}

// deal deals things out by their classes; nil if there are less than two a fold.
func deal(class map[int32]int32, folds int, seed uint64) map[int32]int {
	if folds < 2 || len(class) < 2*folds {
		return nil
	}
	entities := slices.Sorted(maps.Keys(class))
	random := rand.New(rand.NewPCG(seed, 0x666f6c6473))
	random.Shuffle(len(entities), func(a, b int) { entities[a], entities[b] = entities[b], entities[a] })
	slices.SortStableFunc(entities, func(a, b int32) int { return int(class[a]) - int(class[b]) })
	fold := make(map[int32]int, len(entities))
	for k, entity := range entities {
		fold[entity] = k % folds
	}
	return fold
}

// classes returns the class of each entity: that of its label with the highest truth, the first of equal ones. Where
// that has no class, whether it is true takes its place.
func (l *Labels) classes() map[int32]int32 {
	class, highest := make(map[int32]int32), make(map[int32]float64)
	for k, entity := range l.Entities {
		if most, seen := highest[entity]; !seen || l.Truth[k] > most {
			class[entity], highest[entity] = l.Classes[k], l.Truth[k]
		}
	}
	for entity, most := range highest {
		if class[entity] == NoClass && most >= 0.5 {
			class[entity]--
		}
	}
	return class
}

// Where returns the labels whose entities the function takes.
func (l *Labels) Where(takes func(entity int32) bool) *Labels { return l.some(l.Entities, takes) }

// About returns the labels whose variables the function takes.
func (l *Labels) About(takes func(variable int32) bool) *Labels { return l.some(l.Variables, takes) }

func (l *Labels) some(of []int32, takes func(int32) bool) *Labels {
	some := new(Labels)
	for k, it := range of {
		if takes(it) {
			some.Variables, some.Truth = append(some.Variables, l.Variables[k]), append(some.Truth, l.Truth[k])
			some.Entities, some.Classes = append(some.Entities, l.Entities[k]), append(some.Classes, l.Classes[k])
		}
	}
	return some
}
