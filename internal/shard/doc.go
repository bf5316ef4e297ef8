// Package shard cuts inference into parts that other processes, perhaps on other machines, solve, and joins their
// answers again.
//
// A cut says which arguments of which predicates carry a key (Cut). Rows that have a key in common lie together, all
// rows of a predicate without one are everywhere, and a cut is valid where every ground rule is then made in one
// place, and whole (Cut.check). What lies together is found by union and find over the keys of the rows, in one pass
// and without grounding anything. The groups are dealt out to cells, whose number does not depend on that of the
// processes: a cell is a project of its own, a shard is some cells, and so the answer has the same bits for any number
// of shards.
//
// In the folder of a plan, the manifest names all files of all cells with their SHA-256, and is written last. Answers
// are written beside and renamed, each with the checksum of what it was made from: whatever was killed is done again,
// and what is done is not.
package shard
