package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

var errExpanded = errors.New("the file is damaged: a page is compressed and holds more than it says")

// expand returns what a page holds, in the buffer if it is compressed. More than fits into the buffer is an error: the
// libraries would go on allocating. The old LZ4 is refused, of which there are several kinds that nothing tells apart.
func (r *reader) expand(codec format.CompressionCodec, page, buffer []byte) ([]byte, error) {
	switch codec {
	case format.Uncompressed:
		return page, nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(page); err != nil || n > len(buffer) {
			return nil, errors.Join(err, errExpanded)
		}
		return snappy.Decode(buffer, page)
	case format.Zstd:
		data, err := r.zstd.DecodeAll(page, buffer[:0:len(buffer)])
		if err != nil {
			return nil, errors.Join(err, errExpanded)
		}
		return data, nil
	case format.Gzip:
		unzip, err := gzip.NewReader(bytes.NewReader(page))
		if err != nil {
			return nil, err
		}
		return expandStream(unzip, buffer)
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(page, buffer)
		if err != nil {
			return nil, errors.Join(err, errExpanded)
		}
		return buffer[:n], nil
	case format.Brotli:
		return expandStream(brotli.NewReader(bytes.NewReader(page)), buffer)
	}
	return nil, fmt.Errorf("the compression %s cannot be read; Snappy, Zstandard, gzip, Brotli and LZ4_RAW can", codec)
}

// expandStream fills the buffer from r, which must end there.
func expandStream(r io.Reader, buffer []byte) ([]byte, error) {
	n, err := io.ReadFull(r, buffer)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return buffer[:n], nil
	}
	if err != nil {
		return nil, err
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, errExpanded)
	}
	return buffer, nil
}
