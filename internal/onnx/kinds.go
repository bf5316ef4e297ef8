package onnx

import (
	"maps"
	"slices"
)

// kindsOf returns the operators that are supported, by name, as a version of the standard has them.
func kindsOf(opset int64) map[string]kind {
	kinds := map[string]kind{
		"Relu": {1, 1, relu, nil, false}, "Not": {1, 1, not, nil, false}, "IsNaN": {1, 1, isNaN, nil, false},
		"Cast": {1, 1, cast, nil, true}, "CastLike": {2, 2, castLike, nil, true},
		"Clip": {1, 3, clip, nil, false}, "Where": {3, 3, where, nil, false},
		"MatMul": {2, 2, matMul, []int{0, 1}, false}, "Gemm": {2, 3, gemm, []int{0, 1, 2}, false},
		"Conv":    {2, 3, conv, []int{1, 2}, false},
		"MaxPool": {1, 1, maxPool, nil, false}, "AveragePool": {1, 1, averagePool, nil, false},
		"GlobalAveragePool":     {1, 1, global("ReduceMean"), nil, false},
		"GlobalMaxPool":         {1, 1, global("ReduceMax"), nil, false},
		"Softmax":               {1, 1, softmax(opset, false), nil, false},
		"LogSoftmax":            {1, 1, softmax(opset, true), nil, false},
		"BatchNormalization":    {5, 5, batchNormalization, []int{1, 2}, false},
		"LayerNormalization":    {2, 3, layerNormalization(false), []int{1, 2}, false},
		"RMSNormalization":      {2, 2, layerNormalization(true), []int{1}, false},
		"InstanceNormalization": {3, 3, groupNormalization(false), []int{1, 2}, false},
		"GroupNormalization":    {3, 3, groupNormalization(true), []int{1, 2}, false},
		"Identity":              {1, 1, identity, nil, true}, "Dropout": {1, 3, dropout, nil, false},
		"Reshape": {2, 2, reshape, nil, true}, "Flatten": {1, 1, flatten, nil, true},
		"Squeeze": {1, 2, squeeze, nil, true}, "Unsqueeze": {1, 2, unsqueeze, nil, true},
		"Transpose": {1, 1, turn, nil, true}, "Expand": {2, 2, expand, nil, true}, "Tile": {2, 2, tile, nil, false},
		"Slice": {1, 5, slice, nil, true}, "Gather": {2, 2, take, []int{0}, false},
		"GatherElements": {2, 2, takeEach, nil, false}, "Pad": {1, 4, pad, nil, false},
		"Trilu": {1, 2, triangle, nil, false}, "Concat": {1, unlimited, concat, nil, true},
		"Shape": {1, 1, shapeOf, nil, false}, "Size": {1, 1, sizeOf, nil, false},
		"Constant": {0, 0, constant, nil, false}, "ConstantOfShape": {1, 1, constantOfShape, nil, false},
		"Range": {3, 3, ranged, nil, false}, "OneHot": {3, 3, oneHot, nil, false},
		"ArgMax": {1, 1, argMax(1), nil, false}, "ArgMin": {1, 1, argMax(-1), nil, false},
	}
	for name := range reductions {
		kinds[name] = kind{1, 2, reduce(name), nil, false}
	}
	for name, c := range curves {
		if _, known := kinds[name]; !known {
			kinds[name] = kind{1, 1, func(*attributes) operator { return c.operator() }, nil, false}
		}
	}
	for name, c := range shapedCurves {
		kinds[name] = kind{1, 1, func(a *attributes) operator { return c(a).operator() }, nil, false}
	}
	for name, c := range arithmetics {
		kinds[name] = kind{2, 2, func(*attributes) operator { return c.operator() }, parameterPlaces[name], false}
	}
	for name, c := range comparisons {
		kinds[name] = kind{2, 2, func(*attributes) operator { return c.operator() }, nil, false}
	}
	return kinds
}

// parameterPlaces are the factors of arithmetic that are parameters: biases and scales.
var parameterPlaces = map[string][]int{"Add": {0, 1}, "Mul": {0, 1}, "Sub": {1}, "PRelu": {1}}

// chained are operators of any number of inputs, of which two at a time are taken.
var chained = map[string]string{"Sum": "Add", "Mean": "Add", "Max": "Max", "Min": "Min"}

// Operators returns the names of the supported operators, sorted.
func Operators() []string {
	names := append(slices.Collect(maps.Keys(kindsOf(oldestOpset))), "Sum", "Mean", "Split")
	slices.Sort(names)
	return names
}
