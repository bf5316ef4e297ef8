package serve

import (
	"bufio"
	"encoding/json"
	"io"
	"iter"
	"math"
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

// bulk answers requests for atoms of a predicate in one of the types above, and those for one atom, which are most and
// for which the library's layers would take four times as long. It hands on all others, those too that are wrong, for
// what is wrong with them to be said.
func (s *Service) bulk(next *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		predicate, ok := strings.CutPrefix(r.URL.Path, "/v1/atoms/")
		if !ok || r.Method != http.MethodGet || strings.Contains(predicate, "/") {
			next.ServeHTTP(w, r)
			return
		}
		accepted, values := wanted(r.Header.Values("Accept")), r.URL.Query()
		q, err := bulkQuery(predicate, values)
		one := accepted == "" && len(values) == 1 && len(values["argument"]) > 0
		if accepted == "" && !one || err != nil {
			next.ServeHTTP(w, r)
			return
		}
		if q.Predicate, err = s.predicate(predicate, q.Argument); err != nil {
			next.ServeHTTP(w, r)
			return
		}
		if one {
			s.one(w, r, q, next)
			return
		}
		atoms, arity := s.matching(q)
		if atoms == nil {
			next.ServeHTTP(w, r)
			return
		}
		s.counts.reads.Add(1)
		w.Header().Set("Content-Type", accepted)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		buffered := bufio.NewWriter(w)
		if accepted == columns {
			err = writeColumns(buffered, arity, atoms)
		} else {
			err = writeLines(buffered, atoms)
		}
		if err == nil { // the reader has gone if it fails
			_ = buffered.Flush()
		}
	})
}

// one answers a request for one atom, if there is such an atom.
func (s *Service) one(w http.ResponseWriter, r *http.Request, q *Query, next http.Handler) {
	value, v := s.Value(q.Predicate, q.Argument)
	if value == nil {
		next.ServeHTTP(w, r)
		return
	}
	s.counts.reads.Add(1)
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false) // as the library writes all others
	found := Atoms{Version: v.Number, Atoms: []AtomValue{{q.Predicate, q.Argument, *value}}}
	_ = encoder.Encode(&found) // the reader has gone if it fails
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

// bulkQuery reads what restricts the atoms, as a Query without a Limit does for all that there are.
func bulkQuery(predicate string, values url.Values) (*Query, error) {
	q := &Query{Predicate: predicate, Max: 1, Limit: math.MaxInt, Contains: values.Get("contains")}
	for name, of := range values {
		var err error
		switch name {
		case "contains":
		case "argument":
			q.Argument = of
		case "min":
			q.Min, err = strconv.ParseFloat(of[0], 64)
		case "max":
			q.Max, err = strconv.ParseFloat(of[0], 64)
		case "offset":
			q.Offset, err = strconv.Atoi(of[0])
		case "limit":
			q.Limit, err = strconv.Atoi(of[0])
		case "order":
			q.Order = of[0]
		default:
			err = http.ErrNotSupported
		}
		if err != nil || !q.meaningful() {
			return nil, http.ErrNotSupported
		}
	}
	return q, nil
}

// meaningful tells whether a query asks for what there can be.
func (q *Query) meaningful() bool {
	ordered := q.Order == "" || q.Order == ByValue || q.Order == byData
	return q.Min >= 0 && q.Min <= 1 && q.Max >= 0 && q.Max <= 1 && q.Offset >= 0 && q.Limit >= 1 && ordered
}

// matching returns the atoms that a query asks for, of one version, and how many arguments they have; nil if it asks
// for one that there is not.
func (s *Service) matching(q *Query) (atoms iter.Seq[session.Atom], arity int) {
	v := s.Current()
	arity = v.grounding.Arity(q.Predicate)
	if len(q.Argument) > 0 {
		value, _ := s.Value(q.Predicate, q.Argument)
		if value == nil {
			return nil, 0
		}
		one := session.Atom{Predicate: q.Predicate, Arguments: q.Argument, Value: *value}
		return func(yield func(session.Atom) bool) { yield(one) }, arity
	}
	return func(yield func(session.Atom) bool) {
		for p := range v.matching(q) {
			if !yield(v.grounding.Named(p)) {
				return
			}
		}
	}, arity
}

// writeLines writes atoms as JSON, one on each line.
func writeLines(w io.Writer, atoms iter.Seq[session.Atom]) error {
	encoder := json.NewEncoder(w)
	for a := range atoms {
		if err := encoder.Encode(AtomValue(a)); err != nil {
			return err
		}
	}
	return nil
}

// writeColumns writes atoms as Parquet: arguments in columns arg1, arg2, … and the value in the last one.
func writeColumns(w io.Writer, arity int, atoms iter.Seq[session.Atom]) error {
	f, err := format.Of(".parquet")
	if err != nil {
		return err
	}
	out := f.Writer(w, format.Arguments(arity), []string{"value"})
	for a := range atoms {
		if err := out.Write(a.Arguments, a.Value); err != nil {
			return err
		}
	}
	return out.Close()
}
