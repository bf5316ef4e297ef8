//go:build !unix

package neupsl

import "os/exec"

// apart would keep interrupts from the process, which have another form here.
func apart(*exec.Cmd) {}
