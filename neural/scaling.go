package neural

import (
	"fmt"
	"math"
	"slices"

	"github.com/deeppsl/deeppsl/internal/parallel"
	"github.com/deeppsl/deeppsl/neural/features"
)

// scaling is how a network's features become what it sees: (feature − center) / scale, cut off at ±cutoff, columns with
// heavy tails being bent first; by tf-idf, rows are not cut off, but brought to one length. It is up to three tensors
// that learning leaves alone and checkpoints have, so that a network goes on seeing what it has learned from.
type scaling struct {
	threads       int
	network       *network
	center, scale *parameter // [features]; where scale is 0, the network sees 0
	knots         *parameter // [features, knots] of a dense table, all 0 for a column that is not bent; or nil
	known         bool
}

const (
	// cutoff bounds what a network sees: a value from another world must not drown all others.
	cutoff = 5
	// tail is how many typical deviations a value counts for at most when a scale is estimated.
	tail = 6
	// noise is the deviation, as a share of the value, below which float32 cannot tell a column from a constant.
	noise = 1. / (1 << 22)
	// sampled bounds the rows that a scale is estimated from; more are thinned out evenly.
	sampled = 1 << 13
)

// The tensors of a scaling, as checkpoints name them.
const (
	scalingLayer = "features"
	centerTensor = "center"
	scaleTensor  = "scale"
	knotsTensor  = "knots"
)

// newScaling makes the tensors, not yet known.
func (s *System) newScaling(n *network) *scaling {
	width := n.raw.Width()
	c := &scaling{network: n, threads: s.threads, center: s.add(n, scalingLayer, centerTensor, Zeros, width),
		scale: s.add(n, scalingLayer, scaleTensor, Zeros, width)}
	c.center.frozen, c.scale.frozen = true, true
	if n.bends() {
		c.knots = s.add(n, scalingLayer, knotsTensor, Zeros, width, knots)
		c.knots.frozen = true
	}
	return c
}

// Standardize determines how a network's features are scaled from some of their rows, those that it will learn from,
// or from all if rows is nil, unless its checkpoint or an earlier call has. Without it, the rows of the first Bind do.
// It is for networks whose features are normalised by columns, all values alike, or by tf-idf, and does nothing for
// others.
//
// A column of a dense table is moved by its median and divided by the root mean square of what differs from it, no
// value counting for more than six median deviations: for numbers of any unit that is about the standard deviation, a
// column of few zeros or ones stays as it is, and an outlier does not squash the others. A column with heavy tails is
// bent first, by where its values lie among one another. A column of a sparse table is
// divided by the like of its nonzeros, and the images of a cnn by one power of two, which leaves no pixel above 1 and
// the largest above 1/2, so that what is 0 stays 0. Columns that are constant in these rows teach nothing, and are seen
// as 0.
func (s *System) Standardize(network string, rows []int32) error {
	n := s.network(network)
	if n == nil {
		return fmt.Errorf("neural: Standardize(%q): there is no such network", network)
	}
	n = n.root()
	for _, r := range rows {
		if r < 0 || int(r) >= n.raw.Len() {
			return fmt.Errorf("network %q: row %d is not among the %d of the features", network, r, n.raw.Len())
		}
	}
	if rows == nil {
		n.standardizeByAll()
	}
	n.standardize(slices.Compact(slices.Sorted(slices.Values(rows))))
	return nil
}

// standardize is Standardize for the network that has the features, and rows that are sorted and distinct. Nothing
// follows from no rows.
func (n *network) standardize(rows []int32) {
	c := n.scaling
	if c == nil || c.known || len(rows) == 0 {
		return
	}
	switch {
	case n.spec.Normalize == StandardValues:
		c.ofValues(rows)
	case n.spec.Normalize == RowsByTFIDF:
		c.ofTexts(rows)
	case n.spec.Kind == convolutional:
		c.ofImages(rows)
	case n.raw.Sparse():
		c.ofSparse(rows)
	default:
		c.ofDense(rows)
	}
	c.apply()
}

