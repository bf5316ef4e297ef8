// Package stagestest has the tests of the stages of learning from labels by default: a package of its own, as go test
// gives each ten minutes.
package stagestest
