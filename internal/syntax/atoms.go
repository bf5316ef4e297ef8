package syntax

// Atoms returns the atoms of a rule, in the order in which they are written: those of filters and of the weight last.
func Atoms(rule *Rule) []*Atom {
	var atoms []*Atom
	if rule.Logical != nil {
		for _, side := range [][]Literal{rule.Logical.Body, rule.Logical.Head} {
			for _, l := range side {
				if l.Atom != nil {
					atoms = append(atoms, l.Atom)
				}
			}
		}
	}
	if a := rule.Arithmetic; a != nil {
		atoms = atomsIn(atomsIn(atoms, a.Left), a.Right)
	}
	for _, f := range rule.Filters {
		atoms = atomsIn(atoms, f.Where)
	}
	if rule.Weight.Atom != nil {
		atoms = append(atoms, rule.Weight.Atom)
	}
	return atoms
}

// atomsIn appends the atoms of an expression.
func atomsIn(atoms []*Atom, e Expr) []*Atom {
	switch e := e.(type) {
	case *Atom:
		return append(atoms, e)
	case *Unary:
		return atomsIn(atoms, e.X)
	case *Binary:
		return atomsIn(atomsIn(atoms, e.X), e.Y)
	}
	return atoms
}
