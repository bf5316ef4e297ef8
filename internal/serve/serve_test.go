package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answering says what a request's body was.
var answering = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	_, _ = w.Write(body)
})

func TestGuard(t *testing.T) {
	guarded := new(Options).Guard(answering)
	tests := []struct {
		name, host, origin string
		body               int
		want               int
	}{
		{"own name", "localhost:7474", "", 0, 200},
		{"own address", "127.0.0.1:7474", "", 10, 200},
		{"own address of six", "[::1]:7474", "", 0, 200},
		{"own origin", "localhost:7474", "http://localhost:7474", 10, 200},
		{"another name that leads here", "evil.example:7474", "", 0, 421},
		{"another name without a port", "evil.example", "", 0, 421},
		{"no name", "", "", 0, 421},
		{"a page of another site", "localhost:7474", "https://evil.example", 10, 403},
		{"a page of another port", "localhost:7474", "http://localhost:1", 10, 403},
		{"a page of no site", "localhost:7474", "null", 10, 403},
		{"a large body", "localhost:7474", "", maxBody + 1, 413},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", test.body)))
			r.Host = test.host
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			w := httptest.NewRecorder()
			guarded.ServeHTTP(w, r)
			if w.Code != test.want {
				t.Errorf("status %d, want %d", w.Code, test.want)
			}
			var problem struct {
				Status        int
				Title, Detail string
			}
			err := json.Unmarshal(w.Body.Bytes(), &problem)
			if refused := w.Code != 200; refused && (err != nil || problem.Status != w.Code || problem.Title == "" ||
				problem.Detail == "" || w.Header().Get("Content-Type") != "application/problem+json") {
				t.Errorf("refused with %q: %s", w.Header(), w.Body)
			}
		})
	}
}

func TestToken(t *testing.T) {
	o := Options{Token: "secret", Hosts: []string{"deeppsl.example"}}
	guarded := o.Guard(answering)
	for _, test := range []struct {
		path, token string
		want        int
	}{
		{"/", "", 401}, {"/", "Bearer secret", 200}, {"/", "Bearer secrets", 401}, {"/", "Basic secret", 401},
		{"/", "secret", 200}, {"/healthz", "", 200}, {"/v1/version", "Bearer ", 401},
	} {
		r, w := httptest.NewRequest("GET", test.path, nil), httptest.NewRecorder()
		r.Host = "deeppsl.example:80"
		r.Header.Set("Authorization", test.token)
		if guarded.ServeHTTP(w, r); w.Code != test.want {
			t.Errorf("%s with %q: status %d, want %d", test.path, test.token, w.Code, test.want)
		}
	}
	if o.Address = "0.0.0.0:0"; o.check() != nil {
		t.Error("an address that takes a token is refused")
	}
}

func TestGuardRefusesMoreThanItCanDo(t *testing.T) {
	release, begun := make(chan struct{}), make(chan struct{}, maxAtOnce)
	guarded := new(Options).Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-release
	}))
	ask := func() *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.Host = "localhost"
		guarded.ServeHTTP(w, r)
		return w
	}
	done := make(chan struct{})
	for range maxAtOnce {
		go func() { ask(); done <- struct{}{} }()
	}
	for range maxAtOnce {
		<-begun
	}
	if w := ask(); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("status %d, want 429 with a time to try again", w.Code)
	}
	close(release)
	for range maxAtOnce {
		<-done
	}
	if w := ask(); w.Code != http.StatusOK {
		t.Errorf("status %d after the others, want 200", w.Code)
	}
}

func TestListenOnThisMachineOnly(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:80", "[::]:0", "example.com:80"} {
		o := Options{Address: address, Ready: func(string) { t.Errorf("%s was listened to", address) }}
		err := Listen(t.Context(), o, answering)
		if before := o.Check(t.Context()); !errors.Is(err, ErrNotLoopback) || !errors.Is(before, ErrNotLoopback) {
			t.Errorf("%s: %v, and before %v", address, err, before)
		}
	}
	free := Options{Address: "127.0.0.1:0"}
	taken, err := free.listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	other := Options{Address: taken.Addr().String()}
	if free.Check(t.Context()) != nil || other.Check(t.Context()) == nil {
		t.Error("an address that is taken is not known from one that is free")
	}
	if err := Listen(t.Context(), Options{Address: "here"}, answering); err == nil {
		t.Error("no address was listened to")
	}
}

func TestListenEndsInOrder(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	roots, begun, ended := make(chan string, 1), make(chan struct{}), make(chan error, 1)
	slow := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(begun)
		time.Sleep(50 * time.Millisecond)
		_, _ = io.WriteString(w, "whole")
	})
	go func() {
		ended <- Listen(ctx, Options{Address: "127.0.0.1:0", Ready: func(root string) { roots <- root }}, slow)
	}()
	root := <-roots
	type answer struct {
		body string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		response, err := http.Get(root)
		if err != nil {
			answers <- answer{err: err}
			return
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		answers <- answer{string(body), err}
	}()
	<-begun
	cancel()
	if a := <-answers; a.err != nil || a.body != "whole" {
		t.Errorf("a request that had begun got %q, %v", a.body, a.err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	address := strings.TrimSuffix(strings.TrimPrefix(root, "http://"), "/")
	if _, err := net.DialTimeout("tcp", address, time.Second); err == nil {
		t.Error("it still listens")
	}
}
