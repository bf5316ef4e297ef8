package onnx

import (
	"encoding/binary"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Write writes the file with other values for the parameters. All else is as it was, to the byte; tensors that learn
// are written into the file, even where they were in another one.
func (m *Model) Write(w io.Writer, values [][]float32) error {
	place := make(map[string]int, len(m.parameters))
	for k, p := range m.parameters {
		place[p.Name] = k
	}
	var graph []byte
	tensors := func(f field) error {
		if f.number == graphInitializer {
			s := stored{}
			if err := fields(f.bytes, func(f field) error {
				if f.number == tensorName {
					return s.read(f)
				}
				return nil
			}); err != nil {
				return err
			}
			if k, learned := place[s.name]; learned {
				graph = protowire.AppendTag(graph, graphInitializer, protowire.BytesType)
				graph = protowire.AppendBytes(graph, encode(m.parameters[k], values[k]))
				return nil
			}
		}
		graph = append(graph, f.whole...)
		return nil
	}
	return fields(m.data, func(f field) error {
		whole := f.whole
		if f.number == modelGraph {
			if err := fields(f.bytes, tensors); err != nil {
				return err
			}
			whole = protowire.AppendBytes(protowire.AppendTag(nil, modelGraph, protowire.BytesType), graph)
		}
		_, err := w.Write(whole)
		return err
	})
}

// encode writes a tensor.
func encode(p Parameter, values []float32) []byte {
	var dims, raw, message []byte
	for _, d := range p.Shape {
		dims = protowire.AppendVarint(dims, uint64(d))
	}
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	message = protowire.AppendBytes(protowire.AppendTag(message, tensorDims, protowire.BytesType), dims)
	message = protowire.AppendVarint(protowire.AppendTag(message, tensorType, protowire.VarintType), typeFloat)
	message = protowire.AppendString(protowire.AppendTag(message, tensorName, protowire.BytesType), p.Name)
	return protowire.AppendBytes(protowire.AppendTag(message, tensorRaw, protowire.BytesType), raw)
}
