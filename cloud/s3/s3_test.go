package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/deeppsl/deeppsl/internal/cli"
	"github.com/deeppsl/deeppsl/internal/place"
)

// The keys of the tests, which no message may have.
const keyID, secret = "AKIATHEKEYOFTHETESTS", "the+secret/of+the+tests"

// server is an S3 in this process that can fail.
type fake struct {
	backend gofakes3.Backend
	behind  http.Handler
	// wrong, if it returns true, has answered a request in place of the server.
	wrong func(w http.ResponseWriter, r *http.Request) bool
	asked atomic.Int64
}

// ServeHTTP implements http.Handler.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.asked.Add(1)
	if f.wrong == nil || !f.wrong(w, r) {
		f.behind.ServeHTTP(w, r)
	}
}

// start starts a server with a bucket, and has the environment name it.
func start(t *testing.T) *fake {
	t.Helper()
	f := &fake{backend: s3mem.New()}
	f.behind = gofakes3.New(f.backend).Server()
	if err := f.backend.CreateBucket("parts"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_S3": server.URL, "AWS_ACCESS_KEY_ID": keyID, "AWS_SECRET_ACCESS_KEY": secret,
		"AWS_REGION": "eu-central-1", "AWS_EC2_METADATA_DISABLED": "true", "AWS_ENDPOINT_URL": "",
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(t.TempDir(), "none"), "TMPDIR": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	return f
}

// open opens a place on it.
func open(t *testing.T, address string) place.Files {
	t.Helper()
	at, err := place.Open(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// put writes a file.
func put(at place.Files, name string, text []byte) error {
	return at.Write(context.Background(), name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// lost ends a connection.
func lost(t *testing.T, w http.ResponseWriter) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	connection.Close()
}

// nothingLeft tells whether anything is left among temporary files.
func nothingLeft(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v %v", left, err)
	}
}

func TestFiles(t *testing.T) {
	start(t)
	ctx := context.Background()
	at, other := open(t, "s3://parts/some/where/"), open(t, "s3://parts")
	for size, name := range map[int]string{0: "empty", 1: "a/b", 40 << 20: "large"} {
		text := bytes.Repeat([]byte("0123456789abcde\n"), size/16+1)[:size]
		for range 2 { // over what is there
			if err := put(at, name, text); err != nil {
				t.Fatal(err)
			}
		}
		for from, name := range map[place.Files]string{at: name, other: "some/where/" + name} {
			if got, err := place.Read(ctx, from, name); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
		for range 2 {
			if err := at.Remove(ctx, name); err != nil {
				t.Error(err)
			}
		}
		if _, err := at.Open(ctx, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s has been removed: %v", name, err)
		}
	}
	if at.Address("x") != "s3://parts/some/where/x" || at.Address("") != "s3://parts/some/where" {
		t.Error(at.Address("x"), at.Address(""))
	}
	failed := errors.New("it could not be made")
	if err := at.Write(ctx, "none", func(io.Writer) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	if _, err := at.Open(ctx, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("what could not be made is there")
	}
	nothingLeft(t)
}

func TestAddresses(t *testing.T) {
	start(t)
	for _, address := range []string{"s3://", "s3:///x", "s3://me:hidden@parts/x", "s3://parts/x?hidden=1"} {
		if _, err := place.Open(context.Background(), address); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", address, err)
		}
	}
	t.Setenv("AWS_ENDPOINT_URL_S3", "https://me:hidden@host")
	if _, err := place.Open(context.Background(), "s3://parts"); err == nil || strings.Contains(err.Error(), "hidden") {
		t.Error(err)
	}
	if _, err := place.Open(context.Background(), "gs://parts"); err == nil || !strings.Contains(err.Error(), "place-scheme") {
		t.Error(err)
	}
}

// A connection that is lost in the middle of a file is made again, and the file goes on where it was.
func TestLostWhileReading(t *testing.T) {
	f := start(t)
	at := open(t, "s3://parts/x")
	text := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	if err := put(at, "file", text); err != nil {
		t.Fatal(err)
	}
	ranges := []string{}
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet || len(ranges) == 4 {
			return false
		}
		ranges = append(ranges, r.Header.Get("Range"))
		answer := httptest.NewRecorder()
		f.behind.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()))
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Next(100_000))
		lost(t, w)
		return true
	}
	got, err := place.Read(context.Background(), at, "file")
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes of %d: %v", len(got), len(text), err)
	}
	if len(ranges) != 4 || ranges[1] == ranges[0] {
		t.Errorf("asked for %q", ranges)
	}
	// What has changed meanwhile is an error, and not half of each.
	ranges = nil
	file, err := at.Open(context.Background(), "file")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(file, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if err := put(at, "file", text[:len(text)-1]); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(file); err == nil {
		t.Error("the file has changed, and nothing is said")
	}
}

