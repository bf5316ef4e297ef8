// Package onnx reads networks from ONNX files, computes their outputs and the gradients by their parameters, and writes
// them with other parameters.
//
// A file is a graph of operators over tensors. Read checks all of it before anything is computed: operators that are
// not supported are listed with the names of their nodes (UnsupportedError), what only depends on constants is computed
// once, and the network runs once on made-up rows, which shows whether shapes fit and whether a row's outputs depend on
// that row alone, as they must.
//
//	model, err := onnx.Read(data, onnx.Options{Features: 784})
//	err = model.Forward(values, features, outputs, threads) // a matrix [rows, model.Outputs()]
//	err = model.Backward(nil, values, features, upstream, gradients, threads)
//
// Rows are computed in pieces, side by side; what is kept of a piece are its outputs, unless Record keeps the rest for
// Backward, which else computes it once more, so that memory does not grow with the number of rows. Gradients of pieces
// are added in their order: the bits do not depend on the number of threads.
//
// # Why here
//
// The Go library that reads ONNX is onnx-gomlx. Its version 0.3.4 wants GoMLX 0.26, where package neural/gomlx has
// 0.28; a program of nothing but both takes 9.0 MB, stripped. What is here runs on internal/kernel, whose products are
// several times as fast as GoMLX's (see package neural), and adds 0.2 MB.
package onnx
