package serve

import (
	"net/http/httptest"
	"testing"

	"github.com/deeppsl/deeppsl/change"
)

// TestTags asks again for what is known: it is not sent while the version is the same.
func TestTags(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	handler := (&Options{}).Guard(s.Handler("1"))
	get := func(path, accept, known string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "http://localhost"+path, nil)
		r.Header.Set("Accept", accept)
		r.Header.Set("If-None-Match", known)
		handler.ServeHTTP(w, r)
		return w
	}
	before := get("/v1/version", "", "").Header().Get("ETag")
	if _, err := s.Update(t.Context(), "", []change.Change{change.Target("Likes", "eve", "jazz")}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path, accept string
		status       int
	}{
		{"/v1/version", "", 200},
		{"/v1/rules", "", 200},
		{"/v1/atoms/Likes", "", 200},
		{"/v1/atoms/Likes", lines, 200},
		{"/v1/atoms/Likes", columns, 200},
		{"/v1/atoms/Likes?argument=bob&argument=jazz", "", 200},
		{"/v1/atoms/Likes/explain?argument=bob&argument=jazz", "", 200},
		{"/v1/atoms/Likes?argument=bob", "", 404},
		{"/v1/atoms/Likes?limit=0", "", 422},
	} {
		first := get(test.path, test.accept, before)
		tag := first.Header().Get("ETag")
		if first.Code != test.status || tag == before || (tag == "") != (test.status != 200) {
			t.Errorf("%s as %s: %d %q after %q", test.path, test.accept, first.Code, tag, before)
		}
		again := get(test.path, test.accept, `"other", `+tag)
		if test.status == 200 && (again.Code != 304 || again.Body.Len() > 0 || again.Header().Get("ETag") != tag) {
			t.Errorf("%s as %s again: %d %q", test.path, test.accept, again.Code, again.Header().Get("ETag"))
		}
	}
	if w := get("/metrics", "", ""); w.Header().Get("ETag") != "" {
		t.Errorf("metrics have the tag %q", w.Header().Get("ETag"))
	}
}
