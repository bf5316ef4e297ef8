package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes where and with what a measurement was made.
type machine struct {
	Processor string `json:"processor,omitempty"`
	Cores     int    `json:"cores"`
	System    string `json:"system"`
	Go        string `json:"go"`
	// Load holds the number of busy processes over the last minute, at the measurement's start.
	Load string `json:"load,omitempty"`
}

// thisMachine asks the system; what it does not say stays empty.
func thisMachine() machine {
	m := machine{Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		_, after, _ := strings.Cut(string(text), "model name")
		line, _, _ := strings.Cut(after, "\n")
		m.Processor = strings.TrimLeft(line, "\t :")
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load, _, _ = strings.Cut(string(text), " ")
	}
	return m
}

func (m machine) String() string {
	text := fmt.Sprintf("%s, %d cores, %s, %s", m.Processor, m.Cores, m.System, m.Go)
	if m.Load != "" {
		text += ", load " + m.Load
	}
	return strings.TrimPrefix(text, ", ")
}
