package inspect

import (
	"fmt"
	"html"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/engine"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/source"
)

// Names that nobody would like to see in a page as what they are.
const (
	script = `<script>alert(1)</script>`
	quotes = `"it's" & <b>`
	right  = `شركة النور`
)

const rules = `1: Knows(A, B) & Likes(A, T) -> Likes(B, T) ^2
0.4: !Likes(A, T) ^2
2: Knows(A, B) & Trusts(A, B) -> Friends(A, B)
0.5: !Friends(A, B)
`

// newSite makes the pages of a small model whose names are hostile.
func newSite(t *testing.T) *Site {
	t.Helper()
	files := make(map[string]string)
	write := func(name, text string) { files[name] = text }
	long := strings.Repeat("x", 10_000)
	people := []string{"ann", script, quotes, right, long}
	var knows, targets, friends, truth strings.Builder
	for k := range people[1:] {
		fmt.Fprintf(&knows, "%s\t%s\n", people[k], people[k+1])
		fmt.Fprintf(&targets, "%s\tjazz\n", people[k+1])
		fmt.Fprintf(&friends, "%s\t%s\n", people[k], people[k+1])
		fmt.Fprintf(&truth, "%s\tjazz\t%d\n", people[k+1], k%2)
	}
	write("knows.txt", knows.String())
	write("likes.txt", "ann\tjazz\t0.9\n")
	write("likes-targets.txt", targets.String())
	write("likes-truth.txt", truth.String())
	write("friends.txt", friends.String())
	write("trusts.txt", "ann\t"+script+"\t0.7\n")
	write("model.psl", rules)
	write("model.json", `{"rules": "model.psl", "predicates": {
		"Knows/2": {"observations": "knows.txt"}, "Trusts/2": {"observations": "trusts.txt"},
		"Likes/2": {"observations": "likes.txt", "targets": "likes-targets.txt", "truth": "likes-truth.txt",
			"evaluations": ["Continuous"]},
		"Friends/2": {"targets": "friends.txt"}}}`)
	return siteOf(t, files, engine.Stages{})
}

// siteOf makes the pages of a project whose configuration is model.json.
func siteOf(t *testing.T, files map[string]string, stages engine.Stages) *Site {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var lints source.Diagnostics
	p, err := project.Load(filepath.Join(dir, "model.json"), project.Options{Seed: 1,
		OnWarning: func(w source.Diagnostics) { lints = append(lints, w...) }})
	if err != nil {
		t.Fatal(err)
	}
	result, err := engine.Run(t.Context(), p, stages)
	if err != nil {
		t.Fatal(err)
	}
	site, err := New(t.Context(), "model.json", result, lints.Plain())
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// get returns a page, and fails unless its status is as wanted.
func get(t *testing.T, s *Site, address string, status int) string {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", address, nil))
	if w.Code != status {
		t.Fatalf("%.200s: status %d, want %d: %.500s", address, w.Code, status, w.Body)
	}
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("%.200s: the policy is %q", address, policy)
	}
	return w.Body.String()
}

var links = regexp.MustCompile(`href="([^"]*)"`)

