package neural

import "github.com/deeppsl/deeppsl/neural/features"

// Picture returns a row of the features as an image, [height, width, channels] row by row, if it is one: of a network
// of kind "cnn", or from a file of format "idx" with as many rows as columns. Channels are 1 or 3; ok is false of
// others.
func (s *Spec) Picture(f *features.Table, row int32) (height, width, channels int, pixels []float32, ok bool) {
	if s.Kind != convolutional && s.Format != features.IDX || row < 0 || int(row) >= f.Len() {
		return 0, 0, 0, nil, false
	}
	size, err := s.imageShape(f.Width())
	if err != nil || size.channels != 1 && size.channels != 3 {
		return 0, 0, 0, nil, false
	}
	pixels = make([]float32, f.Width())
	f.Gather([]int32{row}, pixels)
	return size.height, size.width, size.channels, pixels, true
}
