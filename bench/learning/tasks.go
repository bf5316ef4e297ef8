package main

// tasks is the suite.
var tasks = []task{
	{name: "digits", metric: "accuracy", make: digitsTask(func(c *classification) { c.siamese = true }),
		about: "1,797 pictures of 8 by 8 pixels, 50 labels, five neighbours, the three rules of the README"},
	{name: "digits-latent", metric: "accuracy", make: digitsTask(func(c *classification) { c.latent = true }),
		about: "the same, neighbours as they are, with labels of what is inferred alone"},
	{name: "wines", metric: "accuracy", make: wines,
		about: "3 classes, 15 labels, 13 columns with units from 0.1 to hundreds, five neighbours"},
	{name: "tumours", metric: "accuracy", make: tumours,
		about: "2 classes, 20 labels, 30 columns with units from thousandths to hundreds, five neighbours"},
	{name: "alone", metric: "accuracy", make: alone,
		about: "5 classes, 60 labels, 20 columns of one scale, no relation: rules that only say what the network says"},
	sums.task("sums", "sums of two pictures of digits, 3,000 examples, as documented"),
	mod10.task("sums-modulo", "sums modulo ten of two pictures of digits, 3,000 examples, as documented"),
	xor.task("xor", "whether just one of two latent bits is set, 3,000 examples, as documented"),
	ballot{words: 310, classes: 4, documents: 400, perDocument: 12, signal: 0.7}.task("votes-1240",
		"weights of 1,240 rules, 200 documents with a known class, the default method"),
	ballot{words: 310, classes: 4, documents: 400, perDocument: 12, signal: 0.7, method: "likelihood"}.task(
		"votes-1240-likelihood", "the same by likelihood"),
}
