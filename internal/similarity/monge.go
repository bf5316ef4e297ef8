package similarity

// prepareMongeElkan compares by the mean, over the tokens of a, of the best Levenshtein similarity that a token of b
// has (Monge and Elkan 1996). The order of the strings matters.
func prepareMongeElkan(names []string, _ *Corpus) comparison {
	v := index(names, tokens)
	return &mongeElkan{vocabulary: v, spelled: spellAll(v.features), all: numbersTo(len(names))}
}

type mongeElkan struct {
	*vocabulary
	spelled []letters
	all     []int32
}

func (m *mongeElkan) worker() worker { return &mongeElkanWorker{mongeElkan: m, at: -1} }

// mongeElkanWorker keeps the similarities of one string's tokens with all tokens there are: a token is compared with
// another once per string, not once per pair of strings.
type mongeElkanWorker struct {
	*mongeElkan
	editor editor
	at     int // the string whose rows these are
	rows   [][]float64
}

func (w *mongeElkanWorker) compare(i, j int) float64 {
	if w.at != i {
		w.compareTokens(i)
	}
	sum, total := 0.0, int32(0)
	for k, o := range w.docs[i] {
		best := 0.0
		for _, other := range w.docs[j] {
			best = max(best, w.rows[k][other.feature])
		}
		sum += float64(o.count) * best
		total += o.count
	}
	if total == 0 {
		return 0
	}
	return sum / float64(total)
}

// compareTokens fills the rows of string i.
func (w *mongeElkanWorker) compareTokens(i int) {
	w.at = i
	for k, o := range w.docs[i] {
		if k == len(w.rows) {
			w.rows = append(w.rows, make([]float64, len(w.features)))
		}
		w.editor.setPattern(w.spelled[o.feature].runes)
		for t := range w.spelled {
			text := w.spelled[t].runes
			w.rows[k][t] = closeness(w.editor.distance(text), max(len(w.editor.pattern), len(text)))
		}
	}
}

// candidates are all strings: two that share no token, and no bigram, can still be similar.
func (w *mongeElkanWorker) candidates(int, float64) []int32 { return w.all }
