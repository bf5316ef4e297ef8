package report

import (
	"errors"
	"io"
	"math"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encoders change what the JSON syntax cannot hold: NaN and the infinities become null, a duration its seconds.
var encoders = json.JoinMarshalers(
	json.MarshalToFunc(func(enc *jsontext.Encoder, x float64) error { return encodeFloat(enc, x) }),
	json.MarshalToFunc(func(enc *jsontext.Encoder, x float32) error { return encodeFloat(enc, float64(x)) }),
	json.MarshalToFunc(func(enc *jsontext.Encoder, d time.Duration) error {
		return enc.WriteToken(jsontext.Float(d.Seconds()))
	}),
)

func encodeFloat(enc *jsontext.Encoder, x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return enc.WriteToken(jsontext.Null)
	}
	return errors.ErrUnsupported // the standard encoding
}

// JSON writes one result as one line of JSON. The bytes are a function of the value: struct fields keep their order,
// map keys are sorted, and nothing is escaped that JSON does not ask for. Floats that are not finite become null,
// durations are seconds, nil slices are []. Bytes that are no text in UTF-8, which tables may have in constants, become
// U+FFFD. The error is the writer's, or names a value that has no JSON form.
func JSON(w io.Writer, result any) error {
	line, err := json.Marshal(result, json.WithMarshalers(encoders), json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
