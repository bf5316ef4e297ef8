// Package browsertest looks at the pages of deeppsl inspect as people do: in a browser. It is a module of its own, since
// what drives a browser is large. It takes Chromium; without one it skips, unless DEEPPSL_BROWSER is "required". The
// accessibility checker axe-core is read from the file that DEEPPSL_AXE names.
package browsertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// script, right and long are names that a page must show as text.
const (
	script = `<script>document.title='taken'</script>`
	right  = `شركة النور`
)

var long = strings.Repeat("x", 10_000)

// newSite serves the pages of a small model with such names by a process of its own, and returns their root.
func newSite(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "deeppsl")
	build := exec.Command("go", "build", "-o", program, "./cmd/deeppsl")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	names, err := json.Marshal([]string{"ann", script, right, long})
	if err != nil {
		t.Fatal(err)
	}
	var people []string
	if err := json.Unmarshal(names, &people); err != nil {
		t.Fatal(err)
	}
	var knows, targets, truth [][]any
	for k := range people[1:] {
		knows = append(knows, []any{people[k], people[k+1]})
		targets = append(targets, []any{people[k+1], "jazz"})
		truth = append(truth, []any{people[k+1], "jazz", k % 2})
	}
	config, err := json.Marshal(map[string]any{
		"rules": []string{"1: Knows(A, B) & Likes(A, T) -> Likes(B, T) ^2", "0.4: !Likes(A, T) ^2"},
		"predicates": map[string]any{
			"Knows/2": map[string]any{"observations": knows},
			"Likes/2": map[string]any{"observations": [][]any{{"ann", "jazz", 0.9}}, "targets": targets, "truth": truth,
				"evaluations": []string{"Discrete"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "model.json")
	if err := os.WriteFile(path, config, 0o666); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(program, "inspect", path, "--listen", "127.0.0.1:0", "--json")
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt)
		if err := server.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var served struct{ URL string }
	if err := json.Unmarshal(line, &served); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return served.URL
}

// newBrowser starts Chromium, or skips the test.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		if os.Getenv("DEEPPSL_BROWSER") == "required" {
			t.Fatal("there is no Chromium")
		}
		t.Skip("there is no Chromium to look at the pages with")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return ctx
}

// complaints collects what a browser complains of, and requests that leave this machine.
type complaints struct {
	mu  sync.Mutex
	all []string
}

func (c *complaints) add(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, fmt.Sprintf(format, args...))
}

// listen collects from now on.
func (c *complaints) listen(ctx context.Context) error {
	return chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
				c.add("%s: %s", e.Entry.URL, e.Entry.Text)
			}
		case *runtime.EventExceptionThrown:
			c.add("exception: %v", e.ExceptionDetails)
		case *runtime.EventConsoleAPICalled:
			c.add("console: %s %v", e.Type, e.Args)
		case *network.EventRequestWillBeSent:
			to, err := url.Parse(e.Request.URL)
			if err != nil || to.Scheme != "data" && to.Hostname() != "127.0.0.1" {
				c.add("a request to %s", e.Request.URL)
			}
		}
	})
}

// run returns what an action does.
func run[T any](t *testing.T, ctx context.Context, action chromedp.Action[T]) T {
	t.Helper()
	found, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// do runs actions that return nothing.
func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

const linked = `Array.from(document.querySelectorAll('a[href]'), a => new URL(a.getAttribute('href'), location).href)`

// maxPages bounds how many pages are visited.
const maxPages = 60

// visit calls look on each page that links lead to, from the root on.
func visit(t *testing.T, ctx context.Context, root string, look func(t *testing.T, at string)) {
	t.Helper()
	seen, next := map[string]bool{root: true}, []string{root}
	for k := 0; k < len(next) && k < maxPages; k++ {
		do(t, ctx, chromedp.Navigate(next[k]))
		title, links := run(t, ctx, chromedp.Title()), run(t, ctx, chromedp.Evaluate[[]string](linked))
		if !strings.HasSuffix(title, " · model.json") {
			t.Errorf("%.200s: the title is %.100q", next[k], title)
		}
		look(t, next[k])
		for _, link := range links {
			page, _, _ := strings.Cut(link, "#")
			if !seen[page] {
				seen[page] = true
				next = append(next, page)
			}
		}
	}
	if len(next) < 15 {
		t.Errorf("only %d pages", len(next))
	}
}

// TestPages visits every page, in light and dark, and finds no complaint of the browser's, no request that leaves this
// machine, and nothing that keeps people from using it.
func TestPages(t *testing.T) {
	ctx, axe := newBrowser(t), readAxe(t)
	root := newSite(t)
	var found complaints
	if err := found.listen(ctx); err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			feature := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
			params := emulation.SetEmulatedMediaParams{Features: feature}
			if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, params); err != nil {
				t.Fatal(err)
			}
			visit(t, ctx, root, func(t *testing.T, at string) { judge(t, ctx, axe, at) })
		})
	}
	for _, complaint := range found.all {
		t.Errorf("%.400s", complaint)
	}
}

