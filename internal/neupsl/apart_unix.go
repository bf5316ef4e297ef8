//go:build unix

package neupsl

import (
	"os/exec"
	"syscall"
)

// apart keeps Ctrl-C, which ends learning with what there is, from ending the server before.
func apart(process *exec.Cmd) { process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
