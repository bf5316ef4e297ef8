package similarity

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/adrg/strutil/metrics"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/deeppsl/deeppsl/internal/rapidtest"
)

// TestPublished compares with values from the literature, or worked out by hand where it prints none.
func TestPublished(t *testing.T) {
	for _, test := range []struct {
		measure, a, b string
		want          float64
	}{
		// Levenshtein 1966: three edits, two edits.
		{"Levenshtein", "kitten", "sitting", 1 - 3.0/7},
		{"Levenshtein", "Saturday", "Sunday", 1 - 3.0/8},
		{"Levenshtein", "flaw", "lawn", 1 - 2.0/4},
		{"Levenshtein", "Köln", "Koeln", 1 - 2.0/5},
		// Winkler 1990, table 1; Winkler 2006.
		{"Jaro", "MARTHA", "MARHTA", 0.944}, {"JaroWinkler", "MARTHA", "MARHTA", 0.961},
		{"Jaro", "DIXON", "DICKSONX", 0.767}, {"JaroWinkler", "DIXON", "DICKSONX", 0.813},
		{"Jaro", "DWAYNE", "DUANE", 0.822}, {"JaroWinkler", "DWAYNE", "DUANE", 0.840},
		{"Jaro", "JONES", "JOHNSON", 0.790}, {"JaroWinkler", "JONES", "JOHNSON", 0.832},
		{"Jaro", "ABROMS", "ABRAMS", 0.889}, {"JaroWinkler", "ABROMS", "ABRAMS", 0.922},
		{"Jaro", "DUNNINGHAM", "CUNNIGHAM", 0.896}, {"JaroWinkler", "DUNNINGHAM", "CUNNIGHAM", 0.896},
		{"Jaro", "NICHLESON", "NICHULSON", 0.926}, {"JaroWinkler", "NICHLESON", "NICHULSON", 0.956},
		{"Jaro", "MASSEY", "MASSIE", 0.889}, {"JaroWinkler", "MASSEY", "MASSIE", 0.933},
		{"Jaro", "HARDIN", "MARTINEZ", 0.722}, {"JaroWinkler", "HARDIN", "MARTINEZ", 0.722},
		{"Jaro", "ITMAN", "SMITH", 0.467}, {"JaroWinkler", "ITMAN", "SMITH", 0.467},
		{"Jaro", "CRATE", "TRACE", 0.733},
		// Dice's coefficient of bigrams: the standard example shares "ht" of 4 and 4.
		{"Dice", "night", "nacht", 0.25}, {"JaccardBigrams", "night", "nacht", 1.0 / 7},
		{"JaccardLetters", "Memory-based", "memory based.", 1}, {"JaccardLetters", "N. Ight", "nacht", 1.0 / 7},
		{"Jaccard", "The quick brown fox", "the slow brown fox", 3.0 / 5},
		{"DiceTokens", "The quick brown fox", "the slow brown fox", 6.0 / 8},
		{"Cosine", "a a b", "b a", 3 / math.Sqrt(10)},
		{"Cosine", "Julie loves me more than Linda loves me", "Jane likes me more than Julie loves me", 0.822},
		// The mean over the first string's tokens of the best match of each: paule is one edit from
		// paul, and johson one from johnson; paul and johnson share nothing.
		{"MongeElkan", "paul johnson", "johson paule", (0.8 + 6.0/7) / 2},
		{"MongeElkan", "paul", "paul johnson", 1},
		{"MongeElkan", "paul johnson", "paul", 0.5},
		{"SameInitials", "Knuth, Donald E.", "D. E. Knuth", 1}, {"SameInitials", "D. Knuth", "D. E. Knuth", 0},
		{"SameLetters", "Memory-based.", "memory based", 1}, {"SameLetters", "Memory-based.", "memory bases", 0},
		{"SameNumbers", "12 Main Street", "Main St. 12", 1}, {"SameNumbers", "12 Main Street", "14 Main Street", 0},
		{"SameNumbers", "Main Street", "Main St.", 1},
		{"SameNumTokens", "Main Street", "Elm Rd.", 1}, {"SameNumTokens", "Main Street", "12 Main St.", 0},
	} {
		if got := Find(test.measure).Bind(nil)(test.a, test.b); math.Abs(got-test.want) > 5e-4 {
			t.Errorf("%s(%q, %q) = %.4f, want %.4f", test.measure, test.a, test.b, got, test.want)
		}
	}
}

