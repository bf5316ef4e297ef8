// Package doubt finds rules that labels and networks speak against before anything is learned by them: rules say that
// what they tie is alike, or is not, and it shows no sign of it.
package doubt

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/stat"
	"github.com/deeppsl/deeppsl/internal/symbol"
	"github.com/deeppsl/deeppsl/internal/training/ties"
)

const (
	// shuffles of what networks see say what ties would show by chance, and chanceErrors is by how many standard
	// deviations of that they have to show more, or they are doubted.
	shuffles, chanceErrors = 64, 2
	// tiedAlike is the share of ties that are taken to be as a rule says, if it holds, beyond those that are by chance, of
	// things that have up to fewTies of them. The more there are, the fewer need be: their mean tells as much.
	tiedAlike, fewTies = 0.5, 4
	// doubtful is the logarithm of how many times likelier what ties show has to be by chance than if the rule holds.
	doubtful = 2
	// tying is the share of a rule's ground rules that have to tie two things that are seen, or it is not judged.
	tying = 0.9
	// unbalanced is by how much coefficients of a mean may miss their sum, as they are written with few digits.
	unbalanced = 0.01
	// mostDoubted is the number of ground rules up to which they are gone through so often.
	mostDoubted = 1_000_000
	// seenGain is by how many standard errors over the entities a network has to be better than the classes' shares to be
	// taken to be as right as it is sure.
	seenGain = 1
)

// Evidence is what rules are doubted by.
type Evidence struct {
	Grounding *session.Grounding
	Ties      *ties.Ties
	Learned   []bool                // by rule, whether its weight is learned: no other is doubted
	Exclusive func(neural int) bool // whether a thing has one class of a neural predicate
	Targets   *label.Labels         // that networks have learned from
	Own       *label.Labels         // likewise, of what networks see
	Inputs    [][]float64           // by fold, what networks see that have not learned from what it holds out
	Held      []*label.Labels       // by fold, what it holds out, of what networks see
}

// Rules finds the rules that say of what is tied that it is alike, or that it is not, while tied things are no more
// alike than any others: by their labels, and where not both have one, by what networks see of them. Of few labels
// hardly two are tied, but something is seen of all things, which counts as far as what each fold holds out bears it
// out. It also returns the logarithm of how many times likelier what ties show is by chance, of the rule of which that
// is most.
func (e *Evidence) Rules() (rules []int, chance float64) {
	g := e.Grounding
	if g.Model.Potentials() > mostDoubted {
		return nil, 0
	}
	for neural, declared := range g.Project.Config.Predicates {
		if declared.Neural == nil || e.Ties.Counterpart(neural) < 0 || g.Tables.Store.Relations[neural].Arity > 2 {
			continue
		}
		v := e.view(neural)
		for r, learned := range e.Learned {
			if v == nil || !learned || e.Ties.Equates(r) || slices.Contains(rules, r) {
				continue
			}
			if by, doubted := v.doubts(v.ties(g.Model, r), g.Seed); doubted {
				rules = append(rules, r)
				chance = max(chance, by)
			}
		}
	}
	return rules, chance
}

// view is what networks see of things, one by one: the mean over those of all folds, at the temperature that suits
// labels that they have not seen, less that over all things.
type view struct {
	things, classes int
	x               []float64 // by thing, a value for each class; nil if labels are not all 0 or 1
	truth           []float64 // likewise, what labels say: 0, 1 or unlabelled
	exclusive       bool      // a thing has one class
	labelled        []bool
	thing, class    []int32   // of each variable that follows; the thing is -1 of others
	told            []bool    // of each other variable: whether it is labelled, or follows from what another network sees
	alike           []float64 // by class, the expected product of the values of two things that are alike
	trust           trust
	varied          float64 // how probable it is that two things are, relative to that they are not
}

