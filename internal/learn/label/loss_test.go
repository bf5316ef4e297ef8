package label

import "testing"

func TestLossNames(t *testing.T) {
	for k := range len(losses) {
		if got, err := ParseLoss(LossKind(k).String()); err != nil || got != LossKind(k) {
			t.Errorf("loss %d: %v, %v", k, got, err)
		}
	}
	if _, err := ParseLoss("x"); err == nil {
		t.Error("an unknown name is no error")
	}
}
