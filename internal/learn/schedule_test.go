package learn

import "testing"

func TestSchedules(t *testing.T) {
	if got := Inverse.rate(6, 2, 10); got != 2 {
		t.Errorf("inverse schedule, epoch 2: %v, want 2", got)
	}
	if first, last := Linear.rate(6, 0, 3), Linear.rate(6, 2, 3); first != 6 || last != 2 {
		t.Errorf("linear rates from %v to %v, want 6 to 2", first, last)
	}
	if got := Constant.rate(6, 2, 10); got != 6 {
		t.Errorf("constant schedule: %v, want 6", got)
	}
}

func TestNamesRoundTrip(t *testing.T) {
	for k := range len(methods) {
		if got, err := ParseMethod(Method(k).String()); err != nil || got != Method(k) {
			t.Errorf("method %d: %v, %v", k, got, err)
		}
	}
	for k := range len(scheduleNames) {
		if got, err := ParseSchedule(Schedule(k).String()); err != nil || got != Schedule(k) {
			t.Errorf("schedule %d: %v, %v", k, got, err)
		}
	}
	_, err1 := ParseMethod("x")
	_, err2 := ParseSchedule("x")
	if err1 == nil || err2 == nil {
		t.Error("an unknown name is no error")
	}
}
