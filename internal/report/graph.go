package report

import (
	"fmt"
	"io"
	"math"
)

// Graph is a drawing of what pushes something: it stands on the left, what pushes it in a column beside it, and what
// pushes those in the next. All names can be read.
type Graph struct {
	Title string
	Nodes []Node
	Edges []Edge
}

// Node is a thing with a value in [0, 1]. Its Column is how many edges lead from it to the first node.
type Node struct {
	Name   string
	Value  float64
	Column int
	Link   string // an address; "" for none
}

// Edge says that node From pushes node To, up where Weight is positive.
type Edge struct {
	From, To int
	Weight   float64
}

// The sizes of a graph in pixels: a node's row and box, the room above, and that between two columns.
const (
	graphRow, graphBox, graphWide, graphTop, graphGap = 24, 18, 250, 40, 110
	graphName                                         = 34  // runes of a name
	graphSeen                                         = 200 // how far down the first node is at most
)

// SVG writes the drawing. Its bytes are a function of the graph alone. The error is the writer's, or says which edge
// leads nowhere.
func (g *Graph) SVG(w io.Writer) error {
	strongest := 0.0
	for _, e := range g.Edges {
		if e.From < 0 || e.To < 0 || e.From >= len(g.Nodes) || e.To >= len(g.Nodes) || math.IsNaN(e.Weight) {
			return fmt.Errorf("graph %q: the edge %+v leads nowhere", g.Title, e)
		}
		strongest = max(strongest, math.Abs(e.Weight))
	}
	x, y, width, height := g.places()
	d := newDrawing(max(width, 20+textWidth(g.Title, 12)), height)
	d.text(10, 20, 12, "start", g.Title)
	for _, e := range g.Edges {
		colour, dashes := palette[0], ""
		if e.Weight < 0 { // told by more than its colour
			colour, dashes = palette[1], ` stroke-dasharray="7 3"`
		}
		x0, y0, x1, y1 := x[e.From], y[e.From]+graphBox/2, x[e.To]+graphWide, y[e.To]+graphBox/2
		if x0 < x1 { // within a column, or back
			x1 = x[e.To]
		}
		middle := (x0 + x1) / 2
		d.printf(`<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="%s" stroke-width="%.1f" stroke-opacity="0.7"%s/>`+
			"\n", x0, y0, middle, y0, middle, y1, x1, y1, colour, 1+4*math.Abs(e.Weight)/max(strongest, 1e-300), dashes)
	}
	for k := range g.Nodes {
		g.Nodes[k].draw(d, x[k], y[k])
	}
	return d.end(w)
}

// places puts the nodes of each column below each other, and the first node where the middle of the others is.
func (g *Graph) places() (x, y []int, width, height int) {
	var filled []int // rows by column
	for k := range g.Nodes {
		for len(filled) <= g.Nodes[k].Column {
			filled = append(filled, 0)
		}
		column := g.Nodes[k].Column
		x = append(x, 10+column*(graphWide+graphGap))
		y = append(y, graphTop+filled[column]*graphRow)
		filled[column]++
	}
	rows := 1
	for _, n := range filled {
		rows = max(rows, n)
	}
	for k := range g.Nodes { // columns that are shorter stand in the middle, if one need not look for it
		y[k] += min((rows-filled[g.Nodes[k].Column])*graphRow/2, graphSeen)
	}
	return x, y, 20 + len(filled)*(graphWide+graphGap) - graphGap, graphTop + rows*graphRow + 10
}

// draw draws a node as a box that is filled as far as its value says.
func (n *Node) draw(d *drawing, x, y int) {
	if n.Link != "" {
		d.printf(`<a href="`)
		d.escape(n.Link)
		d.printf(`">`)
	}
	d.printf("<g><title>")
	d.escape(fmt.Sprintf("%s = %.4g", n.Name, n.Value))
	d.printf("</title>\n")
	d.printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="#fff" stroke="#777"/>`+"\n", x, y, graphWide, graphBox)
	d.printf(`<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s" fill-opacity="0.25"/>`+"\n", x, y,
		graphWide*min(max(n.Value, 0), 1), graphBox, palette[2])
	d.text(x+4, y+13, 10, "start", clipped(n.Name, graphName))
	d.text(x+graphWide-4, y+13, 10, "end", fmt.Sprintf("%.3g", n.Value))
	d.printf("</g>")
	if n.Link != "" {
		d.printf("</a>")
	}
	d.printf("\n")
}
