package report

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// unfinished is how the names of files begin that are being written. Their process holds a lock on them.
const unfinished = ".deeppsl-"

// young is the age below which an unfinished file is left alone: its process may be about to lock it.
const young = time.Minute

// swept are the folders that this process has looked through.
var swept sync.Map

// sweep removes the unfinished files of a folder whose processes were killed: those that nobody has locked.
func sweep(dir string) {
	if _, done := swept.LoadOrStore(dir, true); done {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasPrefix(entry.Name(), unfinished) &&
			info.Mode().IsRegular() && time.Since(info.ModTime()) > young {
			removeAbandoned(filepath.Join(dir, entry.Name()))
		}
	}
}

// removeAbandoned removes a file that nobody has locked. What cannot be removed stays: it harms nobody.
func removeAbandoned(path string) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer file.Close()
	if Lock(file) == nil {
		_ = os.Remove(path)
	}
}
