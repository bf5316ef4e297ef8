// Package features makes the tables of feature vectors that networks see, one row for each entity, of slices
// (NewDense, NewSparse), of columns of text (NewTable), and of files in six formats (ReadFiles):
//
//	table, err := features.NewDense([]string{"ann", "bob"}, 2, []float32{1.70, 64, 1.82, 80})
//	table, err := features.ReadFiles(features.Form{Columns: []string{"id", "age", "town"}}, []string{"people.csv"})
//
// A file as people keep it has more than numbers in it. Read makes features of names and of gaps, of dates and of
// numbers with units; where a column could be read in two ways, Readings tells which one was taken, and what cannot be
// read at all is an error with the file, the line and the column. How features are scaled is up to the network that
// sees them: a table has them as they are written. Tables do not change; With makes one that has further rows, or other
// ones.
package features
