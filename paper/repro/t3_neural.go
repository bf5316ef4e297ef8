package repro

import (
	"context"
	"os"
	"path/filepath"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/eval"
	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/session"
	"github.com/deeppsl/deeppsl/internal/task"
	"github.com/deeppsl/deeppsl/internal/training"
)

// neuralMethods are the methods with networks: alone, and within the rules.
var neuralMethods = []string{"network", "deeppsl"}

// printedTwins are the networks as the paper describes them.
var printedTwins = Twins{Names: "characters", Titles: "vectors", Hidden: 50}

// chosenTwins are those that the held-out third of the learning fold chose; docs/results.md has the others.
var chosenTwins = Twins{Names: "grams", Titles: "symbols", Hidden: 8, Dropout: 0.2, TitleDecay: 1e-6,
	NameMeasures: []string{"SoftTFIDF", "Jaccard", "Cosine", "MongeElkan", "JaroWinkler", "SameInitials",
		"JaccardLetters"},
	TitleMeasures: []string{"SoftTFIDF", "Levenshtein", "SameNumbers", "JaccardLetters", "SameLetters"}}

// learnedRun is one run of a method with networks.
type learnedRun struct {
	authors, papers *Resolved
	validation      [2]float64 // F1 of the held-out authors and papers
	training        []*training.Training
	test            *foldAnswer
}

