package program

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// String returns the type's name as configurations write it.
func (t Type) String() string { return [...]string{"String", "Int", "Float"}[t] }

// Canonical returns the one spelling of a constant among all those that mean the same to the type: "01" is "1" as an
// Int, "1.50" is "1.5" as a Float. It returns an error if text is no constant of the type.
func (t Type) Canonical(text string) (string, error) {
	switch t {
	case Int:
		value, err := strconv.ParseInt(text, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			return "", fmt.Errorf("'%s' is an integer of more than 64 bits", text)
		}
		if err != nil {
			return "", fmt.Errorf("'%s' is not an integer", text)
		}
		return strconv.FormatInt(value, 10), nil
	case Float:
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			return "", fmt.Errorf("'%s' is not a finite number", text)
		}
		return strconv.FormatFloat(value+0, 'g', -1, 64), nil // + 0 makes -0 into 0
	}
	return text, nil
}