// standardizeByAll is also for who wants a network's outputs, or its file, before it is bound to anything.
func (n *network) standardizeByAll() {
	if n.scaling == nil || n.scaling.known {
		return
	}
	n.standardize(n.raw.Rows())
}

// ofDense estimates the scale of each column from the rows.
func (c *scaling) ofDense(rows []int32) {
	table, thin := c.network.raw, thinned(rows)
	parallel.For(c.threads, table.Width(), func(column int) {
		center, scale := c.ofColumn(column, table.Column(thin, column))
		if scale == 0 && len(thin) < len(rows) { // what is rare may be in the other rows
			center, scale = c.ofColumn(column, table.Column(rows, column))
		}
		c.center.Value[column], c.scale.Value[column] = center, scale
	})
}

// thinned returns the rows, or as many as a scale needs, evenly spaced.
func thinned(rows []int32) []int32 {
	if len(rows) <= sampled {
		return rows
	}
	thin := make([]int32, sampled)
	for k := range thin {
		thin[k] = rows[k*len(rows)/sampled]
	}
	return thin
}

// spread returns the median and the typical deviation from it of the values that differ, 0 if none does, and whether
// their tails are heavy.
func spread(values []float32) (center, scale float32, tails bool) {
	slices.Sort(values)
	center = values[len(values)/2]
	deviations := values[:0]
	for _, v := range values {
		if v != center {
			deviations = append(deviations, float32(min(math.Abs(float64(v)-float64(center)), math.MaxFloat32)))
		}
	}
	if scale = typical(deviations); float64(scale) <= noise*math.Abs(float64(center)) {
		return center, 0, false
	}
	return center, scale, heavy(deviations)
}

// typical returns the root mean square of magnitudes, each at most tail times their median, or 0 of none. It sorts
// them.
func typical(magnitudes []float32) float32 {
	if len(magnitudes) == 0 {
		return 0
	}
	slices.Sort(magnitudes)
	most := tail * float64(magnitudes[len(magnitudes)/2])
	sum := 0.0
	for _, m := range magnitudes {
		m := min(float64(m), most)
		sum += m * m
	}
	return float32(min(math.Sqrt(sum/float64(len(magnitudes))), math.MaxFloat32))
}

// ofSparse estimates the scale of each column from the magnitudes of its nonzeros in the rows.
func (c *scaling) ofSparse(rows []int32) {
	table := c.network.raw
	width := table.Width()
	start := make([]int, width+1) // of the magnitudes, by columns
	for _, r := range rows {
		columns, _ := table.Nonzeros(int(r))
		for _, column := range columns {
			start[column+1]++
		}
	}
	for column := range width {
		start[column+1] += start[column]
	}
	magnitudes := make([]float32, start[width])
	end := slices.Clone(start)
	for _, r := range rows {
		columns, values := table.Nonzeros(int(r))
		for k, column := range columns {
			magnitudes[end[column]] = float32(math.Abs(float64(values[k])))
			end[column]++
		}
	}
	parallel.For(c.threads, width, func(column int) {
		c.scale.Value[column] = typical(magnitudes[start[column]:start[column+1]])
	})
}

// ofImages takes the power of two that is not below any magnitude of the rows' pixels, by which division is exact: what
// is in [0,1] already stays as it is.
func (c *scaling) ofImages(rows []int32) {
	largest := float32(0)
	for _, r := range rows {
		lo, hi := c.network.raw.Span(int(r))
		for _, v := range c.network.raw.Values()[lo:hi] {
			largest = max(largest, float32(math.Abs(float64(v))))
		}
	}
	if largest == 0 {
		return
	}
	part, exponent := math.Frexp(float64(largest))
	if part == 0.5 {
		exponent-- // a power of two itself
	}
	scale := float32(math.Ldexp(1, min(exponent, 127)))
	for column := range c.scale.Value {
		c.scale.Value[column] = scale
	}
}

