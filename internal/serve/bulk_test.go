package serve

import (
	"bytes"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/deeppsl/deeppsl/internal/format"
	_ "github.com/deeppsl/deeppsl/parquet"
)

// TestBulk asks for all atoms at once, in both forms, and for what cannot be had in them.
func TestBulk(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	handler := s.Handler("1")
	get := func(target, accept string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("GET", target, nil), httptest.NewRecorder()
		r.Header.Set("Accept", accept)
		handler.ServeHTTP(w, r)
		return w
	}
	for _, test := range []struct {
		target, accept, kind string
		status, atoms        int
	}{
		{"/v1/atoms/Likes", lines, lines, 200, 6},
		{"/v1/atoms/likes?contains=jazz", "text/csv, " + lines + ";q=0.5", lines, 200, 3},
		{"/v1/atoms/Likes?min=0.25", lines, lines, 200, 2},
		{"/v1/atoms/Likes?max=0.25&contains=jazz", columns, columns, 200, 1},
		{"/v1/atoms/Likes", columns + ";v=1, " + lines, columns, 200, 6},
		{"/v1/atoms/Likes?limit=2", lines, lines, 200, 2},
		{"/v1/atoms/Likes?limit=20000", columns, columns, 200, 6},
		{"/v1/atoms/Likes?offset=5", lines, lines, 200, 1},
		{"/v1/atoms/Likes?offset=4&limit=9223372036854775807&order=value", lines, lines, 200, 2},
		{"/v1/atoms/Likes?order=data&limit=3", columns, columns, 200, 3},
		{"/v1/atoms/Likes?limit=0", lines, "application/problem+json", 422, 0},
		{"/v1/atoms/Likes?order=random", lines, "application/problem+json", 422, 0},
		{"/v1/atoms/Likes?argument=bob&argument=jazz", columns, columns, 200, 1},
		{"/v1/atoms/Likes?argument=no&argument=body", lines, "application/problem+json", 404, 0},
		{"/v1/atoms/Knows", columns, columns, 200, 0},
		{"/v1/atoms/Likes?min=7", lines, "application/problem+json", 422, 0},
		{"/v1/atoms/Likes?min=x", columns, "application/problem+json", 422, 0},
		{"/v1/atoms/Likes?nonsense=1", columns, "application/problem+json", 422, 0},
		{"/v1/atoms/Nothing", lines, "application/problem+json", 404, 0},
		{"/v1/atoms/Likes", ";;;", "application/json", 200, 0},
	} {
		w := get(test.target, test.accept)
		if kind := w.Header().Get("Content-Type"); w.Code != test.status || kind != test.kind {
			t.Errorf("%s as %s: status %d, %s: %s", test.target, test.accept, w.Code, kind, w.Body)
		}
		found := 0
		switch test.kind {
		case lines:
			found = strings.Count(w.Body.String(), "\n")
		case columns:
			found = rowsOf(t, w.Body.Bytes())
		}
		if found != test.atoms {
			t.Errorf("%s as %s has %d atoms, want %d", test.target, test.accept, found, test.atoms)
		}
	}
}

// TestOneAtomIsAsOthersAre asks for one atom in the short way, and in the library's, which one more parameter takes.
func TestOneAtomIsAsOthersAre(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	handler := s.Handler("1")
	for _, atom := range []string{"Likes?argument=bob&argument=jazz", "likes?argument=ann&argument=rock",
		"Knows?argument=a<b>%26&argument=x", "Likes?argument=bob", "Likes?argument=%zz", "Nothing?argument=ann"} {
		var answers [2]*httptest.ResponseRecorder
		for k, more := range []string{"", "&min=0"} {
			answers[k] = httptest.NewRecorder()
			handler.ServeHTTP(answers[k], httptest.NewRequest("GET", "/v1/atoms/"+atom+more, nil))
		}
		short, long := answers[0], answers[1]
		if short.Code != long.Code || short.Body.String() != long.Body.String() ||
			!maps.EqualFunc(short.Header(), long.Header(), slices.Equal) || strings.Contains(short.Body.String(), `"likes"`) {
			t.Errorf("%s: %d %v %s, and otherwise %d %v %s", atom, short.Code, short.Header(), short.Body, long.Code,
				long.Header(), long.Body)
		}
	}
}

// rowsOf counts the atoms of a Parquet file, each of which has two arguments and a value.
func rowsOf(t *testing.T, file []byte) (rows int) {
	t.Helper()
	f, err := format.Of(".parquet")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	err = f.Read(bytes.NewReader(file), int64(len(file)),
		func(columns []string) format.Rows { names = slices.Clone(columns); return format.Whole },
		func([]string) bool { rows++; return true })
	if err != nil || !slices.Equal(names, []string{"arg1", "arg2", "value"}) {
		t.Errorf("columns %q: %v", names, err)
	}
	return rows
}
