package worker

import (
	"github.com/deeppsl/deeppsl"
)

// This file has the forms in which results cross. Numbers that are not finite are null.

// each returns the forms in which all of them cross.
func each[A, B any](all []A, form func(A) B) []B {
	out := make([]B, len(all))
	for k, one := range all {
		out[k] = form(one)
	}
	return out
}

type problem struct {
	ID      string `json:"id"`
	Warning bool   `json:"warning"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

func problemOf(p deeppsl.Problem) problem { return problem(p) }

func warningOf(p deeppsl.Problem) any { return map[string]any{"warning": problemOf(p)} }

type rule struct {
	Text   string  `json:"text"`
	Weight float64 `json:"weight"`
	Hard   bool    `json:"hard"`
	Ground int     `json:"ground"`
	// Inactive is a rule without ground rules: see change.Deactivate.
	Inactive bool `json:"inactive"`
}

func ruleOf(r deeppsl.Rule) rule { return rule(r) }

type answer struct {
	Answer       uint64   `json:"answer"` // its number
	Status       string   `json:"status"`
	Explanation  string   `json:"explanation"`
	Method       string   `json:"method"`
	Reason       string   `json:"reason"`
	Objective    float64  `json:"objective"`
	DualBound    float64  `json:"dual_bound"`
	Gap          float64  `json:"gap"`
	MaxViolation float64  `json:"max_violation"`
	AtomError    float64  `json:"atom_error"`
	Iterations   int      `json:"iterations"`
	Seconds      float64  `json:"seconds"`
	Conflict     []string `json:"conflict"`
	Values       int      `json:"values"` // the number of an array
}

func answerOf(a *deeppsl.Answer, number uint64, values int) answer {
	return answer{number, string(a.Status), a.Explanation, a.Method, a.Reason, a.Objective, a.DualBound, a.Gap,
		a.MaxViolation, a.AtomError, a.Iterations, a.Elapsed.Seconds(), a.Conflict, values}
}

type epoch struct {
	Number     int     `json:"number"`
	Loss       float64 `json:"loss"`
	Validation float64 `json:"validation"`
	Gap        float64 `json:"gap"`
}

func epochOf(e deeppsl.Epoch) epoch { return epoch(e) }

type training struct {
	Epochs   []epoch   `json:"epochs"`
	Kept     int       `json:"kept"`
	Ended    string    `json:"ended"`
	Early    bool      `json:"early"`
	Warnings []problem `json:"warnings"`
	Seconds  float64   `json:"seconds"`
	Rules    []rule    `json:"rules"`
}

func trainingOf(t *deeppsl.Training, s *session) training {
	return training{Epochs: each(t.Epochs, epochOf), Kept: t.Kept, Ended: t.Ended, Early: t.Early,
		Warnings: each(t.Warnings, problemOf), Seconds: t.Elapsed.Seconds(), Rules: each(s.Rules(), ruleOf)}
}

type evaluation struct {
	Predicate string             `json:"predicate"`
	Evaluator string             `json:"evaluator"`
	Count     int                `json:"count"`
	Values    map[string]float64 `json:"values"`
	Primary   string             `json:"primary"`
}

func evaluationOf(e deeppsl.Evaluation) evaluation { return evaluation(e) }

type prediction struct {
	Example   string  `json:"example"`
	Label     string  `json:"label"`
	Predicted string  `json:"predicted"`
	Known     string  `json:"known"`
	Value     float64 `json:"value"`
}

func predictionOf(p deeppsl.Prediction) prediction { return prediction(p) }

type estimate struct {
	Rule    string  `json:"rule"`
	Ground  int     `json:"ground"`
	Exact   bool    `json:"exact"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"`
}

func estimateOf(e deeppsl.Estimate) estimate { return estimate(e) }

type summary struct {
	Rules        []estimate `json:"rules"`
	Problems     []problem  `json:"problems"`
	Observations int        `json:"observations"`
	Targets      int        `json:"targets"`
}

func summaryOf(s *deeppsl.Summary) summary {
	return summary{Rules: each(s.Rules, estimateOf), Problems: each(s.Problems, problemOf),
		Observations: s.Observations, Targets: s.Targets}
}

type atomsOf struct {
	Predicate string `json:"predicate"`
	Count     int    `json:"count"`
	Codes     []int  `json:"codes"` // the numbers of an array for each argument
}

// allAtoms are atoms as columns of numbers of strings, by predicate.
type allAtoms struct {
	Strings    int       `json:"strings"` // the number of an array
	Predicates []atomsOf `json:"predicates"`
}

func atomsOfAnswer(a *deeppsl.Answer, out *builder) (all allAtoms) {
	var strings []string
	for name, columns := range a.Columns() {
		of := atomsOf{Predicate: name, Count: len(columns.Truth)}
		for k, codes := range columns.Rows {
			of.Codes = append(of.Codes, out.int32s(codes))
			strings = columns.Constants[k] // which those before begin with
		}
		all.Predicates = append(all.Predicates, of)
	}
	all.Strings = out.strings(strings)
	return all
}