// TestEveryLinkLeadsSomewhere follows all links from the first page on, and finds no markup of the user's in any page.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	s := newSite(t)
	seen, next := map[string]bool{"/": true}, []string{"/"}
	for len(next) > 0 {
		address := next[0]
		next = next[1:]
		body := get(t, s, address, http.StatusOK)
		for _, markup := range []string{script, `<b>`, "style=", "javascript:", "ZgotmplZ"} {
			if strings.Contains(body, markup) {
				t.Errorf("%.200s has %q in it", address, markup)
			}
		}
		for _, link := range links.FindAllStringSubmatch(body, -1) {
			to := html.UnescapeString(link[1])
			if strings.HasPrefix(to, "/") && !seen[to] {
				seen[to] = true
				next = append(next, to)
			} else if !strings.HasPrefix(to, "/") && to != "#content" && to != "data:," {
				t.Errorf("%.200s leads to %q", address, to)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d pages: %v", len(seen), seen)
	}
}

func TestPagesSayWhatTheyShould(t *testing.T) {
	s := newSite(t)
	likes := "/atom?name=" + url.QueryEscape(s.grounding.Tables.Store.Atom(s.grounding.Tables.Store.Relations[2], 1))
	tests := []struct {
		address string
		want    []string
	}{
		{"/", []string{"optimal", "Friends", "Knows(A, B) &amp; Likes(A, T) -&gt; Likes(B, T) ^2", "MAE"}},
		{"/rule?n=0", []string{"Costly ground rules", "likes.txt:1", "model.psl"}},
		{"/atoms?q=alert", []string{"&lt;script&gt;", "2\u202f"[:1]}},
		{"/atoms?q=" + url.QueryEscape("نور"), []string{right}},
		{"/tense", []string{"costs"}},
		{"/errors", []string{"atoms are on the other side of ½"}},
		{"/networks", []string{"The project has no networks"}},
		{likes, []string{"What pushes it", "What the value is the sum of", "<svg", "knows.txt"}},
		{"/atom?name=Knows('ann','" + url.QueryEscape(script) + "')", []string{"observed", "there is nothing to explain"}},
	}
	for _, test := range tests {
		body := get(t, s, test.address, http.StatusOK)
		for _, want := range test.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %q is not in it", test.address, want)
			}
		}
	}
}

func TestWhatIf(t *testing.T) {
	s := newSite(t)
	ask := func(to string) string {
		query := url.Values{"name": {"Likes('" + script + "', 'jazz')"}, "fact": {"Likes('ann', 'jazz')"}, "to": {to}}
		return get(t, s, "/atom?"+query.Encode(), http.StatusOK)
	}
	// Everything is proportional to the one fact that there is: squares alone, none of them at a bound.
	now, _ := s.grounding.Value(s.answer, "Likes", script, "jazz")
	for _, to := range []float64{0, 0.5, 1} {
		found := regexp.MustCompile(`it would be <strong>([^<]+)</strong>`).FindStringSubmatch(ask(fmt.Sprint(to)))
		if found == nil {
			t.Fatalf("%v: there is no answer", to)
		}
		value, err := strconv.ParseFloat(found[1], 64)
		if want := now * to / 0.9; err != nil || math.Abs(value-want) > 1e-4 {
			t.Errorf("%v: it would be %v, want %v", to, value, want)
		}
	}
	for _, wrong := range []string{"2", "-1", "NaN", "x"} {
		if body := ask(wrong); !strings.Contains(body, `role="alert">a truth value is a number from 0 to 1`) {
			t.Errorf("%s was taken", wrong)
		}
	}
	query := url.Values{"name": {"Likes('" + script + "', 'jazz')"}, "fact": {"Nobody('x')"}, "to": {"1"}}
	if body := get(t, s, "/atom?"+query.Encode(), http.StatusOK); !strings.Contains(body, `role="alert"`) {
		t.Error("a fact that is none was taken")
	}
}

func TestWhatIsNotThere(t *testing.T) {
	s := newSite(t)
	for _, address := range []string{"/overview", "/nothing", "/rule", "/rule?n=99", "/rule?n=-1", "/atom",
		"/atom?name=Likes('nobody','jazz')", "/atom?name=Likes('ann')", "/atom?name=((((", "/pages/layout.html", "/../go.mod",
		"/rule?n=99999999999999999999"} {
		get(t, s, address, http.StatusNotFound)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d", method, w.Code)
		}
	}
	get(t, s, "/atoms?page=-5", http.StatusOK)
	get(t, s, "/atoms?page=999999999&order=x&predicate=Nobody", http.StatusOK)
}