// ofValues takes the mean and the standard deviation of all of the rows' values. Those of a sparse table are its
// nonzeros, which zeros must not be moved beside.
func (c *scaling) ofValues(rows []int32) {
	raw, count, sum, squares := c.network.raw, 0, 0.0, 0.0
	for _, r := range thinned(rows) {
		lo, hi := raw.Span(int(r))
		count += hi - lo
		for _, v := range raw.Values()[lo:hi] {
			sum += float64(v)
			squares += float64(v) * float64(v)
		}
	}
	mean := sum / float64(max(1, count))
	if raw.Sparse() {
		mean = 0
	}
	deviation := math.Sqrt(max(0, squares/float64(max(1, count))-mean*mean))
	if deviation <= noise*math.Abs(mean) {
		deviation = 0
	}
	for column := range c.scale.Value {
		c.center.Value[column], c.scale.Value[column] = float32(mean), float32(deviation)
	}
}

// ofTexts weighs each word by its inverse document frequency log((1 + n)/(1 + f)) + 1, for f of n rows that have it.
// What none has is not seen.
func (c *scaling) ofTexts(rows []int32) {
	raw, having := c.network.raw, make([]int, c.network.raw.Width())
	for _, r := range rows {
		lo, hi := raw.Span(int(r))
		for k := lo; k < hi; k++ {
			if raw.Values()[k] != 0 {
				having[raw.ColumnOf(k)]++
			}
		}
	}
	for column, f := range having {
		if f > 0 {
			c.scale.Value[column] = float32(1 / (math.Log(float64(1+len(rows))/float64(1+f)) + 1))
		}
	}
}

// apply makes what the network sees of its features, which are left as they are where there is nothing to change.
func (c *scaling) apply() {
	c.known = true
	raw := c.network.raw
	if c.network.features = raw; c.moves(raw, 0) {
		c.network.features = c.scaled(raw)
	}
}

// moves tells whether the scale changes any value of a table, from one on.
func (c *scaling) moves(table *features.Table, from int) bool {
	if c.network.spec.Normalize.byRows() {
		return true
	}
	for k := from; k < len(table.Values()); k++ {
		if v := table.Values()[k]; c.seen(v, table.ColumnOf(k)) != v {
			return true
		}
	}
	return false
}

// scaled returns a table as the network sees it.
func (c *scaling) scaled(raw *features.Table) *features.Table {
	values := make([]float32, len(raw.Values()))
	parallel.Range(c.threads, len(values), func(lo, hi int) {
		for k := lo; k < hi; k++ {
			values[k] = c.seen(raw.Values()[k], raw.ColumnOf(k))
		}
	})
	table := raw.Of(raw.Width(), values)
	if how := c.network.spec.Normalize; how.byRows() {
		scaleRows(table, 0, how)
	}
	return table
}

// look returns what the network sees of a table that was made of its own, whose values are there already unless rows
// have taken the place of others.
func (n *network) look(table *features.Table, replaced bool) *features.Table {
	c, from := n.scaling, len(n.raw.Values())
	if replaced {
		from = 0
	}
	switch how := n.spec.Normalize; {
	case c == nil && !how.byRows(), c != nil && !c.known, c != nil && n.features == n.raw && !c.moves(table, from):
		return table
	case c != nil && (replaced || n.features == n.raw):
		return c.scaled(table)
	case replaced:
		return normalized(table, how)
	}
	seen := n.features.Values()
	if !n.raw.Grown() {
		seen = slices.Clip(seen) // others may have it too
	}
	seen = append(seen, table.Values()[from:]...)
	for k := from; c != nil && k < len(seen); k++ {
		seen[k] = c.seen(table.Values()[k], table.ColumnOf(k))
	}
	out := table.Of(table.Width(), seen)
	if n.spec.Normalize.byRows() {
		scaleRows(out, n.raw.Len(), n.spec.Normalize)
	}
	return out
}

