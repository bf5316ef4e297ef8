package ldl

import "slices"

// tree is the elimination tree of a permuted pattern, in postorder.
type tree struct {
	place  []int32 // of each row of the matrix
	start  []int   // the permuted pattern by columns: for each, the rows below the diagonal
	row    []int32
	parent []int32
	count  []int32 // of the rows of each column of L, its diagonal included
}

// newTree finds the tree of a pattern in that order, and sorts the rows so that each comes after its subtree.
func newTree(p *Pattern, order []int32) *tree {
	t := &tree{place: make([]int32, len(order))}
	for k, i := range order {
		t.place[i] = int32(k)
	}
	t.permute(p)
	t.link()
	first := postorder(t.parent)
	for i, k := range t.place {
		t.place[i] = first[k]
	}
	t.permute(p)
	parent := make([]int32, len(order))
	for k, up := range t.parent {
		parent[first[k]] = nobody
		if up != nobody {
			parent[first[k]] = first[up]
		}
	}
	t.parent = parent
	t.measure()
	return t
}

// permute writes the pattern by columns in the present places.
func (t *tree) permute(p *Pattern) {
	n := p.Size()
	t.start = make([]int, n+1)
	each := func(visit func(column, row int32)) {
		for j := range n {
			a := t.place[j]
			for _, i := range p.Row[p.Start[j]:p.Start[j+1]] {
				b := t.place[i]
				visit(min(a, b), max(a, b))
			}
		}
	}
	each(func(column, _ int32) { t.start[column+1]++ })
	for k := range n {
		t.start[k+1] += t.start[k]
	}
	t.row = make([]int32, len(p.Row))
	at := slices.Clone(t.start)
	each(func(column, row int32) {
		t.row[at[column]] = row
		at[column]++
	})
}

// column returns the rows of the pattern below the diagonal of column k.
func (t *tree) column(k int) []int32 { return t.row[t.start[k]:t.start[k+1]] }

// byRows returns the pattern by rows: the columns before each, ascending.
func (t *tree) byRows() (start []int, column []int32) {
	n := len(t.place)
	start = make([]int, n+1)
	for _, i := range t.row {
		start[i+1]++
	}
	for k := range n {
		start[k+1] += start[k]
	}
	column = make([]int32, len(t.row))
	at := slices.Clone(start)
	for k := range n {
		for _, i := range t.column(k) {
			column[at[i]] = int32(k)
			at[i]++
		}
	}
	return start, column
}

// link finds the parents (Liu 1986): that of a column is the row of its first entry below the diagonal in L.
func (t *tree) link() {
	n := len(t.place)
	start, column := t.byRows()
	t.parent = make([]int32, n)
	ancestor := make([]int32, n) // the way up, with shortcuts
	for k := range n {
		t.parent[k], ancestor[k] = nobody, nobody
		for _, i := range column[start[k]:start[k+1]] {
			for i != nobody && int(i) < k {
				up := ancestor[i]
				ancestor[i] = int32(k)
				if up == nobody {
					t.parent[i] = int32(k)
				}
				i = up
			}
		}
	}
}

// postorder returns each node's number in a walk that visits a node after its subtree.
func postorder(parent []int32) []int32 {
	n := len(parent)
	head, next := make([]int32, n), make([]int32, n)
	for k := range head {
		head[k] = nobody
	}
	for k := n - 1; k >= 0; k-- {
		if up := parent[k]; up != nobody {
			next[k], head[up] = head[up], int32(k)
		}
	}
	number, count := make([]int32, n), int32(0)
	var stack []int32
	for root := range n {
		if parent[root] != nobody {
			continue
		}
		stack = append(stack[:0], int32(root))
		for len(stack) > 0 {
			k := stack[len(stack)-1]
			if child := head[k]; child != nobody {
				head[k] = next[child]
				stack = append(stack, child)
				continue
			}
			stack = stack[:len(stack)-1]
			number[k] = count
			count++
		}
	}
	return number
}

// measure counts the rows of each column of L without making it (Gilbert, Ng and Peyton 1994). Row i of L has a
// subtree of columns; column j is a leaf of it if its pattern has i and no column before, in j's own subtree, has. Two
// leaves that follow each other share the way from their least common ancestor.
func (t *tree) measure() {
	n := len(t.place)
	first, last, lastLeaf, ancestor := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	delta := make([]int32, n)
	for k := range n {
		first[k], last[k], lastLeaf[k], ancestor[k] = nobody, nobody, nobody, int32(k)
	}
	for k := range int32(n) {
		if first[k] == nobody { // a leaf of the tree
			delta[k] = 1
		}
		for i := k; i != nobody && first[i] == nobody; i = t.parent[i] {
			first[i] = k
		}
	}
	for k := range int32(n) {
		if up := t.parent[k]; up != nobody {
			delta[up]--
		}
		for _, i := range t.column(int(k)) {
			if first[k] <= last[i] && last[i] != nobody {
				continue
			}
			delta[k]++
			if leaf := lastLeaf[i]; leaf != nobody {
				delta[find(ancestor, leaf)]--
			}
			last[i], lastLeaf[i] = first[k], k
		}
		if up := t.parent[k]; up != nobody {
			ancestor[k] = up
		}
	}
	for k := range n {
		if up := t.parent[k]; up != nobody {
			delta[up] += delta[k]
		}
	}
	t.count = delta
}

// find returns the root of k's set, and shortens the way to it.
func find(ancestor []int32, k int32) int32 {
	root := k
	for ancestor[root] != root {
		root = ancestor[root]
	}
	for ancestor[k] != root {
		ancestor[k], k = root, ancestor[k]
	}
	return root
}
