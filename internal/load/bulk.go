package load

import (
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/internal/program"
	"github.com/deeppsl/deeppsl/internal/relation"
	"github.com/deeppsl/deeppsl/internal/symbol"
)

// bulk reads a large table between tabs by pieces, side by side. It takes what is as it should be only: where it
// meets a row that is not, nothing has happened, and the table is read row by row, which says what is wrong and
// where. Constants get their IDs in the order of the file, as they do there.
type bulk struct {
	text     string
	argument []program.Type
	width    int // columns of each row, a truth value included
	ends     []int
	pieces   []rowsOf
	locals   []*symbol.Local // per goroutine
	next     atomic.Int64
	odd      atomic.Bool // something is not as it should be
}

// rowsOf is what one piece of the text has: its constants are numbers of a goroutine's own.
type rowsOf struct {
	reader  int
	columns [][]symbol.ID
	truth   relation.Values
	offsets []int32 // of the rows in the piece
}

// least is the size of a text, in bytes, from which it is read in bulk, and pieceSize about that of a piece.
const (
	least     = 1 << 17
	pieceSize = 1 << 20
)

// newBulk divides a text into pieces of a size. The first row says how many columns there are.
func newBulk(text string, arguments []program.Type, size int) *bulk {
	b := &bulk{text: text, argument: arguments}
	for at := 0; at < len(text); at = b.ends[len(b.ends)-1] {
		end := len(text)
		if at+size < len(text) {
			end = min(len(text), endOfLine(text, at+size)+1)
		}
		b.ends = append(b.ends, end)
	}
	b.pieces = make([]rowsOf, len(b.ends))
	for at := 0; at < len(text) && b.width == 0; {
		end := endOfLine(text, at)
		if from, to := trim(text, at, end); from < to {
			b.width = strings.Count(text[from:to], "\t") + 1
		}
		at = end + 1
	}
	return b
}

// read reads all pieces, and returns false if something is not as it should be.
func (b *bulk) read(threads int) bool {
	if arity := len(b.argument); arity == 0 || b.width != arity && b.width != arity+1 {
		return false
	}
	threads = min(threads, len(b.ends))
	b.locals = make([]*symbol.Local, threads)
	seed := [2]uint64{rand.Uint64(), rand.Uint64()}
	parallel.For(threads, threads, func(reader int) {
		r := &bulkReader{bulk: b, local: symbol.NewLocal(b.text, seed), id: reader}
		b.locals[reader] = r.local
		for piece := int(b.next.Add(1) - 1); piece < len(b.pieces) && !b.odd.Load(); piece = int(b.next.Add(1) - 1) {
			if !r.read(piece) {
				b.odd.Store(true)
			}
		}
	})
	return !b.odd.Load()
}

// join puts the rows of all pieces one behind the other, with the constants' IDs. first is the place of the text's
// start.
func (b *bulk) join(threads int, ids [][]symbol.ID, first relation.Place) (
	columns [][]symbol.ID, truth relation.Values, places []relation.Place,
) {
	rows, starts, truths := 0, make([]int, len(b.pieces)), make([]relation.Values, len(b.pieces))
	for k := range b.pieces {
		starts[k], truths[k] = rows, b.pieces[k].truth
		rows += len(b.pieces[k].offsets)
	}
	columns, places = make([][]symbol.ID, len(b.argument)), make([]relation.Place, rows)
	for k := range columns {
		columns[k] = make([]symbol.ID, rows)
	}
	parallel.For(threads, len(b.pieces), func(piece int) {
		p, at := &b.pieces[piece], starts[piece]
		for k, column := range p.columns {
			for j, id := range column {
				columns[k][at+j] = ids[p.reader][id]
			}
		}
		from := first + relation.Place(b.start(piece))
		for j, offset := range p.offsets {
			places[at+j] = from + relation.Place(offset)
		}
		p.columns, p.offsets = nil, nil
	})
	return columns, relation.JoinValues(truths...), places
}

