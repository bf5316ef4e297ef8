package neural

import (
	"slices"
	"sync"

	"github.com/deeppsl/deeppsl/internal/parallel"
)

// cnnRunner runs a convolutional network on the rows of a pass. Only piece images are in memory at once: more of them
// go through the network piece by piece, and again before their backward pass, so that memory does not grow with
// the number of rows.
type cnnRunner struct {
	*pass
	net          *cnn
	images       []float32 // [piece, net.image]
	convolutions []*convolutionRun
	dense        []*denseRun
	gradient     []float32 // by the output of the last convolution, [piece, size]
	partial      []float32 // gradients of the convolutions' parameters, [shards, shardSize]
	shardSize    int
	scratches    sync.Pool

	train bool // as the last forward, with its rows
	seed  uint64
	rows  []int32
}

// shard is the number of images whose gradients one task adds up; sums depend on it, not on the number of threads.
const shard = 4

func newCNNRunner(p *pass, net *cnn) *cnnRunner {
	n := min(piece, len(p.group.rows))
	r := &cnnRunner{pass: p, net: net, images: make([]float32, n*net.image.size())}
	features := net.image.size()
	for _, c := range net.convolutions {
		r.convolutions = append(r.convolutions, newConvolutionRun(c, n))
		r.shardSize += len(c.weights.Value) + len(c.biases.Value)
		features = c.out.size()
	}
	for _, d := range net.dense {
		r.dense = append(r.dense, newDenseRun(d, n, p.threads))
	}
	r.gradient = make([]float32, n*features)
	r.partial = make([]float32, (n+shard-1)/shard*r.shardSize)
	r.scratches.New = func() any { return newScratch(net) }
	return r
}

// forward computes the outputs of all rows. It copies the parameters, because an optimiser may write new ones before
// backward.
func (r *cnnRunner) forward(train bool, seed uint64) error {
	r.train, r.seed, r.rows = train, seed, r.group.rows
	for _, c := range r.convolutions {
		c.copyParameters()
	}
	for _, d := range r.dense {
		d.copyParameters()
	}
	for lo := 0; lo < len(r.rows); lo += piece {
		rows := r.rows[lo:min(lo+piece, len(r.rows))]
		copy(r.out[lo*r.network.width:], r.forwardPiece(rows))
	}
	return nil
}

// forwardPiece computes the outputs of some rows.
func (r *cnnRunner) forwardPiece(rows []int32) []float32 {
	images := r.images[:len(rows)*r.net.image.size()]
	r.group.features.Gather(rows, images)
	r.shiftImages(rows, images)
	r.dropPixels(rows, images)
	parallel.For(r.threads, len(rows), func(i int) {
		s := r.scratches.Get().(*scratch)
		for l, c := range r.convolutions {
			c.forward(i, r.imageBefore(l, i), s)
		}
		r.scratches.Put(s)
	})
	x := r.features(len(rows))
	for l, d := range r.dense {
		x = d.forward(x, len(rows))
		if l < len(r.dense)-1 {
			r.drop(l, rows)
		}
	}
	r.net.output.apply(x, r.network.width)
	return x
}

// drop applies dropout to a hidden layer.
func (r *cnnRunner) drop(layer int, rows []int32) {
	if r.train && r.net.dropout > 0 {
		d := newDropout(r.seed, dropoutName(r.net.name, layer+1), r.net.dropout)
		r.dense[layer].drop(d, rows, r.threads)
	}
}

// dropPixels applies input dropout.
func (r *cnnRunner) dropPixels(rows []int32, images []float32) {
	if r.train && r.net.inputDropout > 0 {
		d := newDropout(r.seed, r.net.name+".input", r.net.inputDropout)
		d.apply(images, make([]float32, len(images)), rows, r.net.image.size(), r.threads)
	}
}

