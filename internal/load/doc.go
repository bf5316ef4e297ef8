// Package load reads what a user gives: a configuration in PSL's JSON format or in YAML, rule files, and tables of
// ground atoms. It reports everything that is wrong with them at once, each with its place.
//
// # Configurations
//
// Paths are relative to the configuration's folder. Any other key than these is an error.
//
//	rules         a list of rules, or the path of a rule file
//	options       settings by name; scalars of any kind become text
//	learn, validation, infer
//	              rules and options of one phase, beside the common ones
//	networks      networks by name; their settings are package neural's
//	examples      by phase, the table of the examples that the rules are about one of
//	predicates    by "Name/2", or "Name" with arity or types:
//	  arity, types    a number; a list of String, Int, Float or PSL's names for them
//	  observations, targets, truth
//	                  a list of paths and of rows ["a", "b", 0.5], or such lists under all, learn, validation, infer
//	  force-open      true: asking for an atom that is nowhere is an error, not 0
//	  function        the name of an external function; then there are no data
//	  words           what an atom says in plain words, with {0} for its first argument
//	  evaluations     a list of evaluators, or of {evaluator, options, primary}
//	  options         settings by name
//	  neural          {network, entity, class, classes} for a classifier: its atoms are the rows of the features with
//	                  each class; {network, atoms} for pairs, where atoms are derivation rules; {network} alone if the
//	                  targets list the atoms; teacher names the predicate whose inferred values the network imitates,
//	                  slots the constants that stand for what an example shows
//	  derive, value   derivation rules that make the atoms; "one", or "inverse-count" for one by their number
//	  similarity      {measure, over, threshold, corpus} for the pairs of a column's constants that are alike
//
// JSON may have comments of three kinds, trailing commas, single quotes, plus signs and leading zeros.
//
// # Tables
//
// A table has one atom per line: the arguments between tabs, and perhaps a truth value in [0, 1], which is 1 if there
// is none. The first line says whether there is one. Lines are trimmed, blank ones skipped; nothing is quoted, and
// nothing is a comment or a header. These are PSL's rules, so that its data can be used as they are; where PSL fails
// with an exception of its database, here is a message with the place.
//
// The extension .csv, .jsonl (or .ndjson) or .parquet says that a file has another format. A CSV file names its columns
// in its first line, Parquet in its schema; a line of JSON is a list, or an object whose names are those of the first
// one. Columns are the arguments in their order; of one more, the one called truth or value, or else the last one, is
// the truth value. Gzip is recognised by content, and may add .gz to the name.
package load
