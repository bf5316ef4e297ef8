// Package deeppsl reasons with rules and raw data: probabilistic soft logic whose predicates may be neural networks,
// trained end to end through the inference, after the paper "DeepPSL: End-to-end perception and reasoning".
package deeppsl
