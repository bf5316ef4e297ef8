package serve

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
)

// lines is the media type of a JSON value per line.
const lines = "application/x-ndjson"

// bulk answers requests for all atoms of a predicate, a line each, and hands on all others.
func (s *Service) bulk(next *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		predicate, ok := strings.CutPrefix(r.URL.Path, "/v1/atoms/")
		if r.Method != http.MethodGet || !ok || strings.Contains(predicate, "/") || r.Header.Get("Accept") != lines {
			next.ServeHTTP(w, r)
			return
		}
		s.counts.reads.Add(1)
		if err := s.predicate(predicate); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", lines)
		v := s.Current()
		buffered := bufio.NewWriter(w)
		encoder := json.NewEncoder(buffered)
		for a := range v.grounding.Atoms(v.Answer, []string{predicate}) {
			if encoder.Encode(AtomValue(a)) != nil {
				return // the reader has gone
			}
		}
		_ = buffered.Flush()
	})
}
