package neural

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
)

// A Kind is a family of networks: the function that writes their computation as a GoMLX graph.
type Kind struct {
	// Build writes the network over a batch of rows and returns its outputs, a float32 matrix [rows, outputs]. Each
	// row of the result must depend on the same row of the input only. Build is called whenever a graph is compiled,
	// so it must be a pure function of b. It reports errors as GoMLX does: by a panic with an error, which becomes the
	// error of New or Bind.
	Build func(b *Builder) *graph.Node
	// Pairs says that the network compares two rows: Build writes one of the twins, and a distance layer follows.
	Pairs bool
}

var registry = struct {
	sync.RWMutex
	kinds map[string]Kind
}{kinds: map[string]Kind{
	"mlp":     {Build: buildMLP},
	"siamese": {Build: buildTwin, Pairs: true},
	"cnn":     {}, // written by hand, see type cnn
}}

// Register makes a kind of network available to specifications by its name. Like database drivers, kinds are
// registered by init functions; a second kind with the same name is a mistake of the program, and a panic.
func Register(name string, kind Kind) {
	registry.Lock()
	defer registry.Unlock()
	if _, exists := registry.kinds[name]; exists || kind.Build == nil {
		panic(fmt.Sprintf("neural: Register(%q): the kind exists already, or has no Build function", name))
	}
	registry.kinds[name] = kind
}

// Kinds returns the names of the registered kinds, sorted.
func Kinds() []string {
	registry.RLock()
	defer registry.RUnlock()
	return sortedKeys(registry.kinds)
}

func lookup(name string) (Kind, bool) {
	registry.RLock()
	defer registry.RUnlock()
	kind, known := registry.kinds[name]
	return kind, known
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
