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
//	system, err := neural.New(specs, map[string]*neural.Features{"words": words}, seed)
//	perception, err := system.Bind(atoms, bindings...)
//
// # Kinds
//
// An mlp classifies one row: affine hidden layers, each followed by the activation and by dropout, and a softmax or
// sigmoid output. A siamese network compares two rows: both go through the same hidden layers, and a distance layer
// weighs, node by node, how far apart they come out (Koch, Zemel and Salakhutdinov, 2015). Its encoder, if it has one,
// is an mlp whose first layers it shares, as in the paper's task T2. A cnn classifies one image: convolutions with
// maxima, then the layers of an mlp; presets are the paper's network of task T1 and LeNet-5. Register adds kinds of
// network that are Go functions over GoMLX graphs.
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
// # What GoMLX does, and what it does not
//
// GoMLX builds, differentiates and runs the networks, on its pure Go backend unless WithBackend gives another. Two
// ends are computed outside its graphs, because there they are too slow for T2, which asks for 750 passes over 2708
// documents of 1433 words with 49,216 nonzeros, 16 hidden nodes, 7 classes and 10,556 pairs, at 15 ms each at most. In
// milliseconds on two cores, forward and backward; the second pair of columns is built with GOEXPERIMENT=simd:
//
//	first layer X·W, as a dense product of GoMLX        27.5   49.6     17.9   40.7
//	first layer, as GoMLX's Gather and Scatter          13.3      —     13.3      —
//	twins and distance layer of the pairs, in GoMLX      3.7   12.0      3.7   12.1
//	classifier after the first layer, in GoMLX           0.6    2.7      0.7    2.5
//	everything, as it is here                            3.0    4.9      2.9    4.7
//
// So the first layer multiplies sparse features by rows forward and by columns backward, or dense ones with gonum's
// Sgemm, which takes 28 and 30 ms for this shape; networks that share it share its result; and the distance layer
// walks over pairs forward and over the pairs of each row backward. Everything in between, and every network that
// users register, is GoMLX's. Setting all this up, with the compilation of four graphs, takes 40 ms. The last row was
// measured on a machine busy with other work.
//
// Convolutional networks are written by hand too, on the products of internal/kernel, which read a convolution's
// patches where they lie in the image. The paper's network of task T1 trained on a batch of 32 images in 3.5 s with
// GoMLX's convolution, and in 190 ms with slices, a concatenation and one product, built with the experiment; here it
// takes 14 ms. Its second convolution as a product, [18432, 288]·[288, 64], in GFLOP/s on two cores, the best of three:
//
//	GoMLX                          4.4
//	GoMLX, GOEXPERIMENT=simd      12.7
//	gonum's Sgemm                 14.0
//	internal/kernel, AVX-512     206
//
// By processor time that is 8 GFLOP/s on a core with gonum and 125 with internal/kernel (BenchmarkLibraries of that
// package). Backward, maxima leave one gradient in four, or fewer: they go to the patches that they saw, each on its
// own, which takes 60 µs for the gradient by the weights of that convolution and 82 µs for that by the image, where
// products take 144 and 133 µs (BenchmarkPatches, BenchmarkAddProduct).
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
//
// GoMLX's matrix product does arithmetic on addresses in a way that the pointer checks of -race refuse. To look for
// races, build with -race -gcflags=all=-d=checkptr=0.
package neural