// What arrives damaged is refused and sent again; what never arrives is not there at all, and not in part.
func TestLostWhileWriting(t *testing.T) {
	f := start(t)
	at := open(t, "s3://parts/x")
	text := bytes.Repeat([]byte("0123456789abcde\n"), 5<<17)
	for name, c := range map[string]struct {
		size, times int
		fault       func(w http.ResponseWriter, r *http.Request) bool
		arrives     bool
	}{
		"lost once": {1000, 2, func(w http.ResponseWriter, r *http.Request) bool {
			io.CopyN(io.Discard, r.Body, 10)
			lost(t, w)
			return true
		}, true},
		"busy": {1000, 3, func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, true},
		"damaged": {1000, 1000, func(_ http.ResponseWriter, r *http.Request) bool {
			body, _ := io.ReadAll(r.Body)
			body[bytes.Index(body, []byte("789ab"))] ^= 1
			r.Body = io.NopCloser(bytes.NewReader(body))
			return false
		}, false},
		"second part lost": {40 << 20, 1000, func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("partNumber") != "2" {
				return false
			}
			w.WriteHeader(http.StatusForbidden)
			return true
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			left := c.times
			f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodPut || left == 0 {
					return false
				}
				left--
				return c.fault(w, r)
			}
			large := bytes.Repeat(text, 1+c.size/len(text))[:c.size]
			err := put(at, name, large)
			f.wrong = nil
			got, missing := place.Read(context.Background(), at, name)
			switch {
			case c.arrives && (err != nil || !bytes.Equal(got, large)):
				t.Errorf("%d bytes: %v", len(got), err)
			case !c.arrives && (err == nil || !errors.Is(missing, fs.ErrNotExist)):
				t.Errorf("%v, and %d bytes are there: %v", err, len(got), missing)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Error(err)
			}
			if err := put(at, name, large); err != nil {
				t.Error(err)
			}
			nothingLeft(t)
		})
	}
}

// Keys that are wrong, or none, are an error that says so and does not repeat them.
func TestWrongKeys(t *testing.T) {
	f := start(t)
	at := open(t, "s3://parts/x")
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `<Error><Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated does not match `+
			`the signature you provided.</Message><AWSAccessKeyId>%s</AWSAccessKeyId><StringToSign>%s</StringToSign></Error>`,
			keyID, secret)
		return true
	}
	_, reading := at.Open(context.Background(), "file")
	for what, err := range map[string]error{"reading": reading, "writing": put(at, "file", []byte("x")),
		"removing": at.Remove(context.Background(), "file")} {
		if err == nil || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), keyID) ||
			errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "s3://parts/x/file") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if asked := f.asked.Load(); asked > 6 {
		t.Errorf("%d requests were made with keys that are wrong", asked)
	}
}

// deeppsl runs the command, and returns what it said.
func deeppsl(t *testing.T, arguments ...string) (code int, out, told string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Main(arguments, strings.NewReader(""), &stdout, &stderr)
	if strings.Contains(stdout.String()+stderr.String(), secret) {
		t.Errorf("%q tells the secret: %s%s", arguments, &stdout, &stderr)
	}
	return code, stdout.String(), stderr.String()
}

// must runs it, and expects that it goes well.
func must(t *testing.T, arguments ...string) string {
	t.Helper()
	code, out, told := deeppsl(t, arguments...)
	if code != 0 {
		t.Fatalf("%q: exit code %d\n%s%s", arguments, code, out, told)
	}
	return out
}