// view returns that of a neural predicate; nil if not every thing has all classes.
func (e *Evidence) view(neural int) *view {
	g := e.Grounding
	atoms, declared := g.Tables.Store.Relations[neural], g.Project.Config.Predicates[neural].Neural
	v := &view{classes: max(1, len(declared.Classes)), thing: slices.Repeat([]int32{-1}, g.Model.Variables),
		class: make([]int32, g.Model.Variables)}
	numbers, places := make(map[symbol.ID]int32), make(map[symbol.ID]int32)
	var inputs []int32 // by thing, of each class; -1 for none
	at := make(map[int32]int)
	for row := int32(atoms.Observed); int(row) < atoms.Len(); row++ {
		thing, class := atoms.Columns[declared.Entity][row], int32(0)
		if len(declared.Classes) > 0 {
			class = numberOf(places, atoms.Columns[declared.Class][row])
		}
		n := int(numberOf(numbers, thing))
		for len(inputs) < len(numbers)*v.classes {
			inputs = append(inputs, -1)
		}
		inputs[n*v.classes+int(class)] = atoms.Number(row)
		at[atoms.Number(row)] = n*v.classes + int(class)
	}
	if v.things = len(numbers); slices.Contains(inputs, -1) || v.things == 0 {
		return nil
	}
	for row, variable := range e.Ties.Matched(neural, atoms, g.Tables.Store.Relations[e.Ties.Counterpart(neural)]) {
		place := at[atoms.Number(row)]
		v.thing[variable], v.class[variable] = int32(place/v.classes), int32(place%v.classes)
	}
	v.told = make([]bool, g.Model.Variables)
	for other := range g.Project.Config.Predicates {
		if at := e.Ties.Counterpart(other); g.Project.Config.Predicates[other].Neural != nil && at >= 0 {
			for _, variable := range e.Ties.Matched(other, g.Tables.Store.Relations[other], g.Tables.Store.Relations[at]) {
				v.told[variable] = true
			}
		}
	}
	v.exclusive = e.Exclusive(neural)
	v.mark(e, at)
	told, exponent := e.tells(at, v.classes)
	if exponent == 0 {
		return v
	}
	by := make([][]float64, len(e.Inputs))
	for k, seen := range e.Inputs {
		by[k] = v.sharpened(seen, inputs, exponent)
	}
	v.see(by)
	if v.trust = (trust{slope: 1}); !told {
		v.trust = v.regress(by, at, e.Held)
	}
	return v
}

func numberOf(numbers map[symbol.ID]int32, of symbol.ID) int32 {
	number, known := numbers[of]
	if !known {
		number = int32(len(numbers))
		numbers[of] = number
	}
	return number
}

// tells tells whether labels held out, which are 0 or 1, are told by some inputs better than by how common classes are,
// and by which temperature, which is 0 where labels are of another kind.
func (e *Evidence) tells(at map[int32]int, classes int) (told bool, exponent float64) {
	var seen, shares []label.Verdict
	held := make([]*label.Labels, len(e.Held))
	count, sum := make([]float64, classes), make([]float64, classes)
	for k, all := range e.Held {
		held[k] = all.About(func(input int32) bool { _, has := at[input]; return has })
		for j, input := range held[k].Variables {
			truth := held[k].Truth[j]
			if truth != 0 && truth != 1 {
				return false, 0
			}
			class := at[input] % classes
			count[class]++
			sum[class] += truth
		}
	}
	common := make([]float64, e.Grounding.Model.Inputs)
	for input, place := range at {
		common[input] = (sum[place%classes] + 1) / (count[place%classes] + 2)
	}
	for k, labels := range held {
		seen = append(seen, labels.Judge(e.Inputs[k]))
		shares = append(shares, labels.Judge(common))
	}
	together := label.Together(seen...)
	return together.Beats(label.Together(shares...), seenGain), together.Exponent()
}

// mark marks the things that networks have learned from, and what labels say of them.
func (v *view) mark(e *Evidence, at map[int32]int) {
	v.labelled, v.truth = make([]bool, v.things), slices.Repeat([]float64{unlabelled}, v.things*v.classes)
	for k, variable := range e.Targets.Variables {
		if v.told[variable] = true; v.thing[variable] >= 0 {
			v.labelled[v.thing[variable]] = true
			if truth := e.Targets.Truth[k]; truth == 0 || truth == 1 {
				v.truth[int(v.thing[variable])*v.classes+int(v.class[variable])] = truth
			}
		}
	}
	for _, input := range e.Own.Variables {
		if place, has := at[input]; has {
			v.labelled[place/v.classes] = true
		}
	}
}

