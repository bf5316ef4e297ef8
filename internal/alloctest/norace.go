//go:build !race

package alloctest

// racing tells that the race detector is compiled in.
const racing = false
