package learn

import "github.com/deeppsl/deeppsl/internal/learn/label"

// Teacher lets reasoning teach perception: the networks imitate the MAP state, labelled or not. The relations know more
// about an unlabelled object than its features do, and what they know need not be forgotten by the network.
//
// The loss is the mean over the groups of the cross-entropy -Σ q log x, where q is proportional to y², normalised
// within the group: a sharpened copy of the MAP state, held fixed during the N gradient steps. It is not in the paper.
type Teacher struct {
	// Groups lists, for each object, the inputs that perceive its classes and the variables that are inferred for them.
	Groups []TeacherGroup

	target [][]float64 // q, by group
}

// TeacherGroup ties the perceived classes of one object to the inferred ones.
type TeacherGroup struct {
	Inputs, Variables []int32
}

// Repeat ties n copies of the objects in place of one, of a model with so many inputs and variables for each copy.
func (t *Teacher) Repeat(n, inputs, variables int) {
	groups := t.Groups
	t.Groups = nil
	for k := range int32(n) {
		for _, group := range groups {
			t.Groups = append(t.Groups, TeacherGroup{shifted(group.Inputs, k*int32(inputs)),
				shifted(group.Variables, k*int32(variables))})
		}
	}
}

// shifted returns the numbers with by added to each.
func shifted(numbers []int32, by int32) []int32 {
	out := make([]int32, len(numbers))
	for k, i := range numbers {
		out[k] = i + by
	}
	return out
}

// Imitated returns labels that say of inputs what a state says of their variables: the q of Teacher.
func Imitated(groups []TeacherGroup, y []float64) *label.Labels {
	t := Teacher{Groups: groups}
	t.watch(y)
	labels := new(label.Labels)
	for k, group := range groups {
		labels.Variables = append(labels.Variables, group.Inputs...)
		labels.Truth = append(labels.Truth, t.target[k]...)
	}
	return labels
}

// watch computes the targets q at a state.
func (t *Teacher) watch(y []float64) {
	if t.target == nil {
		t.target = make([][]float64, len(t.Groups))
		for k, group := range t.Groups {
			t.target[k] = make([]float64, len(group.Variables))
		}
	}
	for k, group := range t.Groups {
		sum := 0.0
		for j, i := range group.Variables {
			t.target[k][j] = y[i] * y[i]
			sum += y[i] * y[i]
		}
		for j := range group.Variables {
			if sum > 0 {
				t.target[k][j] /= sum
			}
		}
	}
}

// addGradient adds weight times the loss's gradient in x.
func (t *Teacher) addGradient(weight float64, x, gx []float64) {
	weight /= float64(len(t.Groups))
	for k, group := range t.Groups {
		for j, input := range group.Inputs {
			gx[input] -= weight * t.target[k][j] / max(x[input], label.TinyFloor)
		}
	}
}
