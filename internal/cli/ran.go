package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/learn"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/perceive"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/source"
	"github.com/deeppsl/deeppsl/internal/training"
)

// ran is the result of a run.
type ran struct {
	*engine.Report
	summary
	Atoms     []session.Atom `json:"atoms,omitempty"` // all that were inferred, if they were asked for
	showAtoms bool
}

// shownAtoms is how many atoms the text shows if they are not written to files.
const shownAtoms = 20

// Text prints the answer, its proof, the counts and the scores.
func (r ran) Text(w io.Writer) error {
	r.proof(w)
	if t := r.Training; t != nil {
		fmt.Fprint(w, coded(r.Coded))
		fmt.Fprint(w, r.ended(), heldOut(t.CrossFit))
		fmt.Fprint(w, compared(t.Compared))
		r.known(w)
	}
	if r.Training != nil && r.ExamplesOf == load.Learn.String() {
		fmt.Fprintln(w, "there are no examples of inference: those of learning were inferred and scored")
	}
	each := ""
	if r.Predictions != nil {
		if each = fmt.Sprintf("%d examples, each of ", r.Examples); r.Shapes > 1 {
			each = fmt.Sprintf("%d examples of %d shapes, the first of ", r.Examples, r.Shapes)
		}
		if all := r.Predictions.Examples; r.Examples < all {
			each = fmt.Sprintf("%d of %d examples, each of ", r.Examples, all)
		}
	}
	fmt.Fprintf(w, "%s%d variables, %d ground rules, seed %d\n", each, r.Variables, r.GroundRules, r.Seed)
	if p := r.Presolve; p != nil {
		fmt.Fprintf(w, "presolved: %d variables fixed and %d tied, %d ground rules dropped and %d merged\n", p.Fixed, p.Tied,
			p.Dropped, p.Merged)
	}
	if c := r.Components; c != nil && c.Apart {
		fmt.Fprintf(w, "solved apart: %d components, the largest of %d ground rules\n", c.Count, c.Largest)
	}
	if r.Scratch > 0 {
		fmt.Fprintf(w, "kept the ground rules in a temporary file of %s\n", report.FormatBytes(float64(r.Scratch)))
	}
	fmt.Fprintf(w, "load %s, ground %s, learn %s, solve %s\n\n", seconds(r.Seconds.Load), seconds(r.Seconds.Ground),
		seconds(r.Seconds.Learn), seconds(r.Seconds.Solve))
	if err := r.predicates(w); err != nil {
		return err
	}
	rules := r.rules()
	if r.CostByRule == nil {
		rules = countTable(r.GroundRulesByRule, r.RuleWeights)
	}
	if err := rules.Text(w); err != nil {
		return err
	}
	var last strings.Builder
	if infeasible(r.Report) {
		r.conflict(&last)
	} else {
		r.scores(&last)
	}
	if last.Len() > 0 {
		fmt.Fprint(w, "\n", last.String())
	}
	return nil
}

// proof prints how good the answer is, and which method found it and why.
func (r ran) proof(w io.Writer) {
	switch {
	case infeasible(r.Report):
		fmt.Fprintf(w, "infeasible: any assignment violates a hard rule, by %s\n", r.Method)
	case r.LearnedAlone():
		fmt.Fprintf(w, "%s: nothing was inferred; -l -i infers with what is learned\n", r.Status)
	case r.Answer == nil:
		fmt.Fprintf(w, "%s: nothing was inferred\n", r.Status)
	case r.Predictions != nil:
		fmt.Fprintf(w, "%s: objectives add up to %.6g, at least %.6g (largest gap %.1e, largest violation %.1e), by %s\n",
			r.Status, r.Objective, r.DualBound, r.Gap, r.MaxViolation, r.Method)
	case r.Answer.Violated:
		fmt.Fprintf(w, "%s: no feasible point yet, hard rules are violated by up to %.1e (no feasible point costs less than "+
			"%.6g), by %s\n", r.Status, r.MaxViolation, r.DualBound, r.Method)
	default:
		fmt.Fprintf(w, "%s: objective %.6g, at least %.6g (gap %.1e, largest violation %.1e), by %s\n",
			r.Status, r.Objective, r.DualBound, r.Gap, r.MaxViolation, r.Method)
	}
	if r.Answer != nil && !math.IsInf(r.AtomError, 0) {
		fmt.Fprintf(w, "no atom is further than %.1e from its value at the optimum\n", r.AtomError)
	}
	if r.Reason != "" {
		fmt.Fprintf(w, "%s: %s\n", r.Method, r.Reason)
	}
}