// TestExport holds a file to need nothing, and all its links to lead to a part of it.
func TestExport(t *testing.T) {
	var b strings.Builder
	if err := newSite(t).Export(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, outside := range []string{script, "<script", "<link", "src=", "action=", "http://127", "ZgotmplZ"} {
		if strings.Contains(b.String(), outside) {
			t.Errorf("the file has %q in it", outside)
		}
	}
	found := 0
	for _, link := range links.FindAllStringSubmatch(b.String(), -1) {
		id, ok := strings.CutPrefix(link[1], "#")
		if !ok || !strings.Contains(b.String(), `id="`+id+`"`) {
			t.Errorf("the link %q leads nowhere", link[1])
		}
		found++
	}
	if found < 10 {
		t.Errorf("%d links", found)
	}
}

// TestImages looks at networks of images, whose entities are shown as such, and of what is none.
func TestImages(t *testing.T) {
	for kind, images := range map[string]int{
		`{"kind": "cnn", "features": "f.tsv", "convolutions": [{"filters": 1, "kernel": 2}]}`:                     2,
		`{"kind": "cnn", "features": "f.tsv", "image": [2, 2, 3], "convolutions": [{"filters": 1, "kernel": 1}]}`: 2,
		`{"kind": "cnn", "features": "f.tsv", "image": [1, 6, 2], "convolutions": [{"filters": 1, "kernel": 1}]}`: 0,
		`{"kind": "mlp", "features": "f.tsv", "hidden": []}`:                                                      0,
	} {
		width := 16
		if strings.Contains(kind, "image") {
			width = 12
		}
		dir := t.TempDir()
		table := "a" + strings.Repeat("\t0.5", width) + "\nb" + strings.Repeat("\t0\t1", width/2) + "\n"
		config := `{"rules": ["1: Is(X, C) -> Big(X) ^2", "1: !Big(X) ^2"], "networks": {"n": ` + kind + `}, "predicates": {
			"Is/2": {"neural": {"network": "n", "class": 1, "classes": ["0", "1"]}}, "Big/1": {"targets": [["a"], ["b"]]}}}`
		for name, text := range map[string]string{"f.tsv": table, "model.json": config} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		p, err := project.Load(filepath.Join(dir, "model.json"), project.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		result, err := engine.Run(t.Context(), p, engine.Stages{})
		if err != nil {
			t.Fatal(err)
		}
		site, err := New(t.Context(), "model.json", result, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		site.ServeHTTP(w, httptest.NewRequest("GET", "/networks", nil))
		if found := strings.Count(w.Body.String(), `src="data:image/png;base64,`); w.Code != 200 || found != images {
			t.Errorf("%s: status %d, %d images, want %d", kind, w.Code, found, images)
		}
	}
}

// Atoms count as true from the value on that was learned, not from ½.
func TestLearnedThreshold(t *testing.T) {
	files := map[string]string{"model.json": `{
		"rules": ["Same(A, B) = 0.5 * Alike(A, B) .", "1: !Same(A, B) ^2"],
		"predicates": {"Alike/2": {"observations": ["alike.tsv"]},
			"Same/2": {"targets": "Same(A, B) <- Alike(A, B)",
				"truth": {"learn": ["learned.tsv"], "infer": ["asked.tsv"]}}}}`}
	for k := range 200 {
		alike, same, table := float64(k*37%200+1)/200, 0, "learned.tsv"
		if alike > 0.6 {
			same = 1
		}
		if k >= 100 {
			table = "asked.tsv"
		}
		files["alike.tsv"] += fmt.Sprintf("a%d\tb%d\t%g\n", k, k, alike)
		files[table] += fmt.Sprintf("a%d\tb%d\t%d\n", k, k, same)
	}
	s := siteOf(t, files, engine.Stages{Learn: true, Infer: true})
	learned := s.predicates[0].True
	if learned == nil || learned.From > 0.45 || s.report.Evaluations[0].Learned == nil {
		t.Fatalf("no threshold below ½ was learned: %+v", learned)
	}
	from := html.EscapeString(number(learned.From))
	for address, want := range map[string]string{
		"/":       fmt.Sprintf("<td>%.1f %% from %s on</td>", 100*learned.Share, from),
		"/errors": "of 100 atoms are on the other side of " + from,
	} {
		if body := get(t, s, address, http.StatusOK); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q: %s", address, want, body)
		}
	}
	if wrong := s.judged[0].Wrong; wrong > 2 {
		t.Errorf("%d atoms are called wrong", wrong)
	}
}
