package serve

import (
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/change"
)

// TestHostileBodies sends bodies that readers of JSON differ about, or that are made to cost much: they are refused, or
// mean what they say, and what is accepted is there after a start.
func TestHostileBodies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	model := newModel(t)
	s, stop := start(t, model, path)
	var options Options
	handler := options.Guard(s.Handler("1"))
	observe := func(name string) string {
		return `{"changes": [{"change": "observe", "predicate": "Knows", "arguments": [` + name + `, "ann"], "value": 0.5}]}`
	}
	deep := strings.Repeat("[", 1_000_000)
	for _, test := range []struct {
		name, body string
		want       []int
	}{
		{"good", observe(`"zoe"`), []int{200}},
		{"zeros in a name", observe(`"a\u0000b"`), []int{200, 422}},
		{"a surrogate alone", observe(`"a\ud800b"`), []int{400}},
		{"a surrogate at the end", `{"changes": "\uD8`, []int{400}},
		{"surrogates the wrong way round", observe(`"\udc00\ud800"`), []int{400}},
		{"two surrogates", observe(`"\ud83d\ude00 \\ud800"`), []int{200}},
		{"bytes that are no text", observe("\"a\xff\xfeb\""), []int{400}},
		{"lines in a name", observe(`"a\nb\tc\r\u2028"`), []int{200, 422}},
		{"an empty name", observe(`""`), []int{200, 422}},
		{"a long name", observe(`"` + strings.Repeat("x", 1<<20) + `"`), []int{200, 422}},
		{"a number that is too large", strings.Replace(observe(`"x"`), "0.5", "1e400", 1), []int{400, 422}},
		{"a number that is nearly too large", strings.Replace(observe(`"x"`), "0.5", "1e308", 1), []int{422}},
		{"a number that is nearly nothing", strings.Replace(observe(`"x"`), "0.5", "1e-400", 1), []int{200, 400, 422}},
		{"a number of many digits", strings.Replace(observe(`"x"`), "0.5", "0."+strings.Repeat("3", 1<<20), 1),
			[]int{200, 422}},
		{"a key twice", strings.Replace(observe(`"y"`), `"value"`, `"value": 0.7, "value"`, 1), []int{422}},
		{"a key twice in other letters", strings.Replace(observe(`"y"`), `"value"`, `"vAlue": 0.7, "value"`, 1), []int{422}},
		{"a key in other letters", strings.Replace(observe(`"y"`), `"value"`, `"VALUE"`, 1), []int{200, 422}},
		{"lists in lists", deep, []int{400, 422}},
		{"lists in a name's place", observe(deep + strings.Repeat("]", 1_000_000)), []int{400, 422}},
		{"objects in objects", strings.Repeat(`{"changes":`, 500_000), []int{400, 422}},
		{"two values", observe(`"x"`) + observe(`"y"`), []int{400, 422}},
		{"a mark before", "\ufeff" + observe(`"x"`), []int{400, 422}},
		{"nothing", "", []int{400, 422}},
		{"too many changes", `{"changes": [` + strings.Repeat(`{},`, 100_001) + `{}]}`, []int{422}},
		{"many that are wrong", `{"changes": [` + strings.Repeat(`{"x":1},`, 100_000) + `{}]}`, []int{400, 422}},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/v1/updates", strings.NewReader(test.body))
		r.Header.Set("Content-Type", "application/json")
		r.Host = "localhost"
		handler.ServeHTTP(w, r)
		if !slices.Contains(test.want, w.Code) {
			t.Errorf("%s: status %d, want one of %v: %.300s", test.name, w.Code, test.want, w.Body)
		}
		if w.Body.Len() > 64<<10 {
			t.Errorf("%s: the answer has %d bytes", test.name, w.Body.Len())
		}
	}
	updates, known := s.Current().Updates, s.Predicates()
	stop()
	s, _ = start(t, model, path)
	if got := s.Current().Updates; got != updates || !reflect.DeepEqual(s.Predicates(), known) {
		t.Errorf("%d updates and %v after a start, want %d and %v", got, s.Predicates(), updates, known)
	}
}

