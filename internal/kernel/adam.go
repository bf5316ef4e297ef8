package kernel

import "math"

// Adam holds the numbers of a step of Adam (Kingma & Ba 2015): the decay rates of the two moments, the learning rate
// divided by 1 − Beta1^t, and 1/√(1 − Beta2^t), with which the root of the second moment is unbiased.
type Adam struct {
	Beta1, Beta2          float64
	Rate, Unbias, Epsilon float64
}

// Step moves values against gradients, brings the gradients' running means and mean squares up to date, and sets the
// gradients to 0: one walk through memory, which is what such a step costs. All slices have the length of values.
func (a Adam) Step(values, gradients, means, squares []float32) {
	n := len(values)
	adam(values, gradients[:n], means[:n], squares[:n], a.constants())
}

func (a Adam) constants() *adamConstants {
	return &adamConstants{float32(a.Beta1), float32(1 - a.Beta1), float32(a.Beta2), float32(1 - a.Beta2),
		float32(a.Unbias), float32(a.Epsilon), float32(a.Rate)}
}

// adamConstants are β₁, 1 − β₁, β₂, 1 − β₂, the second moment's correction, ε, and the rate.
type adamConstants [7]float32

// adamPortably gives the bits of the assembly, but that this one takes numbers too small to be normal for 0.
// Conversions keep compilers from joining a product and a sum.
func adamPortably(values, gradients, means, squares []float32, k *adamConstants) {
	for i, g := range gradients {
		means[i] = float32(k[0]*means[i]) + float32(k[1]*g)
		squares[i] = float32(k[2]*squares[i]) + float32(k[3]*g*g)
		root := float32(math.Sqrt(float64(squares[i])))
		values[i] -= float32(k[6]*means[i]) / (float32(root*k[4]) + k[5])
		gradients[i] = 0
	}
}
