// Package serve answers HTTP requests: about a model that lives (Service), whose description is made from the Go types,
// and for pages. It answers nobody whom it should not: not pages of other sites in the user's browser, nor names that
// lead here by a trick, nor strangers on other machines, nor more at once than it can do.
//
// One goroutine changes the model. It takes the updates that wait together, makes each of them whole or not at all,
// flushes them to the journal, infers once and publishes a version, which readers see without waiting.
package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// The bounds of what a server takes.
const (
	maxBody   = 8 << 20
	maxHeader = 64 << 10
	maxAtOnce = 256

	headerTime = 5 * time.Second
	readTime   = 30 * time.Second
	writeTime  = 2 * time.Minute
	idleTime   = 2 * time.Minute
	drainTime  = 5 * time.Second
)

// ErrNotLoopback is the error of an address that others can reach without being known.
var ErrNotLoopback = errors.New("the address can be reached from other machines, which takes a token or " +
	"certificates of clients; without, one of this machine is wanted, such as 127.0.0.1:7474")

// Options say where a server listens, and to whom.
type Options struct {
	Address string // port 0 means any that is free
	// Token is what requests must bring, as "Authorization: Bearer TOKEN"; "" means that they need none.
	Token string
	// Hosts are names that requests may have for this machine, beside its own for itself.
	Hosts []string
	// TLS is nil for a server without; with client certificates required, no token is needed.
	TLS *tls.Config
	// Ready is called with the root of all addresses.
	Ready func(root string)

	// patience is how long a request may take to come; 0 means what the bounds say.
	patience time.Duration
}

// check returns an error for an address that anybody could reach.
func (o *Options) check() error {
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return fmt.Errorf("%q is no address: %w", o.Address, err)
	}
	known := o.Token != "" || o.TLS != nil && o.TLS.ClientAuth == tls.RequireAndVerifyClientCert
	if ip := net.ParseIP(host); !known && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s: %w", o.Address, ErrNotLoopback)
	}
	return nil
}

// listen opens the address.
func (o *Options) listen(ctx context.Context) (net.Listener, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", o.Address)
}

// Check returns an error if Listen would return one now, so that it is known before what takes long is done.
func (o *Options) Check(ctx context.Context) error {
	listener, err := o.listen(ctx)
	if err != nil {
		return err
	}
	return listener.Close()
}

// Listen answers requests until the context ends, and then those that have begun.
func Listen(ctx context.Context, o Options, handler http.Handler) error {
	listener, err := o.listen(ctx)
	if err != nil {
		return err
	}
	scheme := "http://"
	if o.TLS != nil {
		listener, scheme = tls.NewListener(listener, o.TLS), "https://"
	}
	server := &http.Server{Handler: o.Guard(handler), MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTime,
		ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, 0), // what clients do wrong is theirs to know
		BaseContext: func(net.Listener) context.Context { return ctx }}
	if o.patience > 0 {
		server.ReadHeaderTimeout, server.ReadTimeout = o.patience, o.patience
	}
	drained := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		draining, done := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer done()
		drained <- server.Shutdown(draining)
	})
	defer stop()
	o.Ready(scheme + listener.Addr().String() + "/")
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-drained
}

// Guard refuses what should not be answered: requests by names other than this machine's own (against names that are
// made to lead here), those that pages of other sites make a browser send, those without the token, bodies that are too
// large, and more at once than can be done.
func (o *Options) Guard(handler http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "pages of other sites change nothing here")
	}))
	handler = origins.Handler(whole(handler))
	places := make(chan struct{}, maxAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !o.ownName(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "this machine has another name; --host adds one")
			return
		case !o.known(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "a token is needed")
			return
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			handler.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusTooManyRequests, "too many requests at once")
		}
	})
}

// whole hands on requests whose bodies have come. What is wrong with how one comes is the client's fault.
func whole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
				w.Header().Set("Accept-Encoding", "identity")
				refuse(w, http.StatusUnsupportedMediaType, "bodies are taken as they are, without Content-Encoding")
				return
			}
			if r.ContentLength > maxBody {
				refuseBody(w, http.StatusRequestEntityTooLarge)
				return
			}
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			if err != nil {
				refuseBody(w, bodyStatus(err))
				return
			}
			if !text(body) {
				refuse(w, http.StatusBadRequest, "the body is no Unicode text")
				return
			}
			if place := repeated(body); place != "" {
				refuse(w, http.StatusUnprocessableEntity, beginning(place)+" is there twice")
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(w, r)
	})
}

// text tells whether JSON is text: in UTF-8, and without halves of surrogates, which readers would all replace by the
// same sign, so that different names became one.
func text(body []byte) bool {
	for at := 0; at < len(body); at++ {
		if body[at] != '\\' {
			continue
		}
		at++ // which is no beginning of an escape
		switch unit := escaped(body[at-1:]); {
		case unit < 0:
		case !utf16.IsSurrogate(unit):
			at += 4
		case at+5 < len(body) && utf16.DecodeRune(unit, escaped(body[at+5:])) != utf8.RuneError:
			at += 10
		default:
			return false
		}
	}
	return utf8.Valid(body)
}

// escaped is the unit of UTF-16 that a text begins with as an escape; below 0 if it does not.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(unit)
}

// refuseBody answers a request whose body has not come, so that nothing can come behind it.
func refuseBody(w http.ResponseWriter, status int) {
	w.Header().Set("Connection", "close")
	refuse(w, status, "the body is too large, too late or not whole")
}

// refuse answers a request that nothing is done for, with problem details (RFC 9457).
func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	problem := huma.ErrorModel{Title: http.StatusText(status), Status: status, Detail: detail}
	_ = json.NewEncoder(w).Encode(&problem) // who asked may have gone
}

// bodyStatus says why a body could not be read.
func bodyStatus(err error) int {
	var late net.Error
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &late) && late.Timeout():
		return http.StatusRequestTimeout
	}
	return http.StatusBadRequest
}

// known tells whether a request has the token, in a time that says nothing about it. Whether the server is well may be
// asked without.
func (o *Options) known(r *http.Request) bool {
	if o.Token == "" || r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
		return true
	}
	given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(o.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// ownName tells whether a request's host is a name of this machine.
func (o *Options) ownName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1", "[::1]"}, host) || slices.Contains(o.Hosts, host)
}
