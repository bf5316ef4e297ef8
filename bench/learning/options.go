package main

import "time"

// options are the command's arguments.
type options struct {
	tasks             []*task
	seeds             uint64
	threads, parallel int
	limit             time.Duration
	set               []string
	out, peers, write string
	json, list, quick bool
}
