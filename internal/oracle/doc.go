// Package oracle tries programs drawn at random, end to end, against their definition: it grounds them by going through
// all constants, and solves what comes of it by dense linear algebra, without the code that answers usually come from.
// Verdicts must be the same, and objectives as near as the gap that was asked for. What fails is made smaller by rapid.
// It also changes programs in ways that change no answer: other units of weights, orders, repetitions, ways to solve.
//
// Hundreds of programs run with every test; `make oracle` tries as many as one has time for.
package oracle
