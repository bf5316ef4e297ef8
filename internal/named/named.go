// Package named finds numbered things by their names.
package named

import (
	"fmt"
	"strings"
)

// Of returns the one of so many things, numbered from 0, that has the name. The error names them all.
func Of[K interface {
	~uint8
	fmt.Stringer
}](count int, name string) (K, error) {
	names := make([]string, count)
	for k := range names {
		if names[k] = K(k).String(); names[k] == name {
			return K(k), nil
		}
	}
	return 0, fmt.Errorf("want one of %s", strings.Join(names, ", "))
}
