package neural

// This file has the words that specifications choose among.

// Activation names the nonlinearity that follows a hidden layer.
type Activation string

// The activations.
const (
	ReLU    Activation = "relu"
	ELU     Activation = "elu"
	Tanh    Activation = "tanh"
	Sigmoid Activation = "sigmoid"
)

// Output names the function that maps a network's last layer to truth values.
type Output string

// The outputs: one distribution over all classes, or one truth value for each; or truth values as they are, which the
// network of an ONNX file may give.
const (
	SoftmaxOutput Output = "softmax"
	SigmoidOutput Output = "sigmoid"
	NoOutput      Output = "none"
)

// Normalization names a scaling of feature vectors.
type Normalization string

// The normalisations: each column to the same scale, by the rows of learning (see System.Standardize); all values to
// mean 0 and deviation 1 there; none; each row to unit sum of absolute values, or to unit Euclidean length, where zero
// vectors stay zero; each column by its inverse document frequency in the rows of learning, and then each row to one
// length.
const (
	StandardColumns Normalization = "columns"
	StandardValues  Normalization = "values"
	NoNormalization Normalization = "none"
	RowsToUnitSum   Normalization = "rows"
	RowsToUnitL2    Normalization = "l2"
	RowsByTFIDF     Normalization = "tfidf"
)

var (
	activations    = []Activation{ReLU, ELU, Tanh, Sigmoid}
	outputs        = []Output{SoftmaxOutput, SigmoidOutput, NoOutput}
	normalizations = []Normalization{StandardColumns, StandardValues, NoNormalization, RowsToUnitSum, RowsToUnitL2,
		RowsByTFIDF}
)

// byColumns tells whether a scale of each column comes from the rows of learning, and byRows whether each row is
// scaled.
func (n Normalization) byColumns() bool {
	return n == StandardColumns || n == StandardValues || n == RowsByTFIDF
}

func (n Normalization) byRows() bool {
	return n == RowsToUnitSum || n == RowsToUnitL2 || n == RowsByTFIDF
}
