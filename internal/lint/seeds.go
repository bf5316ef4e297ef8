package lint

// random is the library that tests draw with, and seeded the package that fixes what it draws.
const (
	random = "pgregory.net/rapid"
	seeded = modulePath + "/internal/rapidtest"
)

// seeds finds packages whose tests draw something else each time.
func seeds(m *Module) []Finding {
	fixed := map[string]bool{"internal/rapidtest": true}
	m.importing(seeded, func(file *File, _ int) { fixed[file.Package()] = true })
	var findings []Finding
	m.importing(random, func(file *File, line int) {
		if !fixed[file.Package()] {
			findings = append(findings, Finding{file.Path, line, "tests of a package that draws import " + seeded})
		}
	})
	return findings
}

// importing visits the files that import a package, with the lines that say so.
func (m *Module) importing(path string, visit func(file *File, line int)) {
	m.goFiles(func(file *File) {
		for _, spec := range file.Syntax.Imports {
			if importPath(spec) == path {
				visit(file, m.line(spec.Pos()))
			}
		}
	})
}