// runNeural trains on fold 0 and scores fold 1, once for each seed.
func (t *T3) runNeural(ctx context.Context, result *T3Result) error {
	n, err := t.neuralProject(result)
	if err != nil {
		return err
	}
	dir := t.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "deeppsl-t3-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	project, err := t.load(n, dir)
	if err != nil {
		return err
	}
	learn, err := engine.Ground(ctx, project, load.Learn)
	if err != nil {
		return err
	}
	test, err := engine.Ground(ctx, project, load.Infer)
	if err != nil {
		return err
	}
	result.GroundRules = foldCounts{Train: learn.Potentials(), Test: test.Potentials()}
	result.ByRule = test.Counts()
	var runs []*learnedRun
	for k := range t.Runs {
		t.stage("run %d of %d", k+1, t.Runs)
		run, err := t.learnOnce(ctx, n, project, [2]*session.Grounding{learn, test}, t.Seed+uint64(k))
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	result.sum(runs)
	return nil
}

// learnOnce is one run: a division, initial weights, training and the answer about the test fold. As printed, one part
// is held out and chooses the epoch; otherwise each in turn, and with the epochs that are best for all of them, the
// networks learn anew from the whole fold.
func (t *T3) learnOnce(ctx context.Context, n *neuralResolution, project *project.Project, folds [2]*session.Grounding,
	seed uint64) (*learnedRun, error) {
	learn, test := folds[0], folds[1]
	run := new(learnedRun)
	held, err := t.holdOut(ctx, n, project, learn, seed, run)
	if err != nil {
		return nil, err
	}
	if !t.Faithful {
		fitEpochs, epochs := keptFit(run.training), kept(run.training)
		t.stage("from the whole fold, for %d and %d epochs", fitEpochs, epochs)
		again, err := training.Relearn(ctx, learn, run.training[len(run.training)-1], fitEpochs, epochs)
		if err != nil {
			return nil, err
		}
		run.training = append(run.training, again)
	}
	if err := test.Adopt(learn); err != nil {
		return nil, err
	}
	if run.test, err = t.answer(ctx, n.folds[1], test); err != nil {
		return nil, err
	}
	run.authors = resolve(run.test.authorQuestion(), held.authors)
	run.papers = resolve(run.test.paperQuestion(), held.papers)
	run.validation = [2]float64{held.authors.score(0.5, all).F1, held.papers.score(0.5, all).F1}
	t.stage("seed %d: F1 of authors %.4f, of papers %.4f; held out %.4f, %.4f", seed, run.authors.Half.F1,
		run.papers.Half.F1, run.validation[0], run.validation[1])
	return run, nil
}

// holdOut learns without one part, or without each in turn, and collects what is inferred about these.
func (t *T3) holdOut(ctx context.Context, n *neuralResolution, project *project.Project, learn *session.Grounding,
	seed uint64, run *learnedRun) (*heldOut, error) {
	d, held := n.folds[0].divide(seed), newHeldOut(n.folds[0])
	for part := range parts {
		if part > 0 && t.Faithful {
			break
		}
		t.stage("part %d of %d of the learning fold is held out", part+1, parts)
		if err := setTruthTables(project, n.folds[0].truth(d, part)); err != nil {
			return nil, err
		}
		training, err := t.learn(ctx, learn, seed)
		if err != nil {
			return nil, err
		}
		run.training = append(run.training, training)
		answer, err := t.pairs(n.folds[0], learn, training.Chosen)
		if err != nil {
			return nil, err
		}
		held.add(answer, d, part)
	}
	return held, nil
}

// learn trains with new initial weights.
func (t *T3) learn(ctx context.Context, g *session.Grounding, seed uint64) (*training.Training, error) {
	if err := g.Reset(seed); err != nil {
		return nil, err
	}
	if t.Method == "network" {
		return training.Fit(ctx, g)
	}
	return training.Train(ctx, g)
}

// answer infers on a fold.
func (t *T3) answer(ctx context.Context, fold *resolution, g *session.Grounding) (*foldAnswer, error) {
	answer, err := g.Infer(ctx)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return t.pairs(fold, g, answer)
}

// pairs takes a fold's pairs out of an answer. The networks alone answer with what they perceive.
func (t *T3) pairs(fold *resolution, g *session.Grounding, answer *session.Answer) (*foldAnswer, error) {
	out := &foldAnswer{resolution: fold, sameAuthor: map[pair]float64{}, samePaper: map[pair]float64{},
		gap: answer.Gap, seconds: answer.Elapsed.Seconds()}
	if t.Method == "network" {
		out.perceived(g, answer)
		return out, nil
	}
	return out, out.collect(g, answer)
}

// perceived takes what the networks say of pairs of different references.
func (a *foldAnswer) perceived(g *session.Grounding, answer *session.Answer) {
	alike := map[string]map[[2]string]float64{"SimName": {}, "SimTitle": {}}
	g.Each(answer, true, func(atom session.Atom) {
		if values := alike[atom.Predicate]; values != nil {
			values[[2]string(atom.Arguments)] = atom.Value
		}
	})
	names := map[int]string{}
	for _, author := range a.AuthorName {
		names[author.ID] = author.Text
	}
	for _, kind := range []struct {
		pairs  [][2]int
		text   map[int]string
		alike  map[[2]string]float64
		values map[pair]float64
	}{{a.authors, names, alike["SimName"], a.sameAuthor}, {a.papers, a.title, alike["SimTitle"], a.samePaper}} {
		for _, p := range kind.pairs {
			if p[0] != p[1] {
				kind.values[newPair(p[0], p[1])] += kind.alike[[2]string{kind.text[p[0]], kind.text[p[1]]}] / 2
			}
		}
	}
}

// load writes the project's files and loads it.
func (t *T3) load(n *neuralResolution, dir string) (*project.Project, error) {
	path, err := n.write(filepath.Join(dir, t.Method), n.folds[0].truth(n.folds[0].divide(t.Seed), 0))
	if err != nil {
		return nil, err
	}
	return project.Load(path, project.Options{Seed: t.Seed, Threads: t.Threads, Set: t.Set, OnEpoch: t.OnEpoch})
}

// neuralProject describes the project of a method.
func (t *T3) neuralProject(result *T3Result) (*neuralResolution, error) {
	folds, cache, err := t.folds()
	if err != nil {
		return nil, err
	}
	own := chosenTwins
	if t.Faithful {
		own = printedTwins
	}
	n := &neuralResolution{folds: folds, Twins: own.override(t.Twins), Rules: "resolution.psl",
		UnitWeights: t.Faithful, Options: task.OfRun(t.options(), t.Set, t.Seed)}
	if t.Method == "network" {
		n.Rules = "network.psl"
	}
	if n.readsVectors() {
		n.vectors, result.Vectors, err = t.wordMeans(cache, folds)
	}
	return n, err
}

// options are the settings of learning: the paper's, or those that held-out pairs chose. Against the paper's, networks
// are fitted to the pairs' labels alone at first, and the derivative through the answer is the exact one.
func (t *T3) options() []task.Option {
	switch {
	case t.Faithful && t.Method == "network": // with more decay, they say no to every pair
		return task.Set("learn.loss", "binary-cross-entropy", "network.rate", "0.1", "network.decay", "1e-6",
			"network.epochs", "100")
	case t.Faithful:
		return task.Set("learn.loss", "binary-cross-entropy", "learn.method", "deeppsl", "learn.alpha", "5e-3",
			"learn.mu", "0", "learn.epochs", "100", "learn.steps", "2", "learn.optimiser", "adagrad",
			"learn.rate.rules", "25e-3", "learn.rate.networks", "5e-2", "learn.decay", "1e-3", "network.epochs", "0")
	}
	alone := task.Set("learn.loss", "binary-cross-entropy", "network.rate", "0.05", "network.decay", "1e-4",
		"network.epochs", "400", "network.patience", "0")
	if t.Method == "network" {
		return alone
	}
	return append(alone, task.Set("learn.method", "implicit", "learn.epochs", "14", "learn.steps", "5",
		"learn.rate.rules", "0.1", "learn.rate.networks", "1e-3", "learn.decay", "1e-4")...)
}

// sum computes the statistics of the runs, and keeps the first one's details.
func (r *T3Result) sum(runs []*learnedRun) {
	column := func(of func(*learnedRun) float64) (values []float64) {
		for _, run := range runs {
			values = append(values, of(run))
		}
		return values
	}
	mean := func(of func(*learnedRun) float64) (m Mean) {
		m.Mean, m.CI95 = eval.Interval(column(of))
		return m
	}
	r.Authors, r.Papers, r.Gap = runs[0].authors, runs[0].papers, runs[0].test.gap
	r.AuthorF1 = mean(func(run *learnedRun) float64 { return run.authors.Half.F1 })
	r.PaperF1 = mean(func(run *learnedRun) float64 { return run.papers.Half.F1 })
	r.AuthorChosen = mean(func(run *learnedRun) float64 { return run.authors.Chosen.F1 })
	r.PaperChosen = mean(func(run *learnedRun) float64 { return run.papers.Chosen.F1 })
	r.AuthorValidation = mean(func(run *learnedRun) float64 { return run.validation[0] })
	r.PaperValidation = mean(func(run *learnedRun) float64 { return run.validation[1] })
	r.PaperUnseen = mean(func(run *learnedRun) float64 { return run.papers.Unseen.F1 })
	r.AuthorClustered = mean(func(run *learnedRun) float64 { return run.authors.Clusters.Pairwise.F1 })
	r.PaperClustered = mean(func(run *learnedRun) float64 { return run.papers.Clusters.Pairwise.F1 })
	r.Precision = [2]float64{mean(func(run *learnedRun) float64 { return run.authors.Half.Precision }).Mean,
		mean(func(run *learnedRun) float64 { return run.papers.Half.Precision }).Mean}
	r.Recall = [2]float64{mean(func(run *learnedRun) float64 { return run.authors.Half.Recall }).Mean,
		mean(func(run *learnedRun) float64 { return run.papers.Half.Recall }).Mean}
	r.InferenceSeconds = median(column(func(run *learnedRun) float64 { return run.test.seconds }))
	var epochs, gradients []float64
	r.TrainSeconds = median(column(func(run *learnedRun) (seconds float64) {
		for _, training := range run.training {
			seconds += training.Elapsed.Seconds()
			for _, epoch := range training.Epochs {
				epochs = append(epochs, epoch.Inference+epoch.Gradient)
				gradients = append(gradients, epoch.Gradient)
			}
		}
		return seconds
	}))
	if len(epochs) > 0 {
		r.EpochSeconds, r.GradientSeconds = median(epochs), median(gradients)
	}
	r.PeakRSS = report.PeakRSS()
}