// column returns in which column, and in a row from which offset on, a constant stands.
func (b *bulk) column(p symbol.Place) (k, row int) {
	line := strings.LastIndexByte(b.text[:p.At], '\n') + 1
	from, _ := trim(b.text, line, endOfLine(b.text, p.At))
	return strings.Count(b.text[from:p.At], "\t"), from
}

// start is the offset of a piece.
func (b *bulk) start(piece int) int {
	if piece == 0 {
		return 0
	}
	return b.ends[piece-1]
}

// bulkReader reads pieces, one after the other.
type bulkReader struct {
	*bulk
	local *symbol.Local
	id    int
	keys  []symbol.Key // of the rows at hand, row by row
	ids   []symbol.ID
	done  int // bytes
	rows  int // in these bytes
}

// atOnce is how many constants are split off, about, before they are looked up: so many waits for memory overlap.
const atOnce = 512

// read reads a piece, and returns false if it has a row that is not as it should be.
func (r *bulkReader) read(piece int) bool {
	p := &r.pieces[piece]
	start, end := r.start(piece), r.ends[piece]
	p.reader, p.columns = r.id, make([][]symbol.ID, len(r.argument))
	r.reserve(p, end-start)
	for at := start; at < end; {
		next := endOfLine(r.text, at)
		from, to := trim(r.text, at, next)
		if from < to {
			if !r.row(p, from, to) {
				return false
			}
			p.offsets = append(p.offsets, int32(from-start))
		}
		if at = next + 1; len(r.keys) >= atOnce {
			if r.number(p); r.dense(at - start) {
				return false
			}
		}
	}
	r.number(p)
	r.done, r.rows = r.done+end-start, r.rows+len(p.offsets)
	return true
}

// reserve makes room for as many rows as there were in so many bytes so far, and a few more.
func (r *bulkReader) reserve(p *rowsOf, bytes int) {
	if r.done == 0 {
		return
	}
	rows := int(1.02*float64(r.rows)/float64(r.done)*float64(bytes)) + 16
	p.offsets = make([]int32, 0, rows)
	for k := range p.columns {
		p.columns[k] = make([]symbol.ID, 0, rows)
	}
}

// dense tells whether there are so many different constants in so few bytes that reading in pieces, which has them
// twice, would take many times the memory of the text.
func (r *bulkReader) dense(bytes int) bool { return perConstant*r.local.Len() > r.done+bytes+least }

// perConstant is the least number of bytes for each constant.
const perConstant = 10

// row splits a row.
func (r *bulkReader) row(p *rowsOf, from, to int) bool {
	for k, typ := range r.argument {
		n := strings.IndexByte(r.text[from:to], '\t')
		if n < 0 {
			if n = to - from; k+1 < r.width {
				return false
			}
		} else if k+1 == r.width {
			return false
		}
		if !isCanonical(typ, r.text[from:from+n]) {
			return false
		}
		r.keys = append(r.keys, r.local.Key(from, n))
		from += n + 1
	}
	truth := 1.0
	if len(p.columns) < r.width {
		var ok bool
		if truth, ok = fraction(r.text[from:to]); !ok {
			if truth, ok = truthOf(r.text[from:to]); !ok {
				return false
			}
		}
	}
	p.truth.Append(truth)
	return true
}

// number looks up the constants of the rows at hand, in the order of the text. A row often repeats those of the row
// before it.
func (r *bulkReader) number(p *rowsOf) {
	arity := len(p.columns)
	r.ids = r.ids[:0]
	for at := range r.keys {
		if key := &r.keys[at]; at >= arity && key.Equals(&r.keys[at-arity]) {
			r.ids = append(r.ids, r.ids[at-arity])
		} else {
			r.ids = append(r.ids, r.local.Number(key))
		}
	}
	for k := range p.columns {
		for at := k; at < len(r.ids); at += arity {
			p.columns[k] = append(p.columns[k], r.ids[at])
		}
	}
	r.keys = r.keys[:0]
}
