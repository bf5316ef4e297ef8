// Package serve answers HTTP requests on this machine, and of nobody whom it should not answer: not of pages of other
// sites in the user's browser, nor of names that lead here by a trick, nor of more at once than it can do.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"
)

// The bounds of what a server takes.
const (
	maxBody   = 8 << 20
	maxHeader = 64 << 10
	maxAtOnce = 64

	headerTime = 5 * time.Second
	readTime   = 30 * time.Second
	writeTime  = 2 * time.Minute
	idleTime   = 2 * time.Minute
	drainTime  = 5 * time.Second
)

// ErrNotLoopback is the error of an address that others can reach.
var ErrNotLoopback = errors.New("the address can be reached from other machines; one of this machine is wanted, " +
	"such as 127.0.0.1:7474")

// Listen answers requests to an address of this machine until the context ends, and then those that have begun. It
// calls ready with the root of all addresses; port 0 means any that is free.
func Listen(ctx context.Context, address string, handler http.Handler, ready func(root string)) error {
	if err := checkLoopback(address); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: Guard(handler), MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTime,
		ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime}
	drained := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		draining, done := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer done()
		drained <- server.Shutdown(draining)
	})
	defer stop()
	ready("http://" + listener.Addr().String() + "/")
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-drained
}

// checkLoopback returns an error unless an address is of this machine alone.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is no address: %w", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s: %w", address, ErrNotLoopback)
	}
	return nil
}

// Guard refuses what should not be answered: requests by names other than this machine's own (against names that are
// made to lead here), those that pages of other sites make a browser send, bodies that are too large, and more at once
// than can be done.
func Guard(handler http.Handler) http.Handler {
	handler = http.MaxBytesHandler(http.NewCrossOriginProtection().Handler(handler), maxBody)
	places := make(chan struct{}, maxAtOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ownName(r.Host) {
			http.Error(w, "this is another machine", http.StatusMisdirectedRequest)
			return
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			handler.ServeHTTP(w, r)
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests at once", http.StatusTooManyRequests)
		}
	})
}

// ownName tells whether a request's host is a name of this machine for itself.
func ownName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1", "[::1]"}, host)
}
