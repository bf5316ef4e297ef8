package published

import (
	"path"
)

// Set is a published data set that can be downloaded.
type Set struct {
	Name, About string
	License     string // what its publishers say about its use
	Files       []File
}

// File is a file of a Set.
type File struct {
	// Path is where the file lies in the data folder, with slashes.
	Path string
	// URLs are its canonical address and mirrors, in the order in which they are tried.
	URLs []string
	// SHA256 is the hash, in hexadecimal, of the file; if Path ends in .gz, of its uncompressed content, because
	// compression differs between mirrors.
	SHA256 string
}

// Sets lists the data sets in alphabetical order. Data whose canonical content could not be established are not among
// them: the LINQS form of CiteSeer and CiteSeer-ER are read from DEEPPSL_DATA only.
func Sets() []Set {
	return []Set{planetoidSet("citeseer", citeseerHashes), planetoidSet("cora", coraHashes), coraLINQS, glove, mnist}
}

// mnist's hashes are of the four uncompressed files. The original address no longer answers; the mirrors have the
// original bytes.
var mnist = Set{
	Name:    "mnist",
	About:   "70,000 handwritten digits, 28 x 28 pixels",
	License: "CC BY-SA 3.0 (Y. LeCun, C. Cortes)",
	Files: []File{
		mnistFile("train-images-idx3-ubyte.gz", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"),
		mnistFile("train-labels-idx1-ubyte.gz", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"),
		mnistFile("t10k-images-idx3-ubyte.gz", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"),
		mnistFile("t10k-labels-idx1-ubyte.gz", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"),
	},
}

// mnistFile is one of MNIST's files at its mirrors.
func mnistFile(name, hash string) File {
	return File{Path: "mnist/" + name, SHA256: hash, URLs: []string{
		"https://ossci-datasets.s3.amazonaws.com/mnist/" + name,
		"https://storage.googleapis.com/cvdf-datasets/mnist/" + name,
	}}
}

// planetoidURL is the repository of Planetoid's authors at a fixed commit.
const planetoidURL = "https://raw.githubusercontent.com/kimiyoung/planetoid/" +
	"af6abf468a772cc055bec88c52e4d6f51b7c37e3/data/"

// planetoidHash is the hash of one part of a Planetoid data set.
type planetoidHash struct{ part, hash string }

// planetoidSet is the set of the files ind.NAME.*.
func planetoidSet(name string, hashes []planetoidHash) Set {
	set := Set{Name: name, About: "citation network in the form of Planetoid", License: "MIT (Z. Yang et al. 2016)"}
	for _, h := range hashes {
		file := "ind." + name + "." + h.part
		set.Files = append(set.Files, File{
			Path: path.Join("planetoid", file), URLs: []string{planetoidURL + file}, SHA256: h.hash,
		})
	}
	return set
}

var coraHashes = []planetoidHash{
	{"x", "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"},
	{"y", "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"},
	{"tx", "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"},
	{"ty", "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"},
	{"allx", "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"},
	{"ally", "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"},
	{"graph", "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"},
	{"test.index", "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"},
}

var citeseerHashes = []planetoidHash{
	{"x", "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"},
	{"y", "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"},
	{"tx", "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"},
	{"ty", "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"},
	{"allx", "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"},
	{"ally", "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"},
	{"graph", "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"},
	{"test.index", "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"},
}

// coraLINQS is the archive of the collection's own site. There is no such entry for CiteSeer: its archive's published
// checksum is not known, and copies of citeseer.cites differ from each other.
var coraLINQS = Set{
	Name:    "cora-linqs",
	About:   "Cora in its original form, with directed citations",
	License: "no explicit licence; LINQS asks to cite P. Sen et al. 2008, AI Magazine 29(3)",
	Files: []File{{
		Path:   "citation/cora/linqs/cora.tgz",
		URLs:   []string{"https://linqs-data.soe.ucsc.edu/public/lbc/cora.tgz"},
		SHA256: "0d4ed463d1627bb7f3e8420effe8f5545fd492ae8f88dab44ce86cee7b26d7e8",
	}},
}

// glove stays the archive that it is, because its tables are read from there.
var glove = Set{
	Name:    "glove.6B",
	About:   "400,000 English word vectors of 50 to 300 dimensions (862 MB)",
	License: "PDDL 1.0 (J. Pennington et al. 2014)",
	Files: []File{{
		Path: "wordvectors/glove.6B.zip",
		URLs: []string{
			"https://nlp.stanford.edu/data/glove.6B.zip",
			"https://downloads.cs.stanford.edu/nlp/data/glove.6B.zip",
		},
		SHA256: "617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
	}},
}