// coded says which columns of numbers networks see value by value, too.
func coded(all []perceive.Coded) string {
	text := ""
	for _, c := range all {
		text += fmt.Sprintf("network %s sees numbers of %s one by one, too, as names: what is known differs between them "+
			`more than by their order; "categories": [] turns that off`+"\n", c.Network, strings.Join(c.Columns, ", "))
	}
	return text
}

// ended says why learning did.
func (r ran) ended() string {
	if c := r.Training.CrossFit; r.Epochs == 0 && c != nil && c.Folds > 0 && r.Training.Ended == learn.Completed {
		return "learning ended before epochs end to end: by labels held out they are no better\n"
	}
	return fmt.Sprintf("learning ended after %s: %s\n", source.Count(r.Epochs, "epoch"), r.Training.Ended.Sentence())
}

// heldOut says what learning chose by labels that its networks had not seen.
func heldOut(c *training.CrossFit) string {
	if c == nil {
		return ""
	}
	by, chosen := "the truth of validation", []string{source.Count(c.Rounds, "round") + " of learning what is inferred"}
	if c.DecayFactor != 0 && c.DecayFactor != 1 {
		chosen = append([]string{fmt.Sprintf("%g times the decay", c.DecayFactor)}, chosen...)
	}
	if c.Shared {
		chosen = append(chosen, "classes as common as labels have it")
	}
	epochs := source.Count(c.Epochs, "epoch")
	if c.Smooth {
		epochs += " as if all rules had ^2"
	}
	if c.Folds > 0 {
		by = "labels held out in " + source.Count(c.Folds, "fold")
		chosen = append(chosen, epochs+" end to end")
	}
	if c.Afresh {
		return fmt.Sprintf("%s chose to learn end to end from the beginning, in %s\n", by, epochs)
	}
	along := ""
	if c.Together {
		along = "networks are fitted to labels of theirs and to what follows from what several see, at once\n"
	}
	if len(c.Doubted) > 0 {
		along += fmt.Sprintf("doubted, as what networks see of tied things is no more alike than by chance: rules %s\n",
			strings.Trim(fmt.Sprint(c.Doubted), "[]"))
	}
	for _, p := range c.Propagated {
		along += fmt.Sprintf("network %s propagates along %s, as labels held out are told better by it: loss %.4f, %.4f "+
			"without; -D learn.propagate=false turns that off\n", p.Network, p.Along, p.Loss, p.Without)
	}
	return fmt.Sprintf("%s chose %s: loss %.4f\n%s", by, strings.Join(chosen, ", "), c.Taught, along)
}

// compared says whether the weights of rules were learned, or kept as they are written.
func compared(c *training.Comparison) string {
	if c == nil {
		return ""
	}
	scores, which := "", "as written"
	if c.Learned {
		which = "as learned by " + c.Method
	}
	if !math.IsNaN(c.WrittenScore) {
		scores = fmt.Sprintf("score %.4f, as written %.4f; ", c.LearnedScore, c.WrittenScore)
	}
	return fmt.Sprintf("weights %s: %s (%sloss %.4f, as written %.4f)\n", which, c.Reason, scores, c.LearnedLoss,
		c.WrittenLoss)
}

// known says what inference knew of the labels learned from.
func (r ran) known(w io.Writer) {
	switch {
	case r.Known > 0 && r.Rehearsed != nil && r.Rehearsed.Known:
		fmt.Fprintf(w, "inference knew %d values that were learned from: labels held out are told better by it; "+
			"-D inference.known=false forgets them\n", r.Known)
	case r.Known > 0:
		fmt.Fprintf(w, "inference knew %d values that were learned from\n", r.Known)
	case r.Contradicted:
		fmt.Fprintln(w, "hard rules contradict the values that were learned from, so inference did not know them")
	case r.Unknown > 0 && r.Rehearsed != nil && !r.Rehearsed.Known:
		fmt.Fprintf(w, "inference did not know the %d values that were learned from: labels held out are not told better by "+
			"more than chance if it does; -D inference.known=true lets rules spread them\n", r.Unknown)
	case r.Unknown > 0:
		fmt.Fprintf(w, "inference did not know the %d values that were learned from; -D inference.known=true lets rules "+
			"spread them\n", r.Unknown)
	}
}