// shiftImages moves each image at random while training, by up to the network's shift in either direction; what comes
// in at an edge is 0. The images are new to the network every time, which few of them otherwise are not.
func (r *cnnRunner) shiftImages(rows []int32, images []float32) {
	most := r.net.shift
	if !r.train || most == 0 {
		return
	}
	random, shape := newStream(r.seed, r.net.name+".shift"), r.net.image
	moved := make([]float32, shape.size())
	for i, entity := range rows {
		down := int(random.uniform(2*uint64(entity))*float64(2*most+1)) - most
		right := int(random.uniform(2*uint64(entity)+1)*float64(2*most+1)) - most
		image := row(images, i, shape.size())
		shape.shift(image, moved, down, right)
		copy(image, moved)
	}
}

// imageBefore returns what the l-th convolution reads for the i-th image of the piece.
func (r *cnnRunner) imageBefore(l, i int) []float32 {
	if l == 0 {
		return row(r.images, i, r.net.image.size())
	}
	return row(r.convolutions[l-1].out, i, r.net.convolutions[l-1].out.size())
}

// features returns what the dense layers read, a matrix with n rows.
func (r *cnnRunner) features(n int) []float32 {
	if len(r.convolutions) == 0 {
		return r.images[:n*r.net.image.size()]
	}
	last := r.convolutions[len(r.convolutions)-1]
	return last.out[:n*last.convolution.out.size()]
}

// backward adds the parameters' gradients for the upstream ones.
func (r *cnnRunner) backward() error {
	if r.network.spec.Frozen {
		return nil
	}
	for lo := 0; lo < len(r.rows); lo += piece {
		hi := min(lo+piece, len(r.rows))
		if len(r.rows) > piece {
			r.forwardPiece(r.rows[lo:hi])
		}
		r.backwardPiece(hi-lo, r.upstream[lo*r.network.width:hi*r.network.width])
	}
	return nil
}

// backwardPiece adds the gradients for the n rows of the last forwardPiece.
func (r *cnnRunner) backwardPiece(n int, upstream []float32) {
	last := r.dense[len(r.dense)-1]
	copy(last.gradient, upstream)
	r.net.output.descend(last.gradient[:len(upstream)], last.y, r.network.width)
	for l := len(r.dense) - 1; l > 0; l-- {
		r.dense[l].backward(r.dense[l-1].y, n, r.dense[l-1].gradient)
		r.dense[l-1].descend(n)
	}
	if len(r.convolutions) == 0 {
		r.dense[0].backward(r.features(n), n, nil)
		return
	}
	r.dense[0].backward(r.features(n), n, r.gradient)
	r.backwardConvolutions(n)
}

// backwardConvolutions lets each shard of images add up the gradients of the convolutions' parameters, and then adds
// the shards in order.
func (r *cnnRunner) backwardConvolutions(n int) {
	shards := (n + shard - 1) / shard
	parallel.For(r.threads, shards, func(task int) {
		s := r.scratches.Get().(*scratch)
		sums := row(r.partial, task, r.shardSize)
		clear(sums)
		for i := task * shard; i < min(n, (task+1)*shard); i++ {
			r.backwardImage(i, sums, s)
		}
		r.scratches.Put(s)
	})
	sums := row(r.partial, 0, r.shardSize)
	addRows(sums, r.partial[r.shardSize:shards*r.shardSize])
	for _, c := range slices.Backward(r.convolutions) {
		c.addWeights(sums[:len(c.weights)])
		addTo(c.convolution.biases.Gradient, sums[len(c.weights):])
		sums = sums[len(c.weights)+len(c.biases):]
	}
}

// addTo adds the first values to sums.
func addTo(sums, values []float32) {
	for i, v := range values[:len(sums)] {
		sums[i] += v
	}
}

// backwardImage adds the gradients for one image to sums, which begins with those of the last convolution.
func (r *cnnRunner) backwardImage(i int, sums []float32, s *scratch) {
	gradient := row(r.gradient, i, r.net.convolutions[len(r.convolutions)-1].out.size())
	for l, c := range slices.Backward(r.convolutions) {
		weights, rest := sums[:len(c.weights)], sums[len(c.weights):]
		biases := rest[:len(c.biases)]
		sums = rest[len(c.biases):]
		gradient = c.backward(i, r.imageBefore(l, i), gradient, weights, biases, l > 0, s)
	}
}
