package dataset

// Images are pictures in grey with a label each.
type Images struct {
	Rows, Columns int
	Pixels        []byte // Rows · Columns per picture, row by row; 0 is the background
	Labels        []byte
}

// Len returns the number of pictures.
func (m *Images) Len() int { return len(m.Labels) }

// Slice returns the pictures from lo to hi, which shares their memory.
func (m *Images) Slice(lo, hi int) *Images {
	size := m.Rows * m.Columns
	return &Images{Rows: m.Rows, Columns: m.Columns, Pixels: m.Pixels[lo*size : hi*size], Labels: m.Labels[lo:hi]}
}

// Pixel returns the pixels of one picture.
func (m *Images) Pixel(k int) []byte {
	size := m.Rows * m.Columns
	return m.Pixels[k*size : (k+1)*size]
}