// seen is what the network sees of a value.
func (c *scaling) seen(v float32, column int) float32 {
	scale := float64(c.scale.Value[column])
	if scale == 0 {
		return 0
	}
	if at, bends := c.bending(column); bends {
		v = bentBy(at, v)
	}
	z := (float64(v) - float64(c.center.Value[column])) / scale
	if c.network.spec.Normalize == RowsByTFIDF {
		return float32(z)
	}
	return float32(max(-cutoff, min(z, cutoff)))
}

// Scale is how the features of a network are scaled, column by column.
type Scale struct {
	Network string    `json:"network"`
	Center  []float32 `json:"center"`
	Scale   []float32 `json:"scale"`
	Knots   []float32 `json:"knots,omitempty"` // of the columns one after the other, if any is bent
	Codes   []Codes   `json:"codes,omitempty"` // the columns that are seen value by value
}

// Scales returns those that are known.
func (s *System) Scales() (all []Scale) {
	for _, n := range s.networks {
		if c := n.scaling; c != nil && c.known {
			scale := Scale{Network: n.spec.Name, Center: slices.Clone(c.center.Value), Scale: slices.Clone(c.scale.Value),
				Codes: n.codes}
			if c.knots != nil && !c.knots.straight() {
				scale.Knots = slices.Clone(c.knots.Value)
			}
			all = append(all, scale)
		}
	}
	return all
}

// SetScales has networks scale their features as others of their specifications do.
func (s *System) SetScales(all []Scale) error {
	for _, scale := range all {
		n := s.network(scale.Network)
		if n != nil && n.given != nil {
			if _, err := s.code(n, scale.Codes); err != nil {
				return inNetwork(scale.Network, err)
			}
		}
		if n == nil || n.scaling == nil || len(scale.Center) != n.raw.Width() || len(scale.Scale) != n.raw.Width() {
			return fmt.Errorf("network %q has no features of %d columns to scale", scale.Network, len(scale.Scale))
		}
		switch k := n.scaling.knots; {
		case scale.Knots != nil && (k == nil || len(k.Value) != len(scale.Knots)):
			return fmt.Errorf("network %q has no columns that are bent by %d knots", scale.Network, len(scale.Knots))
		case k != nil:
			clear(k.Value)
			copy(k.Value, scale.Knots)
		}
		copy(n.scaling.center.Value, scale.Center)
		copy(n.scaling.scale.Value, scale.Scale)
		n.scaling.apply()
	}
	return nil
}

// Constant returns how many of a network's features were the same in all rows that its scale comes from, and so are not
// seen, and how many there are. Both are 0 while there is no scale, and for features that are not scaled by columns.
func (s *System) Constant(network string) (constant, features int) {
	n := s.network(network)
	if n == nil || n.root().scaling == nil || !n.root().scaling.known {
		return 0, 0
	}
	scale := n.root().scaling.scale.Value
	for _, v := range scale {
		if v == 0 {
			constant++
		}
	}
	return constant, len(scale)
}

// bends tells whether columns of a network can be bent: those of a dense table that are scaled one by one.
func (n *network) bends() bool {
	return n.spec.Normalize == StandardColumns && n.spec.Kind != convolutional && !n.raw.Sparse()
}

// bending returns the knots of a column, and whether they bend it.
func (c *scaling) bending(column int) (at []float32, bends bool) {
	if c.knots == nil {
		return nil, false
	}
	at = row(c.knots.Value, column, knots)
	return at, at[0] != at[knots-1]
}

// ofColumn returns the center and scale of a column with such values, and bends it first if its tails are heavy.
func (c *scaling) ofColumn(column int, values []float32) (center, scale float32) {
	slices.Sort(values)
	sorted := slices.Clone(values)
	center, scale, heavy := spread(values)
	if at, _ := c.bending(column); heavy && at != nil {
		bend(at, sorted)
		for i, v := range sorted {
			sorted[i] = bentBy(at, v)
		}
		center, scale, _ = spread(sorted)
	}
	return center, scale
}