// readAxe reads the checker; "" if there is none.
func readAxe(t *testing.T) string {
	t.Helper()
	path := os.Getenv("DEEPPSL_AXE")
	if path == "" {
		if os.Getenv("DEEPPSL_BROWSER") == "required" {
			t.Fatal("DEEPPSL_AXE names no file of axe-core")
		}
		t.Log("DEEPPSL_AXE names no file of axe-core: accessibility is not looked at")
		return ""
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// judge runs the checker on the page that the browser shows.
func judge(t *testing.T, ctx context.Context, axe, at string) {
	t.Helper()
	if axe == "" {
		return
	}
	run(t, ctx, chromedp.Evaluate[int](axe+"\n;0"))
	violations := run(t, ctx, chromedp.Evaluate[[]struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML string }
	}](`axe.run().then(r => r.violations)`, chromedp.EvalAwaitPromise))
	for _, v := range violations {
		if v.Impact == "serious" || v.Impact == "critical" {
			t.Errorf("%.200s: %s (%s): %s: %.300v", at, v.ID, v.Impact, v.Help, v.Nodes)
		}
	}
}

// TestWithoutScripts shows that the pages, and the form, work where scripts are off.
func TestWithoutScripts(t *testing.T) {
	ctx := newBrowser(t)
	root := newSite(t)
	off := emulation.SetScriptExecutionDisabledParams{Value: true}
	if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, off); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate(root+"atoms?q=title"))
	text := run(t, ctx, chromedp.Text("tbody"))
	do(t, ctx, chromedp.Navigate(root+"atom?name="+url.QueryEscape(`Likes('`+right+`', 'jazz')`)))
	heading := run(t, ctx, chromedp.Text("h1"))
	do(t, ctx, chromedp.SendKeys("#fact", `Likes('ann', 'jazz')`), chromedp.SendKeys("#to", "0\r"))
	answer := run(t, ctx, chromedp.Text(`p[role="status"]`))
	if !strings.Contains(text, "<script>") {
		t.Errorf("a name is not shown as text: %.200q", text)
	}
	if !strings.Contains(heading, right) {
		t.Errorf("the heading is %q", heading)
	}
	if !strings.Contains(answer, "Likes('ann', 'jazz') = 0 instead of 0.9: it would be") {
		t.Errorf("the form answered %q", answer)
	}
}

// TestKeyboard goes from the first key to the content.
func TestKeyboard(t *testing.T) {
	ctx := newBrowser(t)
	root := newSite(t)
	do(t, ctx, chromedp.Navigate(root), chromedp.KeyEvent("\t"))
	first := run(t, ctx, chromedp.Evaluate[string](`document.activeElement.textContent`))
	do(t, ctx, chromedp.KeyEvent("\r"), chromedp.Sleep(200*time.Millisecond))
	then := run(t, ctx, chromedp.Evaluate[string](`document.activeElement.id`))
	if first != "To the content" || then != "content" {
		t.Errorf("the first key leads to %q, and from there to %q", first, then)
	}
}

// TestDrawing enlarges a drawing by keys and buttons, finds no two boxes that lie upon each other, and goes by one to
// the page of its atom.
func TestDrawing(t *testing.T) {
	ctx := newBrowser(t)
	root := newSite(t)
	do(t, ctx, chromedp.Navigate(root+"atom?nodes=200&name="+url.QueryEscape(`Likes('`+right+`', 'jazz')`)))
	width := func() float64 {
		return run(t, ctx, chromedp.Evaluate[float64](`document.querySelector('.stage svg').getBoundingClientRect().width`))
	}
	natural := width()
	do(t, ctx, chromedp.Focus(".stage"), chromedp.KeyEvent("+"))
	larger := width()
	do(t, ctx, chromedp.Click(".tools button:nth-of-type(2)"))
	largest := width()
	do(t, ctx, chromedp.Focus(".stage"), chromedp.KeyEvent("-"))
	smaller := width()
	do(t, ctx, chromedp.KeyEvent("0"))
	if whole := width(); !(natural < larger && larger < largest && smaller < largest && whole <= natural) {
		t.Errorf("the widths are %v, %v, %v, %v and %v", natural, larger, largest, smaller, whole)
	}
	const upon = `(() => {
		const boxes = Array.from(document.querySelectorAll('.stage g rect:first-of-type'), r => r.getBoundingClientRect());
		return boxes.filter((a, k) => boxes.some((b, j) => j < k &&
			a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length + (boxes.length < 3);
	})()`
	if n := run(t, ctx, chromedp.Evaluate[int](upon)); n > 0 {
		t.Errorf("%d boxes lie upon others", n)
	}
	do(t, ctx, chromedp.Click(".stage a:nth-of-type(2)"), chromedp.Sleep(300*time.Millisecond))
	if heading := run(t, ctx, chromedp.Text("h1")); strings.Contains(heading, "('"+right) {
		t.Errorf("a box leads to %q", heading)
	}
}
