package basis

// buckets have numbers by a count of each: doubly linked lists.
type buckets struct {
	head         []int32 // of each count
	next, former []int32
	at           []int32 // the count of each number, or none
	size         int     // how many numbers have one
}

func newBuckets(n, most int) buckets {
	b := buckets{make([]int32, most+1), make([]int32, n), make([]int32, n), make([]int32, n), 0}
	for k := range b.head {
		b.head[k] = none
	}
	for k := range b.at {
		b.at[k] = none
	}
	return b
}

// first is a number of that count, or none.
func (b *buckets) first(count int32) int32 {
	if int(count) >= len(b.head) {
		return none
	}
	return b.head[count]
}

// put has a number be the first of its count.
func (b *buckets) put(k, count int32) {
	b.remove(k)
	b.at[k], b.former[k], b.next[k] = count, none, b.head[count]
	if n := b.head[count]; n != none {
		b.former[n] = k
	}
	b.head[count] = k
	b.size++
}

func (b *buckets) remove(k int32) {
	if b.at[k] == none {
		return
	}
	f, n := b.former[k], b.next[k]
	if f != none {
		b.next[f] = n
	} else {
		b.head[b.at[k]] = n
	}
	if n != none {
		b.former[n] = f
	}
	b.at[k] = none
	b.size--
}