// project writes one of towns, or of a ring, and returns its configuration.
func project(t *testing.T, ring bool) string {
	t.Helper()
	dir := t.TempDir()
	var friends, targets strings.Builder
	for k := range 120 {
		next := k/6*6 + (k+1)%6
		if ring {
			next = (k + 1) % 120
		}
		fmt.Fprintf(&friends, "p%d\tp%d\t0.%d\n", k, next, 1+k*7%9)
		fmt.Fprintf(&targets, "p%d\n", k)
	}
	for name, text := range map[string]string{"friends.txt": friends.String(), "targets.txt": targets.String(),
		"model.json": `{"predicates": {"Friends/2": {"observations": ["friends.txt"]}, "Smokes/1": {"targets": ["targets.txt"]}},
 "rules": ["3: Friends(A, B) & Smokes(A) -> Smokes(B) ^2", "2: Friends(A, B) -> Smokes(A) ^2", "1: !Smokes(A) ^2"]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "model.json")
}

// atoms are those that merge wrote.
func atoms(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "SMOKES.txt"))
	if err != nil || len(text) == 0 {
		t.Fatal(err)
	}
	return string(text)
}

// The parts of a plan on S3 have the bits of those in a folder, whatever is lost on the way.
func TestShards(t *testing.T) {
	f := start(t)
	config, out := project(t, false), t.TempDir()
	here, there := filepath.Join(out, "parts"), "s3://parts/plans/one"
	must(t, "shard", config, "--into", "3", here)
	for k := 1; k <= 3; k++ {
		must(t, "run", "-q", "--shard", fmt.Sprintf("%d/3", k), here)
	}
	must(t, "merge", here, "-o", filepath.Join(out, "here"))

	count := 0
	f.wrong = func(w http.ResponseWriter, r *http.Request) bool { // every seventh request is lost
		if count++; count%7 > 0 {
			return false
		}
		lost(t, w)
		return true
	}
	if told := must(t, "shard", config, "--into", "3", there); strings.Contains(told, "already") {
		t.Error(told)
	}
	if told := must(t, "shard", config, "--into", "3", there); !strings.Contains(told, there+" has these parts already") {
		t.Error(told)
	}
	must(t, "run", "-q", "--shard", "2/3", there)
	if told := must(t, "run", "-q", "--shard", "2/3", there); !strings.Contains(told, "(0 solved now)") {
		t.Error(told)
	}
	if code, _, told := deeppsl(t, "merge", there); code != 2 ||
		!strings.Contains(told, "deeppsl run --shard 1/3 "+there) {
		t.Errorf("exit code %d: %s", code, told)
	}
	must(t, "run", "-q", "--shard", "1/3", there)
	must(t, "run", "-q", "--shard", "3/3", there)
	must(t, "merge", there, "-o", filepath.Join(out, "there"))
	if atoms(t, filepath.Join(out, "here")) != atoms(t, filepath.Join(out, "there")) {
		t.Error("the answers differ")
	}
	if code, _, told := deeppsl(t, "shard", config, "--into", "4", there); code != 2 ||
		!strings.Contains(told, "has the parts of something else") {
		t.Errorf("exit code %d: %s", code, told)
	}
	nothingLeft(t)
}

// What is damaged or missing on S3 is named, and made again.
func TestDamagedShards(t *testing.T) {
	f := start(t)
	config, there := project(t, false), "s3://parts/p"
	at := open(t, there)
	must(t, "shard", config, "--into", "2", there)
	for k := 1; k <= 2; k++ {
		must(t, "run", "-q", "--shard", fmt.Sprintf("%d/2", k), there)
	}
	for name, command := range map[string][]string{
		"cells/0001/SMOKES.targets.txt": {"run", "--shard", "1/2", there, "--gap", "1e-5"},
		"answers/0001.values":           {"merge", there},
		"answers/0001.json":             {"merge", there},
		"manifest.json":                 {"merge", there},
	} {
		whole, err := place.Read(context.Background(), at, name)
		if err != nil {
			t.Fatal(err)
		}
		damaged := bytes.Clone(whole)
		damaged[max(len(damaged)/2, bytes.LastIndex(damaged, []byte(`sha256": "`))+11)] ^= 1
		if err := put(at, name, damaged); err != nil {
			t.Fatal(err)
		}
		code, _, told := deeppsl(t, command...)
		if code != 2 || !strings.Contains(told, there+"/"+name) || !strings.Contains(told, "damaged") {
			t.Errorf("%s is damaged: exit code %d: %s", name, code, told)
		}
		if err := at.Remove(context.Background(), name); err != nil {
			t.Fatal(err)
		}
		if code, _, told := deeppsl(t, command...); code != 2 || !strings.Contains(told, "[shard-") {
			t.Errorf("%s is missing: exit code %d: %s", name, code, told)
		}
		must(t, "shard", config, "--into", "2", there)
		must(t, "run", "-q", "--shard", "1/2", there)
		must(t, "merge", there, "-q")
	}
	// What cannot be reached is no reason to make anything again.
	f.wrong = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	}
	for _, command := range [][]string{{"shard", config, "--into", "2", there}, {"merge", there}, {"run", "--shard", "1/2", there}} {
		if code, _, told := deeppsl(t, command...); code != 1 || !strings.Contains(told, there) {
			t.Errorf("%q without access: exit code %d: %s", command, code, told)
		}
	}
	nothingLeft(t)
}

// Blocks agree through S3, to the bits of those that do through a folder.
func TestBlocks(t *testing.T) {
	start(t)
	config, out := project(t, true), t.TempDir()
	there := "s3://parts/ring"
	for _, parts := range []string{filepath.Join(out, "parts"), there} {
		must(t, "shard", config, "--by", "vertices", "--into", "2", parts, "--gap", "1e-6")
		ended := make(chan int)
		for k := 1; k <= 2; k++ {
			go func() {
				code, _, _ := deeppsl(t, "run", "-q", "--shard", fmt.Sprintf("%d/2", k), parts)
				ended <- code
			}()
		}
		if first, second := <-ended, <-ended; first != 0 || second != 0 {
			t.Fatal(first, second)
		}
		must(t, "merge", parts, "-o", filepath.Join(out, filepath.Base(parts)+"-answer"))
	}
	if atoms(t, filepath.Join(out, "parts-answer")) != atoms(t, filepath.Join(out, "ring-answer")) {
		t.Error("the answers differ")
	}
}