// sharpened returns by thing what networks see, at a temperature, of inputs that are given by their places.
func (v *view) sharpened(seen []float64, inputs []int32, exponent float64) []float64 {
	x := make([]float64, len(inputs))
	for thing := range v.things {
		sum := 0.0
		for at := thing * v.classes; at < (thing+1)*v.classes; at++ {
			x[at] = math.Pow(seen[inputs[at]], exponent)
			sum += x[at]
		}
		for at := thing * v.classes; at < (thing+1)*v.classes; at++ {
			all := sum
			if !v.exclusive {
				all = x[at] + math.Pow(1-seen[inputs[at]], exponent)
			}
			x[at] /= max(all, label.TinyFloor)
		}
	}
	return x
}

// see fills in what is seen, the mean over folds, and what products would come to if things were alike: of each class,
// the values of those that are of it are as far from the mean as those of all things, by how probably each is of it.
func (v *view) see(by [][]float64) {
	v.x = make([]float64, v.things*v.classes)
	for _, x := range by {
		for at := range x {
			v.x[at] += x[at] / float64(len(by))
		}
	}
	mean, profile, n := make([]float64, v.classes), make([]float64, v.classes*v.classes), float64(v.things)
	for at, x := range v.x {
		mean[at%v.classes] += x / n
		for k, p := range v.x[at/v.classes*v.classes:][:v.classes] {
			profile[k*v.classes+at%v.classes] += p * x / n
		}
	}
	v.alike = make([]float64, v.classes)
	same := 0.0
	for class, share := range mean {
		if !v.exclusive { // it is of the class or not
			with := profile[class*v.classes+class] - share*share
			v.alike[class] = with * with / max(share*(1-share), label.TinyFloor)
			same += (share*share + (1-share)*(1-share)) / float64(v.classes)
			continue
		}
		for k, other := range mean {
			with := profile[k*v.classes+class] - other*share
			v.alike[class] += with * with / max(other, label.TinyFloor)
		}
		same += share * share
	}
	v.varied = same / max(1-same, label.TinyFloor)
	for at := range v.x {
		v.x[at] -= mean[at%v.classes]
	}
}

// tie is what rules say of two things and a class: that they are alike, by so much, or that they are not, if that is
// below 0.
type tie struct {
	a, b, class int32
	by          float64
}

// member is a variable of a thing that a ground rule ties to something that nobody sees, to follow it or to differ.
type member struct {
	variable int32
	differs  bool
}

// mostTied bounds the things that each of those that one unseen thing ties is tied to.
const mostTied = 8

// ties returns those of a rule; none if many of its ground rules are of another kind.
func (v *view) ties(m *mrf.Model, rule int) (ties []tie) {
	var buffer mrf.RowBuffer
	all, told := 0, 0
	unseen := make(map[int32][]member)
	var order []int32
	for _, b := range m.Blocks {
		if b.Rule != rule {
			continue
		}
		for j := range b.Len {
			all++
			ids, coef := b.Row(j, &buffer)
			if len(ids) < 2 || len(b.InputRow(j)) > 0 {
				continue
			}
			if through, by, tied := v.through(ids, coef); tied {
				if told++; unseen[through] == nil {
					order = append(order, through)
				}
				unseen[through] = append(unseen[through], by)
				continue
			}
			found := v.spokes(ids, coef)
			if ties = append(ties, found...); len(found) > 0 {
				told++
			}
		}
	}
	if float64(told) < tying*float64(all) {
		return nil
	}
	for _, through := range order {
		members := unseen[through]
		ties = v.joined(ties, members)
		unknown := func(m member) bool { return !v.labelled[v.thing[m.variable]] }
		ties = v.joined(ties, slices.DeleteFunc(members, unknown))
	}
	return ties
}

// joined adds the ties of members with each other.
func (v *view) joined(ties []tie, members []member) []tie {
	for k, one := range members {
		for _, other := range members[k+1 : min(len(members), k+1+mostTied)] {
			ties = append(ties, v.tied(one.variable, other.variable, one.differs != other.differs, 1)...)
		}
	}
	return ties
}

// through returns the variable that nobody sees of a ground rule of two, and what that ties to it.
func (v *view) through(ids []int32, coef []float64) (unseen int32, by member, tied bool) {
	if len(ids) != 2 || (v.thing[ids[0]] < 0) == (v.thing[ids[1]] < 0) {
		return 0, by, false
	}
	one, other := ids[0], ids[1]
	if v.thing[one] < 0 {
		one, other = other, one
	}
	return other, member{one, coef[0]*coef[1] > 0}, !v.told[other]
}

