package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOtherMethods asks paths in ways that they do not take: the answer says which they do.
func TestOtherMethods(t *testing.T) {
	s, stop := start(t, newModel(t), "")
	defer stop()
	handler := (&Options{}).Guard(s.Handler("test"))
	const read, write, problem = "GET, HEAD, OPTIONS", "POST, OPTIONS", "application/problem+json"
	for _, test := range []struct {
		method, path, coding string
		status               int
		allow, kind          string
	}{
		{"OPTIONS", "/v1/rules", "", 204, read, ""},
		{"OPTIONS", "/v1/updates", "", 204, write, ""},
		{"DELETE", "/v1/rules", "", 405, read, problem},
		{"PUT", "/v1/updates", "", 405, write, problem},
		{"GET", "/v1/updates", "", 405, write, problem},
		{"GET", "/v1/rules/0/weight", "", 405, "PUT, OPTIONS", problem},
		{"POST", "/healthz", "", 405, read, problem},
		{"GET", "/v1/nothing", "", 404, "", problem},
		{"DELETE", "/v1/nothing", "", 404, "", problem},
		{"GET", "/nothing", "", 404, "", "text/html; charset=utf-8"},
		{"POST", "/", "", 405, "GET, HEAD", "text/plain; charset=utf-8"},
		{"POST", "/v1/updates", "gzip", 415, "", problem},
		{"POST", "/v1/updates", "identity", 422, "", problem},
	} {
		r := httptest.NewRequest(test.method, "http://localhost"+test.path, strings.NewReader(update("")))
		r.Header.Set("Content-Type", "application/json")
		if test.coding != "" {
			r.Header.Set("Content-Encoding", test.coding)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		h := w.Result().Header
		if w.Code != test.status || h.Get("Allow") != test.allow || h.Get("Content-Type") != test.kind {
			t.Errorf("%s %s: %d %s, Allow %q, Content-Type %q", test.method, test.path, w.Code, http.StatusText(w.Code),
				h.Get("Allow"), h.Get("Content-Type"))
		}
	}
}
