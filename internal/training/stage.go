package training

// Stages of learning that take long where there are many ground rules, as users are told how far they are.
const (
	toWeigh   = "weighing rules"
	toCompare = "comparing weights"
	toTeach   = "teaching networks"
	toKnow    = "trying known labels"
)

// stage tells how far one is.
type stage struct {
	tell       func(step, steps int)
	step, most int
}

// stage begins one of at most so many steps.
func (g *learner) stage(name string, most int) *stage {
	s := &stage{tell: g.steps(name), most: most}
	if s.tell == nil {
		s.tell = func(int, int) {}
	}
	return s
}

// steps tells the project of the steps of a stage; nil if it does not listen.
func (g *learner) steps(name string) func(step, steps int) {
	tell := g.Project.OnStage
	if tell == nil {
		return nil
	}
	return func(step, steps int) { tell(name, step, steps) }
}

// next says that a step is done, and end that all is.
func (s *stage) next() {
	if s.step++; s.step < s.most {
		s.tell(s.step, s.most)
	}
}

func (s *stage) end() { s.tell(s.most, s.most) }
