// Package dataset generates the data that demonstrations, examples and tests run on: citation networks, drawn digits
// and customer files. It splits documents at random.
package dataset
