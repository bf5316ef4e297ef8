package serve

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// TestHostileConnections sends what no client would: it is refused, in bounded time, and others are answered as before.
func TestHostileConnections(t *testing.T) {
	address := listening(t)
	const host, good = "Host: localhost\r\n", "GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n"
	const post = "POST /v1/updates HTTP/1.1\r\n" + host + "Content-Type: application/json\r\n"
	for _, test := range []struct {
		name, sent string
		want       []int // 0 means that the connection ends without an answer
	}{
		{"a good one", good, []int{200}},
		{"headers that do not end", "GET / HTTP/1.1\r\n" + host, []int{0, 408}},
		{"nothing", "", []int{0, 408}},
		{"a body that does not come", post + "Content-Length: 100\r\n\r\n{", []int{0, 400, 408}},
		{"a body in pieces that do not come", post + "Transfer-Encoding: chunked\r\n\r\nff\r\n{", []int{0, 400, 408}},
		{"a piece without a length", post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", []int{400}},
		{"a body of two lengths", post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}", []int{400}},
		{"a body of a length and in pieces",
			post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []int{400}},
		{"a body that is said to be large", post + "Content-Length: 9000000000000000\r\n\r\n{}", []int{400, 413}},
		{"a body of a length below 0", post + "Content-Length: -1\r\n\r\n", []int{400}},
		{"large headers", "GET / HTTP/1.1\r\n" + host + "X: " + strings.Repeat("x", 70<<10) + "\r\n\r\n", []int{431}},
		{"many headers", "GET / HTTP/1.1\r\n" + host + strings.Repeat("X: y\r\n", 20_000) + "\r\n", []int{431}},
		{"a long path", "GET /" + strings.Repeat("x", 80<<10) + " HTTP/1.1\r\n" + host + "\r\n", []int{431}},
		{"no host", "GET / HTTP/1.1\r\n\r\n", []int{400}},
		{"two hosts", "GET / HTTP/1.1\r\n" + host + "Host: evil.example\r\n\r\n", []int{400}},
		{"another host", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", []int{421}},
		{"another host in the path", "GET http://evil.example/ HTTP/1.1\r\n" + host + "\r\n", []int{421}},
		{"a host with more in it", "GET / HTTP/1.1\r\nHost: localhost:1@evil.example\r\n\r\n", []int{400, 421}},
		{"a page of another site", post + "Origin: http://evil.example\r\nContent-Length: 2\r\n\r\n{}", []int{403}},
		{"a page of another site by its browser's word", post + "Sec-Fetch-Site: cross-site\r\nContent-Length: 2\r\n\r\n{}",
			[]int{403}},
		{"a way up", "GET /../../etc/passwd HTTP/1.1\r\n" + host + "\r\n", []int{301, 307, 404}},
		{"a way up that is hidden", "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n" + host + "\r\n", []int{301, 307, 404}},
		{"a way up in an atom", "GET /v1/atoms/..%2f..%2fetc HTTP/1.1\r\n" + host + "\r\n", []int{404}},
		{"a zero in the path", "GET /v1/atoms/Likes%00 HTTP/1.1\r\n" + host + "\r\n", []int{404}},
		{"an address for a path", "GET //evil.example/ HTTP/1.1\r\n" + host + "\r\n", []int{301, 307, 404}},
		{"no path", "GET x HTTP/1.1\r\n" + host + "\r\n", []int{400}},
		{"another method", "BREW / HTTP/1.1\r\n" + host + "\r\n", []int{405}},
		{"a tunnel", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n", []int{421}},
		{"another protocol", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", []int{0, 400, 408}},
		{"another version", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{0, 400, 421, 505}},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, where := send(t, address, test.sent)
			found := false
			for _, want := range test.want {
				found = found || status == want
			}
			if !found || where != "" && (!strings.HasPrefix(where, "/") || strings.HasPrefix(where, "//")) {
				t.Errorf("status %d, to %q; want one of %v", status, where, test.want)
			}
			if status, _ := send(t, address, good); status != http.StatusOK {
				t.Errorf("others are answered with %d", status)
			}
		})
	}
}

// TestBodiesAreNotWaitedFor is about operations with bodies, which have come when they begin.
func TestBodiesAreNotWaitedFor(t *testing.T) {
	s, _ := start(t, newModel(t), "")
	found := 0
	for path, item := range s.register(http.NewServeMux(), "1").OpenAPI().Paths {
		for _, operation := range []*huma.Operation{item.Post, item.Put} {
			if operation == nil || operation.RequestBody == nil {
				continue
			}
			if found++; operation.BodyReadTimeout >= 0 {
				t.Errorf("%s waits for a body for %v", path, operation.BodyReadTimeout)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d operations have bodies, want 3", found)
	}
}

// TestRequestsTakeTheirTime is about answers that take longer than requests may take to come: they are given, and what
// makes them is not told that nobody waits.
func TestRequestsTakeTheirTime(t *testing.T) {
	const patience = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	roots, ended := make(chan string, 1), make(chan error, 1)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			http.Error(w, "given up", http.StatusServiceUnavailable)
		case <-time.After(5 * patience):
			_, _ = io.WriteString(w, "done")
		}
	})
	go func() {
		ended <- Listen(ctx, Options{Address: "127.0.0.1:0", patience: patience,
			Ready: func(root string) { roots <- root }}, slow)
	}()
	address := strings.TrimSuffix(strings.TrimPrefix(<-roots, "http://"), "/")
	for _, request := range []string{"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"} {
		if status, _ := send(t, address, request); status != http.StatusOK {
			t.Errorf("%q is answered with %d", request, status)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// listening serves a small model to whoever takes no longer than a moment.
func listening(t *testing.T) (address string) {
	t.Helper()
	s, _ := start(t, newModel(t), "")
	ctx, cancel := context.WithCancel(context.Background())
	roots, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- Listen(ctx, Options{Address: "127.0.0.1:0", patience: 300 * time.Millisecond,
			Ready: func(root string) { roots <- root }}, s.Handler("1"))
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return strings.TrimSuffix(strings.TrimPrefix(<-roots, "http://"), "/")
}

// send sends bytes and returns the status of what is answered, and where that leads; 0 if nothing is.
func send(t *testing.T, address, text string) (status int, where string) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(connection, text) // it may be refused before its end
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		if wait, ok := err.(net.Error); ok && wait.Timeout() {
			t.Error("the connection stays open")
		}
		return 0, ""
	}
	defer response.Body.Close()
	return response.StatusCode, response.Header.Get("Location")
}
