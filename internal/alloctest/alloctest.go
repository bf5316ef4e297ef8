// Package alloctest measures what code allocates, for tests that hold readers of files to a bound.
package alloctest

import "runtime"

// Bytes returns how many bytes f allocates, those that it gives back included. Nothing else may run beside it.
func Bytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Damage sets all bits of a byte of data, then flips them, and calls visit each time with the place of the byte; and so
// for all bytes, one after the other. data is as before when Damage returns.
func Damage(data []byte, visit func(at int)) {
	for at, was := range data {
		for _, b := range [...]byte{0xff, ^was} {
			data[at] = b
			visit(at)
		}
		data[at] = was
	}
}
