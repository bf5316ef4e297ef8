package learn

import (
	"context"

	"github.com/deeppsl/deeppsl/internal/learn/label"
	"github.com/deeppsl/deeppsl/internal/learn/perception"
	"github.com/deeppsl/deeppsl/internal/mrf"
	"github.com/deeppsl/deeppsl/internal/solve"
)

// Task is what is to be learned: a ground model whose parameters are rule weights θ and, through the perceived inputs,
// network weights ω, and the labels that its MAP state should agree with.
type Task struct {
	Field      *mrf.Field
	Solver     solve.Solver        // of this very Field: what is set through one holds for the other
	Perception perception.Networks // nil if the program has no neural predicate
	Theta      []float64           // the rules' initial weights, one per rule
	Learned    []bool              // which of them learning may change
	Labels     *label.Labels
	// NewSolver makes a solver for another field. Perceptron, Energy and Likelihood need one: with the labels clamped.
	NewSolver func(*mrf.Field) (solve.Solver, error)
	// Teacher, if there is one, ties perceived inputs to the variables whose MAP values they should imitate.
	Teacher *Teacher
	// Batches, if there are any, take the place of Field, Solver, Perception, Labels and Teacher by those of a scene. At
	// first the Task has those of any one.
	Batches Batches
	// Validate scores a MAP state, and the inputs it rests on, with the current parameters; higher is better. The
	// parameters of the best epoch are kept. With batches there are no y and x: it infers for itself. If nil, the last
	// ones are, or for Perceptron, Energy and Likelihood those of the smallest loss.
	Validate func(ctx context.Context, y, x []float64) (float64, error)
}

// Settings are Algorithm 1's and its siblings' knobs, named as in the paper's table of hyper-parameters.
type Settings struct {
	Method      Method
	Alpha       float64 // α, the step along -∇L at which the convex difference is taken
	Mu          float64 // μ, the weight of the dying-hinge regulariser Ω
	Epochs      int     // T, outer iterations: one MAP inference each
	Steps       int     // N, gradient steps between two inferences
	Loss        label.Loss
	Optimiser   perception.OptimiserKind
	RuleRate    float64 // η for rule weights
	NetworkRate float64 // η for network weights
	Decay       float64 // weight decay, of network weights only; a negative one is so many times what suits the labels
	Schedule    Schedule
	Ridge       float64 // ν of the implicit method's (H + νI)v = ∇L
	Deviation   float64 // standard deviation of the initial rule weights around the given ones; the paper's 0.1
	Imitation   float64 // λ, the weight of imitating the MAP state; see Teacher
	// ImitationStart is the first epoch that imitates: before, there is nothing worth it.
	ImitationStart int
	Patience       int     // epochs without a better validation score before stopping; 0 means never
	Update         Update  // how rule weights follow their gradient
	L2             float64 // regularisers of rule weights: see regularise
	Barrier        float64
	Entropy        float64
	Movement       float64 // change of relative weights in an epoch below which Perceptron and Energy stop
	// Sharpen is the weight of the entropy of what networks see of examples, at first: see sharpen.
	Sharpen float64
	// Calibrated has the loss of answers at the temperature that suits them, and not Loss.
	Calibrated bool
	// Drawn has Perceptron learn from examples at classes that are drawn from what networks see: see draw.
	Drawn bool
	// Latent learns from examples by the likelihood of their labels, and not by the method: see latent.Likelihood.
	Latent bool
	// Answered has that likelihood be how probable it is that labels come out right: see Answers.
	Answered bool
	Seed     uint64
}

// smallestWeight keeps rule weights positive, as a hinge-loss energy must have them to be convex.
const smallestWeight = 1e-3

// Epoch is one line of the learning curve: the state before its gradient steps.
type Epoch struct {
	Number     int       `json:"epoch"`
	Method     string    `json:"-"`              // whose steps these are, where methods compete
	Fold       int       `json:"fold,omitempty"` // of the labels that are held out, from 1; 0 if none are
	Loss       float64   `json:"loss"`
	Validation float64   `json:"validation"`
	Gap        float64   `json:"gap"`
	Iterations int       `json:"iterations"` // of the solver
	Inference  float64   `json:"inference_seconds"`
	Forward    float64   `json:"forward_seconds"` // the networks' part of the inference
	Gradient   float64   `json:"gradient_seconds"`
	Theta      []float64 `json:"rule_weights"`
	// Active is the share of each rule's ground rules that are active at the MAP state, NaN without any; of examples with
	// the method Energy, at the best state with their labels.
	Active []float64 `json:"active"`
	// Gradients has the largest of each layer's in the first steps; nil where no network learned.
	Gradients []perception.LayerGradient `json:"gradients,omitempty"`
	// Networks describes them as the last Forward left them; of examples, by the last batch.
	Networks []perception.State `json:"networks,omitempty"`
}

// Batches are training examples, shown some at a time. All batches have equally many, and each example has equally many
// variables and inputs.
type Batches interface {
	// Len returns the number of batches of an epoch.
	Len() int
	// Size returns the number of examples of a batch.
	Size() int
	// Show returns the scene of batch k, whose perception then sees it and whose labels have its truth. Batches of the
	// same shape have the same scene: what changes from one to the next is what the networks see and which labels are
	// true.
	Show(ctx context.Context, k int) (*Scene, error)
}

// Scene is the part of a Task that depends on the shape of a batch.
type Scene struct {
	Field      *mrf.Field
	Solver     solve.Solver        // of this very Field
	Perception perception.Networks // nil without inputs
	// Labels may be none, and then there is nothing to learn from the scene.
	Labels  *label.Labels
	Teacher *Teacher // nil if there is none
	// Counterparts ties what is seen to the variables that rules equate it with; nil if there are none.
	Counterparts *Teacher
	// Shapes are numbers of the examples' ground models: those with the same number have the same.
	Shapes []int32

	objective Objective
}
