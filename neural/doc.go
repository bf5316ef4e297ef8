// Package neural provides the neural predicates of a program, p(u; ω) of the paper: networks that turn feature vectors
// u into the truth of atoms, and the gradients of a loss in their parameters ω.
//
// A System is built from specifications, feature tables and a seed. Bind connects it to the perceived atoms of a
// ground model and gives a Perception, whose Forward computes their truth and whose Backward takes ∂L/∂x:
//
//	specs, err := neural.ParseSpecs([]byte(`{
//		"neural":  {"features": "words", "normalize": "rows", "hidden": [16], "dropout": 0.2, "outputs": 7},
//		"similar": {"kind": "siamese", "encoder": "neural", "distance": 16}
//	}`))
//	system, err := neural.New(specs, map[string]*features.Table{"words": words}, seed)
//	perception, err := system.Bind(atoms, bindings...)
//
// # Kinds
//
// An mlp classifies one row: affine hidden layers, each followed by the activation and by dropout, and a softmax or
// sigmoid output of the last one and of the row itself (Skip). A siamese network compares two rows: both go through
// the same hidden layers, and a distance layer weighs, node by node, how far apart they come out (Koch, Zemel and
// Salakhutdinov, 2015), and, column by column, how far apart the rows themselves are, and their products (Skip). Its
// encoder, if it has one, is an mlp whose first layers it shares, as in the paper's task T2; both have no skip then. A
// cnn classifies one image: convolutions with maxima, then the layers of an mlp; presets are the paper's network of
// task T1 and LeNet-5. A Function is any other classifier, in Go; package neural/gomlx makes one of a GoMLX graph.
//
// # Batches
//
// Bind fixes how many rows are computed and for which atoms; Select chooses which rows they are, again and again, so
// that a small ground model serves all batches of its shape. Predict computes any number of rows in pieces.
//
// # Determinism
//
// Outputs and gradients have the same bits for any number of threads. Initial values are a function of the seed and
// the parameter's name; dropout is a function of the seed that Forward is given, the layer, the entity and the node,
// so that it does not depend on which other rows are computed.
//
// # One engine
//
// All kinds run on the products of internal/kernel, which are written in assembly, or in Go where there is none for
// the processor. A library would have done if it had taken at most one and a half times as long. GoMLX, which ran a
// part of this package before, takes 2.4 to 25 times as long. In milliseconds on two busy cores, each the better of
// two runs of 20, in turns; the last column is built with GOEXPERIMENT=simd. The shapes are those of the paper's T2:
// 2708 documents of 1433 words with 49,216 nonzeros, 16 hidden nodes, 7 classes; and of the second convolution of T1
// with a batch of 32 images, [18432, 288]·[288, 64]:
//
//	                                   here    GoMLX 0.28.0    0.28.3, compute 0.1.5
//	first layer X·W, sparse            0.54       63  (dense)        52       38
//	first layer X·W, dense             1.9        63                 52       38
//	all after it, forward              0.34       0.89               0.82     1.7
//	all after it, backward             0.33       2.5                2.3      4.6
//	T1's second convolution            12        317                244       76
//
// Before, with GoMLX's convolution, a batch of 32 images of T1 was trained in 3.5 s, and in 190 ms with slices, a
// concatenation and one product; here it takes 14 ms. So GoMLX is loaded only where a program's own graph wants it.
//
// The first layer multiplies sparse features by rows forward and by columns backward; networks that share it share its
// result; and the distance layer walks over pairs forward and over the pairs of each row backward. A convolution's
// patches are read where they lie in the image. Backward, maxima leave one gradient in four, or fewer: they go to the
// patches that they saw, each on its own, which takes 60 µs for the gradient by the weights of T1's second convolution
// and 82 µs for that by the image, where products take 144 and 133 µs (BenchmarkPatches, BenchmarkAddProduct).
//
// What an image costs beside what it needs, in batches of 32, in processor time of one core (BenchmarkCNNForward,
// BenchmarkCNNTrain); the rates count the products that maxima save as if they had been done:
//
//	                        forward                   forward and backward
//	lenet5       0.56 MFLOP    23 µs    24 GFLOP/s     1.5 MFLOP    49 µs    31 GFLOP/s
//	paper-cnn   24.0  MFLOP   220 µs   109 GFLOP/s    71.6 MFLOP   456 µs   157 GFLOP/s
//
// Of the training of the paper's network, half is in products, and a third in gradients of maxima. A step of Adam for
// its 1.2 million parameters takes 1.2 ms. Six filters fill a fifth of the registers that 32 do: hence the figures of
// lenet5.
package neural