// TestTFIDF works out the weights of Cohen, Ravikumar and Fienberg 2003 for a corpus of four documents: of those, "ann"
// is in two and "smith" in one, "smyth" in none, which counts as one.
func TestTFIDF(t *testing.T) {
	corpus := NewCorpus([]string{"Ann Smith", "Ann Jones", "Bob Miller", "Bob bob"})
	ann, smith := math.Log(2)*math.Log(2), math.Log(2)*math.Log(4)
	length := math.Hypot(ann, smith)
	check := func(measure, a, b string, want float64) {
		t.Helper()
		if got := Find(measure).Bind(corpus)(a, b); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s(%q, %q) = %g, want %g", measure, a, b, got, want)
		}
	}
	check("TFIDF", "Ann Smith", "Ann", ann/length)
	check("TFIDF", "Ann Smith", "Smith, Ann", 1)
	check("TFIDF", "Ann Smith", "Ann Smyth", ann*ann/(length*length))
	// Smith and Smyth share 4 of 5 letters in order and 2 at the beginning: Jaro 13/15, Jaro-Winkler 0.8933 < 0.9.
	check("SoftTFIDF", "Ann Smith", "Ann Smyth", ann*ann/(length*length))
	// Martha and Marhta are close, 0.9611.
	martha := 17.0/18 + 0.3*(1-17.0/18)
	check("SoftTFIDF", "Martha", "Marhta", martha)
	check("SoftTFIDF", "Ann Martha", "Ann Marhta", (ann*ann+smith*smith*martha)/(length*length))
}

// TestCommonTokens has a corpus in which every document has all tokens, so that frequencies tell nothing.
func TestCommonTokens(t *testing.T) {
	corpus := NewCorpus([]string{"John Smith", "Smith, John"})
	for _, name := range []string{"TFIDF", "SoftTFIDF"} {
		if got := Find(name).Bind(corpus)("John Smith", "Smith, John"); math.Abs(got-1) > 1e-15 {
			t.Errorf("%s = %g", name, got)
		}
	}
}

// TestLevenshteinOracle compares with another implementation, on strings of one and of several machine words.
func TestLevenshteinOracle(t *testing.T) {
	oracle, ours := metrics.NewLevenshtein(), Find("Levenshtein").Bind(nil)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abcäß世")), 0, 200, -1)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if got, want := ours(a, b), oracle.Compare(a, b); math.Abs(got-want) > 1e-12 {
			t.Fatalf("got %g, want %g", got, want)
		}
	})
}

// TestMetricProperties checks the range, that equal strings are similar by 1, and symmetry where a measure claims it.
func TestMetricProperties(t *testing.T) {
	for _, m := range measures {
		t.Run(m.Name, func(t *testing.T) {
			compare := m.Bind(NewCorpus([]string{"ab ba", "ab", "b c"}))
			rapid.Check(t, func(t *rapid.T) {
				a, b := someName().Draw(t, "a"), someName().Draw(t, "b")
				value := compare(a, b)
				if !(value >= 0 && value <= 1) || compare(a, a) != 1 {
					t.Fatalf("(%q, %q) = %g, (%q, %q) = %g", a, b, value, a, a, compare(a, a))
				}
				if back := compare(b, a); m.Symmetric && back != value {
					t.Fatalf("(%q, %q) = %g, but %g the other way round", a, b, value, back)
				}
			})
		})
	}
}

