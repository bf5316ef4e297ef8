package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of what a frame may ask for before anything of it has arrived. A body has none: it takes memory as it
// arrives.
const (
	prefixBytes = 16
	maxHeader   = 16 << 20 // bytes
	maxParts    = 1 << 16  // objects and arrays of a header, and one more for each partBytes of it
	partBytes   = 16
	alignment   = 8 // of arrays in a body
)

// magic begins every frame, so that a stream that is none is noticed at once.
var magic = [4]byte{'D', 'P', 'S', 'L'}

// frame is what crosses: a header in JSON and the arrays behind it.
type frame struct {
	header []byte
	body   []byte
}

// BrokenError is an error of the stream itself, after which nobody knows where the next frame begins.
type BrokenError struct{ error }

// Unwrap returns what the error came from.
func (b BrokenError) Unwrap() error { return b.error }

// readFrame reads one frame. The error is io.EOF where the stream ends between frames, and an BrokenError within one.
func readFrame(r io.Reader) (*frame, error) {
	var prefix [prefixBytes]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, BrokenError{fmt.Errorf("the input ends within a frame's prefix: %w", err)}
	}
	header, body := binary.LittleEndian.Uint32(prefix[4:]), binary.LittleEndian.Uint64(prefix[8:])
	switch {
	case [4]byte(prefix[:4]) != magic:
		return nil, BrokenError{fmt.Errorf("a frame begins with %q, and not with %q", prefix[:4], magic)}
	case header > maxHeader:
		return nil, BrokenError{fmt.Errorf("a header of %d bytes is longer than %d", header, maxHeader)}
	case body > math.MaxInt64:
		return nil, BrokenError{fmt.Errorf("a body of %d bytes is too long", body)}
	}
	f := &frame{}
	var err error
	if f.header, err = readBytes(r, int64(header)); err != nil {
		return nil, err
	}
	f.body, err = readBytes(r, int64(body))
	return f, err
}

// readBytes reads so many bytes, and takes memory for those alone that have arrived.
func readBytes(r io.Reader, n int64) ([]byte, error) {
	const first = 1 << 10
	read, got := make([]byte, min(n, first)), int64(0)
	for {
		more, err := io.ReadFull(r, read[got:])
		if got += int64(more); err != nil {
			return nil, BrokenError{fmt.Errorf("the input ends %d bytes before the frame does: %w", n-got, err)}
		}
		if got == n {
			return read, nil
		}
		read = append(make([]byte, 0, min(n, 4*got)), read...)
		read = read[:cap(read)]
	}
}

// arraySpec is what a header says of one array.
type arraySpec struct {
	Type   string `json:"type"`
	Length int    `json:"length"`
}

// array is one of a frame's arrays: the bytes of its numbers, or of its strings with their offsets before them.
type array struct {
	arraySpec
	data []byte
}

// widths are the bytes of an element; those of strings are of the offsets.
var widths = map[string]int{"f8": 8, "f4": 4, "i4": 4, "u1": 1, "str": 8}

// arrays cuts a body into the arrays that the header says it has.
func arrays(specs []arraySpec, body []byte) ([]array, error) {
	cut := make([]array, len(specs))
	at := 0
	for k, spec := range specs {
		width, known := widths[spec.Type]
		if !known {
			return nil, fmt.Errorf("array %d has the type %q: it is one of f8, f4, i4, u1 and str", k, spec.Type)
		}
		rest := body[min(at, len(body)):]
		if spec.Length < 0 || spec.Length >= len(rest)/width+1 {
			return nil, fmt.Errorf("array %d of %d elements does not lie within the body", k, spec.Length)
		}
		size := spec.Length * width
		if spec.Type == "str" {
			var err error
			if size, err = checkStrings(rest, spec.Length); err != nil {
				return nil, fmt.Errorf("array %d: %w", k, err)
			}
		}
		cut[k] = array{spec, rest[:size]}
		at += (size + alignment - 1) / alignment * alignment
	}
	if at < len(body) {
		return nil, fmt.Errorf("the body has %d bytes behind its arrays", len(body)-at)
	}
	return cut, nil
}

// checkStrings returns the size of n strings, whose offsets must ascend within the bytes.
func checkStrings(data []byte, n int) (size int, err error) {
	starts := (n + 1) * 8
	if starts > len(data) {
		return 0, fmt.Errorf("%d strings do not lie within the body", n)
	}
	last := uint64(0)
	for k := range n + 1 {
		offset := binary.LittleEndian.Uint64(data[8*k:])
		if k == 0 && offset != 0 || offset < last || offset > uint64(len(data)-starts) {
			return 0, fmt.Errorf("the offset %d of string %d is not in order, or not within the body", offset, k)
		}
		last = offset
	}
	return starts + int(last), nil
}

