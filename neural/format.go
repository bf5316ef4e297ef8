package neural

// Format names a text form of a feature table.
type Format string

// The formats. Sparse lines are an id, a tab, and the columns of the nonzeros, counted from 0, each alone (for the
// value 1) or as column:value. Dense lines are an id, a tab, and all values. CSV lines are an id and all values. IDX is
// the binary format of MNIST's files of bytes: the first dimension counts the rows, whose ids are their numbers from 0,
// and each byte is divided by 255. NPY is NumPy's format of one array, with the same ids. Parquet's rows are like
// those of CSV. A line of names before the first dense or CSV row is left out.
const (
	SparseText Format = "sparse"
	DenseText  Format = "dense"
	CSV        Format = "csv"
	IDX        Format = "idx"
	NPY        Format = "npy"
	Parquet    Format = "parquet"
)

var formats = []Format{SparseText, DenseText, CSV, IDX, NPY, Parquet}