// straight tells whether a parameter has the knots of columns of which none is bent: files leave it out.
func (p *parameter) straight() bool {
	c := p.owner.scaling
	return c != nil && p == c.knots && !slices.ContainsFunc(p.Value, func(v float32) bool { return v != 0 })
}

// CanCode tells whether a network could still be made to see values one by one: an mlp of its own dense features that
// has yet to learn, and to see anything.
func (s *System) CanCode(name string) bool {
	n := s.network(name)
	return n != nil && n.codable() && !n.scaling.known && !n.spec.Frozen && n.spec.Checkpoint == "" &&
		!slices.ContainsFunc(s.networks, func(other *network) bool { return other.encoder == n })
}

// codable tells whether a network's features have columns that can be coded.
func (n *network) codable() bool {
	return n.spec.Kind == multilayer && n.encoder == nil && n.scaling != nil && n.bends()
}

// Code makes a network see the values of some columns one by one, and no others any more. What depends on the number of
// its features begins anew.
func (s *System) Code(name string, codes []Codes) error {
	n := s.network(name)
	if n == nil {
		return fmt.Errorf("neural: Code(%q): there is no such network", name)
	}
	_, err := s.code(n, codes)
	return err
}

// Codes returns what a network sees one by one.
func (s *System) Codes(name string) []Codes {
	if n := s.network(name); n != nil {
		return n.codes
	}
	return nil
}

// code is Code; undo takes it back.
func (s *System) code(n *network, codes []Codes) (undo func(), err error) {
	if slices.EqualFunc(n.codes, codes, Codes.equal) {
		return func() {}, nil
	}
	if !n.codable() {
		return nil, wrongKey("features", "the network learned from a dense table with columns of whole numbers whose values "+
			"it sees one by one, and this one cannot follow")
	}
	for _, c := range codes {
		if c.Column < 0 || c.Column >= n.given.Width() || len(c.Values) == 0 || !slices.IsSorted(c.Values) {
			return nil, wrongKey("features", "the network learned from a table whose column %d it sees value by value, and "+
				"this one has %d columns", c.Column+1, n.given.Width())
		}
	}
	before, widened := *n, make(map[*parameter]parameter)
	known := n.scaling.known
	n.codes = codes
	n.raw = coded(n.given, codes)
	n.features, n.scaling.known = n.raw, false
	for _, p := range []*parameter{n.scaling.center, n.scaling.scale, n.scaling.knots, n.first.weights, n.layered.skip} {
		if p != nil {
			widened[p] = *p
			s.widen(p, n.raw.Width())
		}
	}
	return func() {
		n.codes, n.raw, n.features, n.scaling.known = before.codes, before.raw, before.features, known
		for p, was := range widened {
			*p = was
		}
	}, nil
}

// widen gives a parameter other rows, with initial values.
func (s *System) widen(p *parameter, rows int) {
	p.Shape = slices.Concat([]int{rows}, p.Shape[1:])
	size := rows
	for _, d := range p.Shape[1:] {
		size *= d
	}
	p.Value, p.Gradient = make([]float32, size), make([]float32, size)
	newStream(s.seed, p.Name).initialize(p.Value, p.Shape, p.initial)
}

// codeAs has the networks see the values of columns one by one that a file's networks do, under their own names there;
// undo takes it back.
func (s *System) codeAs(file *saved) (undo func(), err error) {
	var undone []func()
	undo = func() {
		for _, f := range undone {
			f()
		}
	}
	for _, n := range s.networks {
		one, err := s.code(n, file.codes[n.spec.Name])
		if err != nil {
			undo()
			return nil, inNetwork(n.spec.Name, err)
		}
		undone = append(undone, one)
	}
	return undo, nil
}
