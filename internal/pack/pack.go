// Package pack writes values into files that the program alone reads again, with a checksum at their end: numbers,
// texts, slices, structs of exported fields and pointers to these, one after the other, low bytes first.
package pack

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"reflect"
)

// ErrDamaged says of a file that Write did not write it, or that it wrote a value of another type.
var ErrDamaged = errors.New("is damaged, or of another version of the program")

// Write writes a value.
func Write(w io.Writer, value any) error {
	v := reflect.Indirect(reflect.ValueOf(value))
	sum := newSum(v.Type())
	buffer := bufio.NewWriter(w)
	p := &writer{w: io.MultiWriter(buffer, sum)}
	p.write(v)
	if p.err != nil {
		return p.err
	}
	buffer.Write(sum.Sum(nil))
	return buffer.Flush() // with the error of any write before it
}

// Read reads what Write wrote, to the end, into what a pointer points to. It takes the memory of the value alone.
func Read(r io.Reader, pointer any) error {
	v := reflect.ValueOf(pointer).Elem()
	sum := newSum(v.Type())
	buffer := bufio.NewReaderSize(r, 1<<16)
	p := &reader{r: io.TeeReader(buffer, sum)}
	p.read(v)
	want, err := io.ReadAll(io.LimitReader(buffer, sha256.Size+1))
	switch {
	case p.err != nil && !errors.Is(p.err, io.EOF) && !errors.Is(p.err, io.ErrUnexpectedEOF):
		return p.err
	case err != nil:
		return err
	case p.err != nil || !bytes.Equal(sum.Sum(nil), want):
		return ErrDamaged
	}
	return nil
}

// newSum returns a checksum that begins with the names and types of all fields: values of other types have others.
func newSum(t reflect.Type) hash.Hash {
	sum := sha256.New()
	describe(sum, t)
	return sum
}

func describe(w io.Writer, t reflect.Type) {
	fmt.Fprint(w, t.Kind(), " ")
	switch t.Kind() {
	case reflect.Array, reflect.Slice, reflect.Pointer:
		describe(w, t.Elem())
	case reflect.Struct:
		for k := range t.NumField() {
			fmt.Fprint(w, t.Field(k).Name, " ")
			describe(w, t.Field(k).Type)
		}
	}
}

// exported returns the exported fields of a struct.
func exported(v reflect.Value) (fields []reflect.Value) {
	for k := range v.NumField() {
		if v.Type().Field(k).IsExported() {
			fields = append(fields, v.Field(k))
		}
	}
	return fields
}

// chunk is how many elements of a slice are read at a time, so that a length that is wrong costs no memory.
const chunk = 1 << 14

// writer writes until there is an error, and keeps it.
type writer struct {
	w   io.Writer
	err error
}

func (p *writer) put(value any) {
	if p.err == nil {
		p.err = binary.Write(p.w, binary.LittleEndian, value)
	}
}

func (p *writer) write(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		p.put(v.Int())
	case reflect.String:
		p.put(int64(v.Len()))
		p.put([]byte(v.String()))
	case reflect.Pointer:
		p.put(!v.IsNil())
		if !v.IsNil() {
			p.write(v.Elem())
		}
	case reflect.Struct:
		for _, f := range exported(v) {
			p.write(f)
		}
	case reflect.Array:
		p.elements(v)
	case reflect.Slice:
		p.slice(v)
	default:
		p.put(v.Interface())
	}
}

func (p *writer) slice(v reflect.Value) {
	if v.IsNil() {
		p.put(int64(-1))
		return
	}
	p.put(int64(v.Len()))
	for at := 0; at < v.Len(); at += chunk {
		p.elements(v.Slice(at, min(at+chunk, v.Len())))
	}
}

func (p *writer) elements(v reflect.Value) {
	if plain(v.Type().Elem()) {
		p.put(v.Interface())
		return
	}
	for k := range v.Len() {
		p.write(v.Index(k))
	}
}

// plain tells whether elements of a type are written together.
func plain(t reflect.Type) bool {
	return t.Kind() != reflect.Struct && binary.Size(reflect.Zero(t).Interface()) > 0
}

// reader reads until there is an error, and keeps it.
type reader struct {
	r   io.Reader
	err error
}

func (p *reader) get(pointer any) {
	if p.err == nil {
		p.err = binary.Read(p.r, binary.LittleEndian, pointer)
	}
}

func (p *reader) int() (n int64) {
	p.get(&n)
	return n
}

func (p *reader) read(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		v.SetInt(p.int())
	case reflect.String:
		var text []byte
		p.slice(reflect.ValueOf(&text).Elem())
		v.SetString(string(text))
	case reflect.Pointer:
		var is bool
		if p.get(&is); is {
			v.Set(reflect.New(v.Type().Elem()))
			p.read(v.Elem())
		}
	case reflect.Struct:
		for _, f := range exported(v) {
			p.read(f)
		}
	case reflect.Array:
		p.elements(v)
	case reflect.Slice:
		p.slice(v)
	default:
		p.get(v.Addr().Interface())
	}
}

func (p *reader) slice(v reflect.Value) {
	n := p.int()
	if n < 0 || p.err != nil {
		v.SetZero()
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, int(min(n, chunk))))
	for p.err == nil && int64(v.Len()) < n {
		had, more := v.Len(), int(min(n-int64(v.Len()), chunk))
		v.Grow(more)
		v.SetLen(had + more)
		p.elements(v.Slice(had, had+more))
	}
}

func (p *reader) elements(v reflect.Value) {
	if v.Kind() == reflect.Slice && plain(v.Type().Elem()) {
		p.get(v.Interface())
		return
	}
	for k := range v.Len() {
		p.read(v.Index(k))
	}
}
