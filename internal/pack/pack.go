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
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Pointer {
		at := reflect.New(v.Type())
		at.Elem().Set(v)
		v = at
	}
	sum, buffer := newSum(v.Type().Elem()), bufio.NewWriter(w)
	to := io.MultiWriter(buffer, sum)
	p := walk{move: func(pointer any) error { return binary.Write(to, binary.LittleEndian, pointer) }}
	if p.value(v.Elem()); p.err != nil {
		return p.err
	}
	buffer.Write(sum.Sum(nil))
	return buffer.Flush() // with the error of any write before it
}

// Read reads what Write wrote, to the end, into what a pointer points to. It takes the memory of the value alone.
func Read(r io.Reader, pointer any) error {
	v := reflect.ValueOf(pointer).Elem()
	sum, buffer := newSum(v.Type()), bufio.NewReaderSize(r, 1<<16)
	from := io.TeeReader(buffer, sum)
	p := walk{reads: true, move: func(pointer any) error { return binary.Read(from, binary.LittleEndian, pointer) }}
	p.value(v)
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

// chunk is how many elements of a slice are moved at a time, and ahead the memory that a slice is given before its
// elements are there, in bytes: a length that is wrong costs no more.
const chunk, ahead = 1 << 14, 8 << 20

// walk goes through a value, the same way whether it is written or read, until there is an error.
type walk struct {
	reads bool
	move  func(pointer any) error // writes what a pointer points to, or reads it: numbers, or slices of them
	err   error
}

func (p *walk) plain(pointer any) {
	if p.err == nil {
		p.err = p.move(pointer)
	}
}

// value moves a value that has an address.
func (p *walk) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int:
		n := v.Int()
		if p.plain(&n); p.reads {
			v.SetInt(n)
		}
	case reflect.String:
		text := []byte(v.String())
		if p.slice(reflect.ValueOf(&text).Elem()); p.reads {
			v.SetString(string(text))
		}
	case reflect.Pointer:
		is := !v.IsNil()
		if p.plain(&is); !is {
			return
		}
		if p.reads {
			v.Set(reflect.New(v.Type().Elem()))
		}
		p.value(v.Elem())
	case reflect.Struct:
		for k := range v.NumField() {
			if v.Type().Field(k).IsExported() {
				p.value(v.Field(k))
			}
		}
	case reflect.Array:
		p.elements(v.Slice(0, v.Len()))
	case reflect.Slice:
		p.slice(v)
	default:
		p.plain(v.Addr().Interface())
	}
}

// slice moves a length, -1 for nil, and that many elements.
func (p *walk) slice(v reflect.Value) {
	n := int64(v.Len())
	if v.IsNil() {
		n = -1
	}
	if p.plain(&n); p.reads {
		v.SetZero()
		if n >= 0 && p.err == nil {
			v.Set(reflect.MakeSlice(v.Type(), 0, int(min(n, int64(ahead/max(1, v.Type().Elem().Size()))))))
		}
	}
	for at := 0; p.err == nil && int64(at) < n; {
		more := int(min(n-int64(at), chunk))
		if p.reads {
			v.Grow(more)
			v.SetLen(at + more)
		}
		p.elements(v.Slice(at, at+more))
		at += more
	}
}

// elements moves those of a slice, together where they are numbers.
func (p *walk) elements(v reflect.Value) {
	if of := v.Type().Elem(); of.Kind() != reflect.Struct && binary.Size(reflect.Zero(of).Interface()) > 0 {
		p.plain(v.Interface())
		return
	}
	for k := range v.Len() {
		p.value(v.Index(k))
	}
}
