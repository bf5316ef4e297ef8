package load

// A Key is what an object of a configuration can have. The reader takes the keys of each level from the table of them,
// and so does docs/configuration.md.
type Key struct {
	Level   Level
	Name    string
	Type    string // of its value
	Default string // what is so without the key
	Doc     string
	Example string // a value, as it is written
}

// Level is a kind of object within a configuration.
type Level string

// The levels, in the order of the page.
const (
	TopLevel        Level = "the configuration"
	PredicateLevel  Level = "a predicate"
	TablesLevel     Level = "observations, targets or truth by phase"
	SelectionLevel  Level = "a table with columns"
	NeuralLevel     Level = "neural"
	SimilarityLevel Level = "similarity"
	EvaluationLevel Level = "an evaluation"
	PhaseLevel      Level = "learn, validation or infer"
	ExamplesLevel   Level = "examples"
	FactsLevel      Level = "the examples of a phase"
	DataLevel       Level = "a .data file"
	DataPredicate   Level = "a predicate of a .data file"
)

// Keys is the table.
var Keys = []Key{
	{TopLevel, "predicates", "object", "none", "every predicate by name, with the number of its arguments or without: " +
		"`\"Knows/2\"`", `{"Knows/2": {"targets": ["pairs.tsv"]}}`},
	{TopLevel, "rules", "string or list", "none", "a file of rules, or a text of rules in the language of language.md; " +
		"lists mix files and single rules", `["model.psl", "1: !Knows(A, B) ^2"]`},
	{TopLevel, "options", "object", "none", "settings of all phases: see options.md", `{"inference.gap": 1e-8}`},
	{TopLevel, "networks", "object", "none", "every neural network by name; its keys are below",
		`{"reader": {"kind": "mlp", "features": "words.tsv"}}`},
	{TopLevel, "examples", "object", "none", "tables of examples that all have the shape of the one that the rules are " +
		"about: see examples.md", `{"learn": "train.csv", "infer": "test.csv"}`},
	{TopLevel, "learn", "object", "none", "rules and options that learning adds", `{"options": {"learn.epochs": 20}}`},
	{TopLevel, "validation", "object", "none", "those that validation adds to learning's", `{"rules": []}`},
	{TopLevel, "infer", "object", "none", "those that inference adds", `{"options": {"inference.seconds": 60}}`},

	{PredicateLevel, "name", "string", "the key that it stands under", "the same name once more, as PSL writes it",
		`"Knows"`},
	{PredicateLevel, "arity", "whole number", "as in `\"Knows/2\"`", "how many arguments it has", `2`},
	{PredicateLevel, "types", "list", "String for each", "the types of its arguments: String, Int, Float, or PSL's " +
		"UniqueStringID, UniqueIntID, Integer, Long, Double", `["String", "Int"]`},
	{PredicateLevel, "type", "string", "StandardPredicate", "PSL's class: DeepPredicate is a network of NeuPSL in Python",
		`"StandardPredicate"`},
	{PredicateLevel, "force-open", "true or false", "false", "whether to ask for an atom that no table has is an error, " +
		"though there are no targets, and not 0", `true`},
	{PredicateLevel, "observations", "list, or object by phase", "none", "tables, or rows, of atoms that are known; a " +
		"last column more is their value, which is 1 otherwise",
		`["knows.tsv", ["ann", "bo", 0.5], {"file": "people.csv", "columns": ["name", "friend"]}]`},
	{PredicateLevel, "targets", "list, or object by phase", "none", "of atoms whose values are inferred; or rules " +
		"`Head <- Body` that make them of what is known, or of what networks see, but for what is observed or listed",
		`"Knows(A, B) <- Met(A, B)"`},
	{PredicateLevel, "truth", "list, or object by phase", "none", "of targets' true values, to learn from and to score by",
		`{"learn": ["train.tsv"], "infer": ["test.tsv"]}`},
	{PredicateLevel, "function", "string", "none", "a function that computes the values: a similarity of similarity.md, " +
		"or one that the program registers", `"JaroWinkler"`},
	{PredicateLevel, "similarity", "object", "none", "makes its atoms the similar pairs of a column", `{"measure": ` +
		`"JaroWinkler", "over": "Name:1", "threshold": 0.8}`},
	{PredicateLevel, "neural", "object", "none", "ties it to a network, whose outputs are its values",
		`{"network": "reader", "class": 1, "classes": ["cat", "dog"]}`},
	{PredicateLevel, "derive", "string or list", "none", "rules `Head <- Body` whose joins are its atoms",
		`"Close(A, B) <- Knows(A, C) & Knows(C, B) & (A != B)"`},
	{PredicateLevel, "value", "one, inverse-count", "one",
		"the value of derived atoms: 1, or 1 divided by the number of " +
			"ways in which the bodies hold", `"inverse-count"`},
	{PredicateLevel, "evaluations", "list", "what suits its truth",
		"how its answers are scored: names, or objects; [] for not at all. What is learned from is scored only if this " +
			"asks for it",
		`["DiscreteEvaluator", {"evaluator": "auc", "primary": true}]`},
	{PredicateLevel, "words", "string", "none", "what an atom says in plain words, with {0}, {1} and so on for its " +
		"arguments, for explanations", `"{0} and {1} are the same person"`},
	{PredicateLevel, "options", "object", "none", "`corpus`, as in similarity, for a function; PSL's have no effect",
		`{"corpus": "Name:1"}`},

	{TablesLevel, "all", "list", "none", "tables and rows of every phase", `["knows.tsv"]`},
	{TablesLevel, "learn", "list", "none", "those of learning alone", `["train.tsv"]`},
	{TablesLevel, "validation", "list", "none", "those of validation alone", `["validation.tsv"]`},
	{TablesLevel, "infer", "list", "none", "those of inference alone", `["test.tsv"]`},

	{SelectionLevel, "file", "string", "required", "the table, whose first line names its columns, also between tabs",
		`"customers.csv"`},
	{SelectionLevel, "columns", "list", "all", "those of the arguments in order, and perhaps that of the value; rows " +
		"that are the same in these count once, and such with an empty field are left out", `["id", "first"]`},

	{NeuralLevel, "network", "string", "required", "one of `networks`", `"reader"`},
	{NeuralLevel, "entity", "whole number", "0", "which argument, from 0, names the row of the features", `0`},
	{NeuralLevel, "class", "whole number", "none", "which argument names the class", `1`},
	{NeuralLevel, "classes", "list", "none", "the constants of the classes, in the order of the network's outputs",
		`["cat", "dog"]`},
	{NeuralLevel, "atoms", "string or list", "every row and class, or the targets", "rules that derive the atoms",
		`"Alike(A, B) <- Pair(A, B)"`},
	{NeuralLevel, "teacher", "string", "none", "a predicate with targets whose inferred values the network imitates",
		`"Label"`},
	{NeuralLevel, "slots", "list", "none", "entities that stand for one row of the features in each example", `["a",
		"b"]`},

	{SimilarityLevel, "measure", "string", "required", "one of similarity.md", `"JaroWinkler"`},
	{SimilarityLevel, "over", "string", "required", "the column whose strings are compared: predicate and argument",
		`"Name:1"`},
	{SimilarityLevel, "threshold", "number above 0 and at most 1", "required",
		"the least similarity of a pair that counts",
		`0.8`},
	{SimilarityLevel, "corpus", "string", "the column itself", "the column whose strings say how rare tokens are",
		`"Title:1"`},

	{EvaluationLevel, "evaluator", "discrete, continuous, auc, categorical", "required",
		"how to score, also by PSL's class", `"auc"`},
	{EvaluationLevel, "options", "object", "those of all", "thresholds and the like: see options.md",
		`{"aucevaluator.threshold": 0.7}`},
	{EvaluationLevel, "primary", "true or false", "the first one is", "whether learning is guided by this score", `true`},

	{PhaseLevel, "rules", "string or list", "none", "rules that this phase adds", `["1: !Knows(A, B) ^2"]`},
	{PhaseLevel, "options", "object", "none", "options of this phase, which win over common ones", `{"learn.epochs": 20}`},

	{ExamplesLevel, "learn", "string or object", "none", "the table of examples to learn from", `"train.csv"`},
	{ExamplesLevel, "validation", "string or object", "none", "the table to choose the best epoch by", `"validation.csv"`},
	{ExamplesLevel, "infer", "string or object", "none", "the table to answer", `"test.csv"`},

	{FactsLevel, "table", "string", "required", "the table of examples", `"train.csv"`},
	{FactsLevel, "facts", "object", "none", "by predicate, a table of atoms that are observed in some examples",
		`{"Edge": "edges.tsv"}`},

	{DataLevel, "predicates", "object", "none", "every predicate: open, closed, or a list with settings",
		`{"Knows/2": "open"}`},
	{DataLevel, "observations", "object", "none", "by predicate, a table or a list of them", `{"Likes": "likes.txt"}`},
	{DataLevel, "targets", "object", "none", "by predicate, likewise", `{"Knows": "pairs.txt"}`},
	{DataLevel, "truth", "object", "none", "by predicate, likewise", `{"Knows": "truth.txt"}`},

	{DataPredicate, "types", "list", "String for each", "the types of its arguments", `["UniqueStringID"]`},
	{DataPredicate, "implementation", "string", "none", "a function that computes the values", `"JaroWinkler"`},
	{DataPredicate, "modeltype", "any", "none", "refused: a .data file cannot describe a network here", ``},
	{DataPredicate, "config", "any", "none", "refused, likewise", ``},
}

// keysOf lists the keys of a level.
func keysOf(level Level) (names []string) {
	for _, key := range Keys {
		if key.Level == level {
			names = append(names, key.Name)
		}
	}
	return names
}
