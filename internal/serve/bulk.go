package serve

import (
	"bufio"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/deeppsl/deeppsl/internal/format"
	"github.com/deeppsl/deeppsl/internal/session"
)

// The media types of all atoms at once: a JSON value per line, and a file of columns.
const (
	lines   = "application/x-ndjson"
	columns = "application/vnd.apache.parquet"
)

// bulk answers requests for all atoms of a predicate in one of the types above, and hands on all others, those too that
// are wrong, for what is wrong with them to be said.
func (s *Service) bulk(next *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		predicate, ok := strings.CutPrefix(r.URL.Path, "/v1/atoms/")
		accepted := wanted(r.Header.Values("Accept"))
		q, err := bulkQuery(predicate, r.URL.Query())
		if r.Method != http.MethodGet || !ok || strings.Contains(predicate, "/") || accepted == "" || err != nil ||
			s.predicate(predicate) != nil {
			next.ServeHTTP(w, r)
			return
		}
		s.counts.reads.Add(1)
		w.Header().Set("Content-Type", accepted)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		buffered := bufio.NewWriter(w)
		write := s.Current().writeLines
		if accepted == columns {
			write = s.Current().writeColumns
		}
		if write(buffered, q) == nil { // the reader has gone if it fails
			_ = buffered.Flush()
		}
	})
}

// wanted is the first of the two media types that a request accepts; "" if it accepts neither.
func wanted(accept []string) string {
	for each := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		if name, _, err := mime.ParseMediaType(each); err == nil && (name == lines || name == columns) {
			return name
		}
	}
	return ""
}

// bulkQuery reads what restricts the atoms.
func bulkQuery(predicate string, values url.Values) (*Query, error) {
	q := &Query{Predicate: predicate, Max: 1, Contains: values.Get("contains")}
	for name, of := range values {
		var err error
		switch name {
		case "contains":
		case "min":
			q.Min, err = strconv.ParseFloat(of[0], 64)
		case "max":
			q.Max, err = strconv.ParseFloat(of[0], 64)
		default:
			err = http.ErrNotSupported
		}
		if err != nil || !(q.Min >= 0 && q.Min <= 1 && q.Max >= 0 && q.Max <= 1) {
			return nil, http.ErrNotSupported
		}
	}
	return q, nil
}

// all visits the atoms that fit.
func (v *Version) all(q *Query, visit func(session.Atom) error) error {
	for p := range v.grounding.Places(v.Answer, []string{q.Predicate}) {
		if q.fits(v.grounding, p) {
			if err := visit(v.grounding.Named(p)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeLines writes atoms as JSON, one on each line.
func (v *Version) writeLines(w io.Writer, q *Query) error {
	encoder := json.NewEncoder(w)
	return v.all(q, func(a session.Atom) error { return encoder.Encode(AtomValue(a)) })
}

// writeColumns writes atoms as Parquet: arguments in columns arg1, arg2, … and the value in the last one.
func (v *Version) writeColumns(w io.Writer, q *Query) error {
	f, err := format.Of(".parquet")
	if err != nil {
		return err
	}
	out := f.Writer(w, format.Arguments(v.grounding.Arity(q.Predicate)), []string{"value"})
	if err := v.all(q, func(a session.Atom) error { return out.Write(a.Arguments, a.Value) }); err != nil {
		return err
	}
	return out.Close()
}
