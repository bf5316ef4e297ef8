//go:build !(linux || darwin || freebsd)

package scratch

import "errors"

// Supported tells whether this system can map files.
const Supported = false

func mapFile(disk, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func forget([]byte) {}

func unmap([]byte) error { return nil }

// Free returns how many bytes a folder's disk has left, if the system says so.
func Free(string) (bytes int64, ok bool) { return 0, false }