// jaroByDefinition is the Jaro similarity as it is usually written down.
func jaroByDefinition(a, b []rune) float64 {
	reach, matches := max(0, max(len(a), len(b))/2-1), []rune(nil)
	taken := make([]bool, len(b))
	for i, r := range a {
		for j, s := range b {
			if r == s && !taken[j] && max(i-j, j-i) <= reach {
				taken[j] = true
				matches = append(matches, r)
				break
			}
		}
	}
	moved, k := 0, 0
	for j, s := range b {
		if taken[j] {
			if matches[k] != s {
				moved++
			}
			k++
		}
	}
	return jaroScore(len(matches), moved, len(a), len(b))
}

// TestJaroByDefinition compares with the definition, on strings of one and of several machine words.
func TestJaroByDefinition(t *testing.T) {
	ours := Find("Jaro").Bind(nil)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abcdß世")), 0, 200, -1)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if got, want := ours(a, b), jaroByDefinition([]rune(a), []rune(b)); a != b && math.Abs(got-want) > 1e-12 {
			t.Fatalf("got %g, want %g", got, want)
		}
	})
}

// someName draws strings of few letters, so that they have much in common.
func someName() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune("aabbcAé1  .")), 0, 12, -1)
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"jarowinkler": "JaroWinkler", "LevenshteinSimilarity": "Levenshtein",
		"org.linqs.psl.utils.textsimilarity.DiceSimilarity": "Dice",
	} {
		if m := Find(name); m == nil || m.Name != want {
			t.Errorf("%s: got %v", name, m)
		}
	}
	for _, name := range []string{"", "similarity", "Soundex"} {
		if m := Find(name); m != nil {
			t.Errorf("%q is %s", name, m.Name)
		}
	}
}

// FuzzMeasures compares any bytes by all measures, in memory that grows with the strings' length and not faster.
func FuzzMeasures(f *testing.F) {
	f.Add("Ann Smith", "Smyth, A.")
	f.Add("", "")
	f.Add("\xff\xfe", "\xff")
	f.Add("世界", "世")
	f.Fuzz(func(t *testing.T, a, b string) {
		corpus := NewCorpus([]string{a, b})
		for _, m := range measures {
			compare := m.Bind(corpus)
			before := allocated()
			compare(a, b)
			if bytes := allocated() - before; bytes > 1<<20+1024*uint64(len(a)+len(b)) {
				t.Errorf("%s allocates %d bytes for strings of %d and %d", m.Name, bytes, len(a), len(b))
			}
			if value := compare(a, b); !(value >= 0 && value <= 1) {
				t.Errorf("%s(%q, %q) = %g", m.Name, a, b, value)
			}
			if m.Symmetric && compare(a, b) != compare(b, a) {
				t.Errorf("%s(%q, %q) is not symmetric", m.Name, a, b)
			}
		}
	})
}

// allocated returns how many bytes have been allocated so far.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// TestLongTexts has texts of many tokens, words and runes.
func TestLongTexts(t *testing.T) {
	var a, b strings.Builder
	for k := range 300 {
		fmt.Fprintf(&a, "token%d ", k)
		fmt.Fprintf(&b, "token%d, ", k+1)
	}
	for _, m := range measures {
		before := allocated()
		value := m.Bind(NewCorpus([]string{a.String(), b.String()}))(a.String(), b.String())
		if bytes := allocated() - before; bytes > 4<<20 || value < 0 || value > 1 {
			t.Errorf("%s is %g and allocates %d bytes", m.Name, value, bytes)
		}
	}
	want := 0.0
	for k := range 300 {
		best := 0.0
		for j := range 300 {
			best = max(best, Find("Levenshtein").Bind(nil)(fmt.Sprintf("token%d", k), fmt.Sprintf("token%d", j+1)))
		}
		want += best / 300
	}
	if got := Find("MongeElkan").Bind(nil)(a.String(), b.String()); math.Abs(got-want) > 1e-9 {
		t.Errorf("Monge-Elkan of long texts is %g, want %g", got, want)
	}
}

// TestPage compares the measures with those that the page about them lists.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/similarity.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Measures")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Za-z]+)` \\|").FindAllStringSubmatch(table, -1) {
		listed = append(listed, row[1])
	}
	if diff := cmp.Diff(Names(), listed); diff != "" {
		t.Errorf("(-measures +listed):\n%s", diff)
	}
}
