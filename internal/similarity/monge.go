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

// maxRows bounds the rows: the tokens behind are compared anew each time, so that long texts take linear memory.
const maxRows = 64

func (w *mongeElkanWorker) compare(i, j int) float64 {
	if w.at != i {
		w.compareTokens(i)
	}
	sum, total := 0.0, int32(0)
	for k, o := range w.docs[i] {
		sum += float64(o.count) * w.best(k, o.feature, w.docs[j])
		total += o.count
	}
	if total == 0 {
		return 0
	}
	return sum / float64(total)
}

// best returns the largest similarity of string i's token at place k with one of doc.
func (w *mongeElkanWorker) best(k int, own int32, doc []occurrence) (best float64) {
	if k < maxRows {
		for _, other := range doc {
			best = max(best, w.rows[k][other.feature])
		}
		return best
	}
	w.editor.setPattern(w.spelled[own].runes)
	for _, other := range doc {
		best = max(best, w.editor.closeness(w.spelled[other.feature].runes))
	}
	return best
}

// compareTokens fills the rows of string i.
func (w *mongeElkanWorker) compareTokens(i int) {
	w.at = i
	for k, o := range w.docs[i][:min(maxRows, len(w.docs[i]))] {
		if k == len(w.rows) {
			w.rows = append(w.rows, make([]float64, len(w.features)))
		}
		w.editor.setPattern(w.spelled[o.feature].runes)
		for t := range w.spelled {
			w.rows[k][t] = w.editor.closeness(w.spelled[t].runes)
		}
	}
}

// candidates are all strings: two that share no token, and no bigram, can still be similar.
func (w *mongeElkanWorker) candidates(int, float64) []int32 { return w.all }
