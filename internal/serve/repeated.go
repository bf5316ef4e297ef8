package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// deepest is how deep a body may be nested for repeated keys to be looked for: no request is as deep.
const deepest = 100

// level is an object or a list that is being read: the keys so far, of an object, and where in it the reader is.
type level struct {
	keys map[string]bool
	key  string
	at   int
}

// repeated returns where JSON has a key that its object has already, of which readers take one or the other; "" if it
// has none. Keys that differ in case are the same, as they are where requests are decoded.
func repeated(body []byte) (place string) {
	reader := json.NewDecoder(bytes.NewReader(body))
	reader.UseNumber()
	var levels []level
	for {
		token, err := reader.Token()
		if err != nil || len(levels) > deepest {
			return "" // it is refused, if it is wrong, by who decodes it
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			levels = levels[:len(levels)-1]
			continue
		}
		if len(levels) > 0 {
			now := &levels[len(levels)-1]
			if key, is := token.(string); is && now.keys != nil && now.at%2 == 0 {
				now.key = key
				folded := strings.ToLower(strings.ToUpper(key))
				if now.keys[folded] {
					return path(levels)
				}
				now.keys[folded] = true
			}
			now.at++
		}
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{keys: make(map[string]bool)})
		case json.Delim('['):
			levels = append(levels, level{})
		}
	}
}

// path names the place of the innermost level's key, as the library names places.
func path(levels []level) string {
	place := "body"
	for k := range levels {
		if l := &levels[k]; l.keys != nil {
			place += "." + l.key
		} else {
			place += fmt.Sprintf("[%d]", l.at-1)
		}
	}
	return place
}
