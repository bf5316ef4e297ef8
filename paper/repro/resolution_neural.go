package repro

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/report"
	"github.com/deeppsl/deeppsl/internal/task"
	"github.com/deeppsl/deeppsl/paper/published"
)

//go:embed resolution-neural.json
var neuralConfig string

//go:embed resolution-network.psl
var networkRules []byte

// Twins are the networks of entity resolution.
type Twins struct {
	// Names and Titles are what the twins read: characters, grams, symbols or vectors, or several joined with +.
	Names, Titles string
	// NameMeasures and TitleMeasures are string similarities that the distance layers see beside the twins.
	NameMeasures, TitleMeasures []string
	Hidden                      int
	Dropout                     float64 // negative: none
	// TitleDecay is the weight decay of the titles' network; 0 takes that of the options, which the names' has.
	TitleDecay float64
}

// neuralResolution is a project of entity resolution with twins: fold 0 to learn, fold 1 to infer.
type neuralResolution struct {
	folds [2]*resolution
	Twins
	Rules string // resolution.psl, or the networks alone
	// UnitWeights begins with rule weights of 1 in place of those of the baselines.
	UnitWeights bool
	Options     []task.Option
	vectors     wordMeans
}

// ruleWeight is the weight that a rule begins with.
var ruleWeight = regexp.MustCompile(`(?m)^[0-9.]+:`)

// TwinFeatures are what Names and Titles may be.
var TwinFeatures = []string{"characters", "grams", "symbols", "vectors"}

// NameScale and TitleScale are the scaling of the features: the paper's are as they are.
func (n *neuralResolution) NameScale() string  { return scaleOf(n.Names) }
func (n *neuralResolution) TitleScale() string { return scaleOf(n.Titles) }

func scaleOf(features string) string {
	if strings.Contains(features, "grams") || strings.Contains(features, "symbols") {
		return "l2"
	}
	return "none"
}

// write writes the project's files, with the truth of one division, and returns the configuration's path.
func (n *neuralResolution) write(dir string, truth []truthTable) (config string, err error) {
	files := map[string][]byte{"resolution.psl": resolutionRules, "network.psl": networkRules}
	if n.UnitWeights {
		files["resolution.psl"] = ruleWeight.ReplaceAll(resolutionRules, []byte("1.0:"))
	}
	if files["resolution.json"], err = n.config(); err != nil {
		return "", err
	}
	if files["data/names.tsv"], err = n.features(n.Names, (*resolution).names); err != nil {
		return "", err
	}
	if files["data/titles.tsv"], err = n.features(n.Titles, (*resolution).titles); err != nil {
		return "", err
	}
	for k, fold := range n.folds {
		for name, data := range fold.tables() {
			files[fmt.Sprintf("data/%s-%d.tsv", name, k)] = data
		}
	}
	for _, t := range truth {
		files[fmt.Sprintf("data/%s-%s.tsv", lowerFirst(t.predicate), t.phase)] = task.Table(t.rows)
	}
	for name, data := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			return "", err
		}
		if err := report.WriteFile(filepath.Join(dir, name), data); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "resolution.json"), nil
}

func (n *neuralResolution) config() ([]byte, error) {
	t, err := template.New("resolution.json").Funcs(task.Functions).Funcs(template.FuncMap{
		"folds": func(name string) string {
			return fmt.Sprintf(`{"learn": ["data/%s-0.tsv"], "validation": ["data/%[1]s-0.tsv"], "infer": ["data/%[1]s-1.tsv"]}`,
				name)
		},
		"truth": func(name string) string {
			return fmt.Sprintf(`{"learn": ["data/%s-learn.tsv"], "validation": ["data/%[1]s-validation.tsv"]}`, name)
		},
	}).Parse(neuralConfig)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, n)
	return b.Bytes(), err
}

func lowerFirst(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// tables are a fold's observations and targets, by name.
func (r *resolution) tables() map[string][]byte {
	return map[string][]byte{"authorName": named(r.AuthorName), "paperTitle": named(r.PaperTitle),
		"authorOf": pairTable(r.AuthorOf), "authorBlock": r.blocks(), "paperBlock": pairTable(r.papers),
		"sameAuthor": pairTable(r.authors)}
}

func (r *resolution) names() []string  { return textsOf(r.AuthorName) }
func (r *resolution) titles() []string { return textsOf(r.PaperTitle) }

func textsOf(items []published.Named) []string {
	texts := make([]string, len(items))
	for k, item := range items {
		texts[k] = item.Text
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// features writes the table of all different texts of both folds.
func (n *neuralResolution) features(kind string, texts func(*resolution) []string) ([]byte, error) {
	learn := texts(n.folds[0])
	var parts []featurizer
	for name := range strings.SplitSeq(kind, "+") {
		switch name {
		case "characters":
			parts = append(parts, oneHot{})
		case "grams":
			parts = append(parts, newGrams(learn, wordGrams))
		case "symbols":
			parts = append(parts, newGrams(learn, symbolGrams))
		case "vectors":
			parts = append(parts, n.vectors)
		default:
			return nil, fmt.Errorf("no features %q: want %s or several joined with +", name, strings.Join(TwinFeatures, ", "))
		}
	}
	all := append(slices.Clone(learn), texts(n.folds[1])...)
	slices.Sort(all)
	return featureTable(slices.Compact(all), parts...), nil
}

// readsVectors tells whether any network reads word vectors.
func (t *Twins) readsVectors() bool {
	return strings.Contains(t.Names+t.Titles, "vectors")
}

// setTruthTables replaces what a project learns from.
func setTruthTables(project *project.Project, tables []truthTable) error {
	for _, t := range tables {
		if err := project.SetTruth(t.phase, t.predicate, t.rows); err != nil {
			return err
		}
	}
	return nil
}

// override returns the networks with what is asked for in place of their own; the list "none" means no measures.
func (t Twins) override(asked Twins) Twins {
	measures := func(own, asked []string) []string {
		switch {
		case slices.Equal(asked, []string{"none"}):
			return nil
		case len(asked) > 0:
			return asked
		}
		return own
	}
	return Twins{Names: cmp.Or(asked.Names, t.Names), Titles: cmp.Or(asked.Titles, t.Titles),
		NameMeasures:  measures(t.NameMeasures, asked.NameMeasures),
		TitleMeasures: measures(t.TitleMeasures, asked.TitleMeasures),
		Hidden:        cmp.Or(asked.Hidden, t.Hidden), Dropout: max(0, cmp.Or(asked.Dropout, t.Dropout)),
		TitleDecay: cmp.Or(asked.TitleDecay, t.TitleDecay)}
}