// conflict prints why there is no answer.
func (r ran) conflict(w io.Writer) {
	fmt.Fprint(w, "These hard ground rules cannot hold together")
	if r.ConflictIn != "" {
		fmt.Fprint(w, ", in "+r.ConflictIn)
	}
	fmt.Fprintln(w, ":")
	for k, line := range r.Conflict {
		if k == shownAtoms {
			fmt.Fprintf(w, "  and %d more; --json lists all of them\n", len(r.Conflict)-k)
			break
		}
		fmt.Fprintf(w, "  %s\n", line)
	}
}

// scores prints the evaluations, and the first atoms if all are not written to files.
func (r ran) scores(w io.Writer) {
	for _, e := range r.Evaluations {
		fmt.Fprintf(w, "%s, %s: %s (%d scored)\n", e.Predicate, e.Evaluator, valuesOf(e), e.Count)
		if learned := e.Learned; learned != nil {
			fmt.Fprintf(w, "  true from %.4g on, as the labels learned from have it; from %.4g on, %s is %.4f\n",
				learned.Threshold, learned.Default, e.Primary, learned.Value)
		}
		if best := e.Best; best != nil && best.Threshold != best.Default {
			fmt.Fprintf(w, "  %s %.4f with the threshold %.4g instead of %.4g\n", e.Primary, best.Value, best.Threshold,
				best.Default)
		}
		if rarest := e.Rarest; rarest != nil {
			fmt.Fprintf(w, "  of %s, %.1f %% of them: AUROC %.4f (%.4f to %.4f), F1 %.4f with the threshold %.4g\n",
				rarest.Category, 100*rarest.Share, rarest.AUROC, rarest.Interval[0], rarest.Interval[1],
				rarest.Best.Value, rarest.Best.Threshold)
		}
	}
	if r.Atoms != nil || r.showAtoms && r.Predictions == nil && r.Answer != nil {
		r.atoms(w)
	}
}

// valuesOf prints an evaluation's numbers, the primary one first.
func valuesOf(e session.Evaluation) string {
	names := make([]string, 0, len(e.Values))
	for name := range e.Values {
		names = append(names, name)
	}
	sort.Strings(names)
	if at := slices.Index(names, e.Primary); at > 0 {
		names = slices.Insert(slices.Delete(names, at, at+1), 0, e.Primary)
	}
	parts := make([]string, len(names))
	for k, name := range names {
		parts[k] = fmt.Sprintf("%s %.4f", name, e.Values[name])
		if interval, ok := e.Intervals[name]; ok {
			parts[k] += fmt.Sprintf(" (%.4f to %.4f)", interval[0], interval[1])
		}
	}
	return strings.Join(parts, ", ")
}

// atoms prints all atoms if they were asked for, and otherwise the first targets.
func (r ran) atoms(w io.Writer) {
	if len(r.Evaluations) > 0 {
		fmt.Fprintln(w)
	}
	if r.Atoms != nil {
		for _, a := range r.Atoms {
			printAtom(w, a)
		}
		return
	}
	if n := r.Variables; n > shownAtoms && r.ByPredicate != nil { // which names the largest
		fmt.Fprintf(w, "--atoms prints the values of all %d atoms, -o DIR writes them\n", n)
		return
	}
	n := 0
	r.Grounding.Each(r.Answer, false, func(a session.Atom) {
		if n++; n <= shownAtoms {
			printAtom(w, a)
		}
	})
	if n > shownAtoms {
		fmt.Fprintf(w, "and %d more; -o DIR writes all of them\n", n-shownAtoms)
	}
}

func printAtom(w io.Writer, a session.Atom) {
	fmt.Fprintf(w, "%s('%s') = %.4f\n", strings.ToUpper(a.Predicate), strings.Join(a.Arguments, "', '"), a.Value)
}

// countTable shows what became of each rule's groundings, with the rules' weights if they are given.
func countTable(counts []session.RuleCount, weights []float64) *report.Table {
	if weights == nil {
		table := report.NewTable("ground rules", "trivial", "constant", "discarded", "rule")
		for _, c := range counts {
			table.Row(c.Kept, c.Trivial, c.Constant, c.Discarded, c.Rule)
		}
		return table
	}
	table := report.NewTable("weight", "ground rules", "trivial", "constant", "discarded", "rule")
	for k, c := range counts {
		weight := report.Number("hard")
		if !c.Hard {
			weight = report.Number(fmt.Sprintf("%.3g", weights[k]))
		}
		table.Row(weight, c.Kept, c.Trivial, c.Constant, c.Discarded, c.Rule)
	}
	return table
}
