package features

// Form says how a feature table is written in files.
type Form struct {
	// Format is the form of its rows; "" is that of the first file's extension.
	Format Format
	// Width is the number of features; 0 is as many as there are.
	Width int
	// Columns names, of a table whose columns have names, that of the ids and those of the features, in this order; nil is
	// the first one, and all others.
	Columns []string
	// Categories names those of its columns whose numbers are names, such as postcodes.
	Categories []string
}

// Format names the form of the rows of a feature table.
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

// Formats are all of them.
var Formats = []Format{SparseText, DenseText, CSV, IDX, NPY, Parquet}
