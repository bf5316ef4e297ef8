// Package published reads the formats in which MNIST, Planetoid, the LINQS collections, CiteSeer-ER and GloVe are
// published, and keeps a cache of downloads whose content is pinned.
//
// The folder that DEEPPSL_DATA names, and the cache, have the layout
//
//	mnist/{train,t10k}-{images-idx3,labels-idx1}-ubyte.gz
//	planetoid/ind.{cora,citeseer}.{x,y,tx,ty,allx,ally,graph,test.index}
//	citation/NAME/linqs/NAME.{content,cites}, each perhaps with .gz; or NAME.tgz with both
//	citeseer-er/citeseer.dat, citeseer-er/{tiny,small,big,full}/TABLE.FOLD.txt
//	wordvectors/NAME.txt, perhaps with .gz; or glove.6B.zip
//
// Everything read from there is checked before it is believed: a damaged file is an error with its name and line, and
// allocates no more than its size allows.
package published
