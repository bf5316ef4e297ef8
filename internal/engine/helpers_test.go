package engine_test

import "github.com/deeppsl/deeppsl/internal/engine/enginetest"

// What tests here use of enginetest.
var (
	learnAndInfer = enginetest.LearnAndInfer
	writeProject  = enginetest.Write
	loaded        = enginetest.Load
	run           = enginetest.Run
	accuracy      = enginetest.Accuracy
	lastAccuracy  = enginetest.LastAccuracy
)

type rows = enginetest.Rows
