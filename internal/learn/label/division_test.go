package label

import (
	"maps"
	"testing"
)

// threeClasses are labels of n entities, each of one class and not of the two others.
func threeClasses(n int) *Labels {
	labels := new(Labels)
	for e := range int32(n) {
		for c := range int32(3) {
			labels.Variables = append(labels.Variables, 3*e+c)
			labels.Entities, labels.Classes = append(labels.Entities, 100+e), append(labels.Classes, c)
			truth := 0.0
			if e%3 == c {
				truth = 1
			}
			labels.Truth = append(labels.Truth, truth)
		}
	}
	return labels
}

// Every entity is in one fold with all its labels, and folds have as many of each class as can be.
func TestDivide(t *testing.T) {
	labels := threeClasses(30)
	folds := Divide(labels, 3, 7)
	counts := make(map[[2]int]int)
	for entity, fold := range folds {
		counts[[2]int{fold, int(entity-100) % 3}]++
	}
	if len(folds) != 30 || len(counts) != 9 {
		t.Fatalf("%d entities, folds and classes %v", len(folds), counts)
	}
	for at, n := range counts {
		if n < 3 || n > 4 {
			t.Errorf("fold %d has %d entities of class %d", at[0], n, at[1])
		}
	}
	held := labels.Where(func(entity int32) bool { return folds[entity] == 0 })
	if len(held.Variables) != 30 || len(held.Variables)%3 != 0 {
		t.Errorf("%d labels held out", len(held.Variables))
	}
	backwards := new(Labels)
	for k := len(labels.Truth) - 1; k >= 0; k-- {
		backwards.Entities = append(backwards.Entities, labels.Entities[k])
		backwards.Classes = append(backwards.Classes, labels.Classes[k])
		backwards.Truth = append(backwards.Truth, labels.Truth[k])
	}
	if !maps.Equal(folds, Divide(backwards, 3, 7)) {
		t.Error("the order of the labels changes the folds")
	}
	if maps.Equal(folds, Divide(labels, 3, 8)) {
		t.Error("the seed does not change the folds")
	}
}

// Where holding out would leave classes that nothing is learned from, nothing is held out.
func TestDivideTooLittle(t *testing.T) {
	for _, test := range []struct{ entities, folds int }{{3, 3}, {5, 3}, {30, 1}, {30, 0}, {0, 3}} {
		if folds := Divide(threeClasses(test.entities), test.folds, 1); folds != nil {
			t.Errorf("%d entities in %d folds: %v", test.entities, test.folds, folds)
		}
	}
	lonely := threeClasses(12)
	for k := range lonely.Classes {
		lonely.Classes[k] = lonely.Entities[k] // each its own class
	}
	if folds := Divide(lonely, 3, 1); folds != nil {
		t.Errorf("classes of one entity each: %v", folds)
	}
	if folds := DivideForRules(lonely, 3, 1); len(folds) != len(lonely.classes()) {
		t.Errorf("for weights of rules, %v", folds)
	}
}