// spokes returns the ties of a ground rule of two variables, or of one that says what the mean of others is like; none
// of other ground rules.
func (v *view) spokes(ids []int32, coef []float64) (ties []tie) {
	hub, sum, n := 0, 0.0, len(ids)
	for k, a := range coef {
		if sum += a; math.Abs(a) > math.Abs(coef[hub]) {
			hub = k
		}
	}
	if n > 2 && math.Abs(sum) > unbalanced*math.Abs(coef[hub]) {
		return nil
	}
	for k, i := range ids {
		if k == hub {
			continue
		}
		found := v.tied(ids[hub], i, coef[k]*coef[hub] > 0, 1/float64(n-1))
		if found == nil || n > 2 && found[0].by < 0 {
			return nil
		}
		ties = append(ties, found...)
	}
	return ties
}

// tied returns the tie of two variables; none if not both are of things that are seen, which are two, and of one class.
func (v *view) tied(one, other int32, differs bool, by float64) []tie {
	a, b := v.thing[one], v.thing[other]
	if a < 0 || b < 0 || a == b || v.class[one] != v.class[other] {
		return nil
	}
	if differs {
		by = -by
	}
	return []tie{{a, b, v.class[one], by}}
}

// finding is what ties show, and what they would show if the rule held, both beyond chance in standard deviations of
// that, and the logarithm of how many times likelier it is by chance.
type finding struct{ found, expected, chance float64 }

// doubts tells whether ties show no more than chance would, though they would if the rule held: those of things with
// labels by these, the others by what networks see. It also returns how much likelier that is by chance.
func (v *view) doubts(ties []tie, seed uint64) (chance float64, doubted bool) {
	alike := v.share(ties)
	known := v.agreement(ties, alike)
	others := slices.DeleteFunc(ties, func(t tie) bool { return v.labelled[t.a] && v.labelled[t.b] })
	seen := v.likeness(others, alike, seed)
	expected := math.Hypot(known.expected, seen.expected)
	found := (known.found*known.expected + seen.found*seen.expected) / expected
	chance = known.chance + seen.chance
	return chance, expected > 0 && found < chanceErrors && chance > doubtful
}

// share is that of ties that have to be as a rule says, beyond those that are by chance.
func (v *view) share(ties []tie) float64 {
	tied, ends := make(map[[2]int32]bool), make(map[int32]bool)
	for _, t := range ties {
		tied[[2]int32{min(t.a, t.b), max(t.a, t.b)}] = true
		ends[t.a], ends[t.b] = true, true
	}
	each := 2 * float64(len(tied)) / float64(max(1, len(ends)))
	return tiedAlike * math.Sqrt(min(1, fewTies/max(each, 1)))
}

// likeness is the evidence of what networks see, against things that are shuffled.
func (v *view) likeness(ties []tie, alike float64, seed uint64) (f finding) {
	if len(ties) == 0 || v.x == nil || v.trust.slope <= 0 {
		return f
	}
	for _, t := range ties {
		if f.expected += alike * t.by * v.alike[t.class]; t.by < 0 {
			f.expected -= alike * t.by * v.alike[t.class] * (1 + v.varied)
		}
	}
	place, open := make([]int32, v.things), make([]int32, 0, v.things)
	for k := range place {
		if place[k] = int32(k); !v.labelled[k] {
			open = append(open, int32(k))
		}
	}
	by := make([]float64, shuffles)
	f.found = v.shown(ties, place)
	random := rand.New(rand.NewPCG(seed, 0x646f756274))
	for s := range by {
		shuffled := slices.Clone(open)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for k, thing := range open {
			place[thing] = shuffled[k]
		}
		by[s] = v.shown(ties, place)
	}
	deviation := stat.StandardError(by) * math.Sqrt(shuffles)
	if deviation == 0 {
		return finding{}
	}
	f.found, f.expected = (f.found-stat.Mean(by))/deviation, f.expected/deviation
	f.chance = v.trust.chance(f.found, f.expected)
	f.expected *= v.trust.slope * v.trust.slope
	return f
}

// shown sums what ties show of things in some places.
func (v *view) shown(ties []tie, place []int32) (sum float64) {
	for _, t := range ties {
		a, b := int(place[t.a])*v.classes, int(place[t.b])*v.classes
		sum += t.by * v.x[a+int(t.class)] * v.x[b+int(t.class)]
	}
	return sum
}
