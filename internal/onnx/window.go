package onnx

// window is how a convolution or a pool goes over images: sizes, steps and margins along height and width. Signals of
// one dimension are images of height 1.
type window struct {
	kernel, stride, dilation, before, after [2]int
	same                                    string // how margins follow from sizes, if they do
	ceil                                    bool
	dims                                    int  // that lists of sizes have; 0 if there are none
	given                                   bool // the kernel is
}

// readWindow takes the attributes that convolutions and pools share.
func readWindow(a *attributes) window {
	w := window{stride: [2]int{1, 1}, dilation: [2]int{1, 1}, kernel: [2]int{1, 1}}
	kernel, stride, dilation, pads := a.ints("kernel_shape"), a.ints("strides"), a.ints("dilations"), a.ints("pads")
	n := max(len(kernel), len(stride), len(dilation), len(pads)/2)
	w.dims, w.given = n, kernel != nil
	if n > 2 {
		a.wrong("it goes over %d dimensions; one and two are supported", n)
		return w
	}
	fill := func(into *[2]int, list []int, least int) {
		for k, v := range list {
			if v < least || v > 1<<20 || len(list) != n {
				a.wrong("%v is no list of %d sizes", list, n)
				return
			}
			into[k+2-n] = v
		}
	}
	fill(&w.kernel, kernel, 1)
	fill(&w.stride, stride, 1)
	fill(&w.dilation, dilation, 1)
	if len(pads)%2 != 0 {
		a.wrong("pads %v are not two for each dimension", pads)
		return w
	}
	fill(&w.before, pads[:len(pads)/2], 0)
	fill(&w.after, pads[len(pads)/2:], 0)
	switch w.same = a.text("auto_pad", "NOTSET"); w.same {
	case "NOTSET":
		w.same = ""
	case "VALID", "SAME_UPPER", "SAME_LOWER":
		w.before, w.after = [2]int{}, [2]int{}
	default:
		a.wrong("auto_pad = %q is not known", w.same)
	}
	return w
}

// image is the shape of a batch of images, [count, channels, height, width].
type image struct{ count, channels, height, width int }

func (i image) pixels() int { return i.height * i.width }

// imageOf reads a shape [count, channels, height, width], or one without height.
func imageOf(shape []int) image {
	switch len(shape) {
	case 3:
		return image{shape[0], shape[1], 1, shape[2]}
	case 4:
		return image{shape[0], shape[1], shape[2], shape[3]}
	}
	fail("shape %v is none of images: [rows, channels, height, width] is wanted", shape)
	return image{}
}

// shape is the inverse of imageOf for a rank.
func (i image) shape(rank int) []int {
	if rank == 3 {
		return []int{i.count, i.channels, i.width}
	}
	return []int{i.count, i.channels, i.height, i.width}
}

// over returns the window with its margins, and the shape of what comes out, for images of a shape.
func (w window) over(in image) (window, image) {
	out, size := in, [2]int{in.height, in.width}
	var result [2]int
	for k := range 2 {
		span := (w.kernel[k]-1)*w.dilation[k] + 1
		if w.same == "SAME_UPPER" || w.same == "SAME_LOWER" {
			pad := max(0, (size[k]+w.stride[k]-1)/w.stride[k]*w.stride[k]-w.stride[k]+span-size[k])
			w.before[k], w.after[k] = pad/2, pad-pad/2
			if w.same == "SAME_LOWER" {
				w.before[k], w.after[k] = w.after[k], w.before[k]
			}
		}
		room := size[k] + w.before[k] + w.after[k] - span
		if room < 0 {
			fail("windows of %d do not fit images of %d pixels with margins %d and %d", span, size[k], w.before[k], w.after[k])
		}
		result[k] = room/w.stride[k] + 1
		if w.ceil && room%w.stride[k] != 0 && result[k]*w.stride[k] < size[k]+w.before[k] {
			result[k]++
		}
	}
	out.height, out.width = result[0], result[1]
	return w, out
}

// check is a failure if the window has another number of dimensions than images of a rank.
func (w window) check(rank int) {
	if w.dims > 0 && w.dims != rank-2 {
		fail("the window has %d dimensions, and the images have %d", w.dims, rank-2)
	}
}

// span is what a window sees of one dimension: the elements first, first+step, … below limit.
func (w window) span(k, at, size int) (first, limit, step int) {
	step = w.dilation[k]
	first = at*w.stride[k] - w.before[k]
	limit = min(size, first+(w.kernel[k]-1)*step+1)
	if first < 0 {
		first += (step - 1 - first) / step * step
	}
	return first, limit, step
}
