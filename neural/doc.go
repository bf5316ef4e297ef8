// Package neural provides the neural predicates of a program: p(u; ω) of the paper.
package neural

import (
	_ "github.com/gomlx/compute/gobackend" // the pure Go backend
	_ "github.com/gomlx/gomlx/core/graph"
)
