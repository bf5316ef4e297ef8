package inspect

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
)

// policy allows pages nothing but what comes with them.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// errMissing says that there is no such page, atom or rule.
var errMissing = errors.New("there is no such page")

// A maker makes a page from an address's query.
type maker func(s *Site, ctx context.Context, query url.Values) (*page, error)

// makers has them by the names of their pages.
var makers = map[string]maker{
	"overview": (*Site).overview, "rule": (*Site).rule, "atoms": (*Site).atoms, "atom": (*Site).atom,
	"tense": (*Site).tensest, "errors": (*Site).mistakes, "networks": (*Site).networks, "messages": (*Site).messages,
}

// secure sets what browsers are to keep to.
func secure(header http.Header) {
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
}

// Static serves what all pages refer to, and tells whether the request was for that.
func Static(w http.ResponseWriter, r *http.Request) bool {
	known := r.URL.Path == "/style.css" || r.URL.Path == "/graph.js"
	if !known || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	secure(w.Header())
	http.ServeFileFS(w, r, files, "pages"+r.URL.Path)
	return true
}

// ServeHTTP answers requests for pages, which change nothing.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if Static(w, r) {
		return
	}
	header := w.Header()
	secure(header)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "pages are only read", http.StatusMethodNotAllowed)
		return
	}
	switch name := r.URL.Path[1:]; name {
	case "":
		s.serve(w, r, makers["overview"])
	default:
		make := makers[name]
		if make == nil || name == "overview" {
			make = missing
		}
		s.serve(w, r, make)
	}
}

// serve makes and sends a page.
func (s *Site) serve(w http.ResponseWriter, r *http.Request, make maker) {
	status := http.StatusOK
	p, err := make(s, r.Context(), r.URL.Query())
	if err != nil {
		status = http.StatusInternalServerError
		if errors.Is(err, errMissing) {
			status = http.StatusNotFound
		}
		p = &page{Name: "error", Title: "Not to be had", Data: err.Error()}
	}
	var b bytes.Buffer
	if err := s.write(&b, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the reader has gone if it fails
}

// missing is the maker of what is not there.
func missing(*Site, context.Context, url.Values) (*page, error) { return nil, errMissing }