// TestRepeated looks for keys that are there twice.
func TestRepeated(t *testing.T) {
	for body, want := range map[string]string{
		`{"a": 1, "b": {"a": 2, "b": "a"}, "c": ["a", "a", {"a": "a"}, {"a": 1}]}`: "",
		`{"a": 1, "a": 2}`: "body.a",
		`{"a": [{"x": 1}, [7, {"y": [], "z": {}, "Y": 1}]]}`:      "body.a[1][1].Y",
		`[{"changes": {}, "a": {"b": 1, "c": [1], "\u0062": 2}}]`: "body[0].a.b",
		`{"changes": [}`:           "",
		`{"a": 1, "b": 2} {"a": 3`: "",
		``:                         "",
		`"a"`:                      "",
		strings.Repeat(`[`, 1e6):   "",
	} {
		if got := repeated([]byte(body)); got != want {
			t.Errorf("%.80s: %q, want %q", body, got, want)
		}
	}
}

// TestHostileHeaders asks for what is not offered: it is not given, or told so.
func TestHostileHeaders(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	var options Options
	handler := options.Guard(s.Handler("1"))
	var packed strings.Builder
	zip := gzip.NewWriter(&packed)
	for range 64 { // 64 MiB of blanks in 64 KiB
		if _, err := zip.Write([]byte(strings.Repeat(" ", 1<<20))); err != nil {
			t.Fatal(err)
		}
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, method, path, body string
		headers                  []string
		want                     []int
	}{
		{"another protocol", "GET", "/v1/version", "", []string{"Connection", "Upgrade", "Upgrade", "websocket",
			"Sec-Websocket-Version", "13", "Sec-Websocket-Key", "x", "Accept", "x/y"}, []int{200, 406}},
		{"a part", "GET", "/v1/version", "", []string{"Range", "bytes=0-1"}, []int{200}},
		{"parts of a page", "GET", "/", "", []string{"Range", "bytes=0-1,5-6"}, []int{200}},
		{"many parts of a file", "GET", "/style.css", "",
			[]string{"Range", "bytes=" + strings.Repeat("0-,", 10_000) + "0-"}, []int{200, 206, 416}},
		{"a part that is none", "GET", "/style.css", "", []string{"Range", "bytes=9-1"}, []int{200, 416}},
		{"a packed body", "POST", "/v1/updates", packed.String(), []string{"Content-Encoding", "gzip",
			"Content-Type", "application/json"}, []int{400, 415, 422}},
		{"another type", "POST", "/v1/updates", "changes=1", []string{"Content-Type", "text/html"}, []int{400, 415, 422}},
		{"a type of many parts", "POST", "/v1/updates", "--x", []string{"Content-Type", "multipart/form-data; boundary=x"},
			[]int{400, 415, 422}},
		{"many types", "GET", "/v1/atoms/Likes", "", []string{"Accept", strings.Repeat("a/b;q=0.1,", 5000) + "*/*"},
			[]int{200, 406}},
		{"another method in a header", "POST", "/v1/version", "", []string{"X-Http-Method-Override", "GET"},
			[]int{404, 405}},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		r.Host = "localhost"
		for k := 0; k < len(test.headers); k += 2 {
			r.Header.Set(test.headers[k], test.headers[k+1])
		}
		handler.ServeHTTP(w, r)
		if !slices.Contains(test.want, w.Code) || w.Code == http.StatusSwitchingProtocols {
			t.Errorf("%s: status %d, want one of %v: %.300s", test.name, w.Code, test.want, w.Body)
		}
	}
	if _, err := s.Update(t.Context(), "", []change.Change{change.Weight(0, 1)}); err != nil {
		t.Error(err)
	}
}