// float64s are the elements of an array of doubles.
func (a *array) float64s() []float64 {
	out := make([]float64, a.Length)
	for k := range out {
		out[k] = math.Float64frombits(binary.LittleEndian.Uint64(a.data[8*k:]))
	}
	return out
}

// float32s are the elements of an array of singles.
func (a *array) float32s() []float32 {
	out := make([]float32, a.Length)
	for k := range out {
		out[k] = math.Float32frombits(binary.LittleEndian.Uint32(a.data[4*k:]))
	}
	return out
}

// int32s are the elements of an array of numbers of strings.
func (a *array) int32s() []int32 {
	out := make([]int32, a.Length)
	for k := range out {
		out[k] = int32(binary.LittleEndian.Uint32(a.data[4*k:]))
	}
	return out
}

// strings are the elements of an array of strings, which share one text.
func (a *array) strings() []string {
	text := string(a.data[8*(a.Length+1):])
	out := make([]string, a.Length)
	for k := range out {
		out[k] = text[binary.LittleEndian.Uint64(a.data[8*k:]):binary.LittleEndian.Uint64(a.data[8*k+8:])]
	}
	return out
}

// builder puts a frame's arrays together.
type builder struct {
	specs []arraySpec
	body  []byte
}

// add ends an array, whose bytes are behind start, and returns its number.
func (b *builder) add(kind string, length int) int {
	for len(b.body)%alignment != 0 {
		b.body = append(b.body, 0)
	}
	b.specs = append(b.specs, arraySpec{kind, length})
	return len(b.specs) - 1
}

func (b *builder) float64s(values []float64) int {
	b.body = slices.Grow(b.body, 8*len(values))
	for _, v := range values {
		b.body = binary.LittleEndian.AppendUint64(b.body, math.Float64bits(v))
	}
	return b.add("f8", len(values))
}

func (b *builder) float32s(values []float32) int {
	b.body = slices.Grow(b.body, 4*len(values))
	for _, v := range values {
		b.body = binary.LittleEndian.AppendUint32(b.body, math.Float32bits(v))
	}
	return b.add("f4", len(values))
}

func (b *builder) int32s(values []int32) int {
	b.body = slices.Grow(b.body, 4*len(values))
	for _, v := range values {
		b.body = binary.LittleEndian.AppendUint32(b.body, uint32(v))
	}
	return b.add("i4", len(values))
}

func (b *builder) bytes(data []byte) int {
	b.body = append(b.body, data...)
	return b.add("u1", len(data))
}

func (b *builder) strings(texts []string) int {
	b.body = slices.Grow(b.body, 8*(len(texts)+1))
	end := 0
	b.body = binary.LittleEndian.AppendUint64(b.body, 0)
	for _, text := range texts {
		end += len(text)
		b.body = binary.LittleEndian.AppendUint64(b.body, uint64(end))
	}
	for _, text := range texts {
		b.body = append(b.body, text...)
	}
	return b.add("str", len(texts))
}

// write writes a header with the arrays as a frame.
func (b *builder) write(w io.Writer, header any) error {
	text, err := json.Marshal(header, json.WithMarshalers(finite), json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true)) // messages name what tables in another encoding have
	if err != nil {
		return err
	}
	out := make([]byte, 0, prefixBytes+len(text))
	out = append(out, magic[:]...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(b.body)))
	if _, err := w.Write(append(out, text...)); err != nil || len(b.body) == 0 {
		return err
	}
	_, err = w.Write(b.body)
	return err
}

// finite makes null of the numbers that JSON cannot hold.
var finite = json.MarshalToFunc(func(enc *jsontext.Encoder, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return enc.WriteToken(jsontext.Null)
	}
	return errors.ErrUnsupported // the standard encoding
})

// checkParts refuses a header that would take far more memory as values than as text.
func checkParts(header []byte) error {
	parts := 0
	for _, c := range header {
		if c == '{' || c == '[' {
			parts++
		}
	}
	if most := maxParts + len(header)/partBytes; parts > most {
		return fmt.Errorf("a header of %d objects and arrays in %d bytes has more than %d", parts, len(header), most)
	}
	return nil
}
