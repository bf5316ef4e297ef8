package option

import (
	"slices"
	"strings"
)

// aliases are options of Java PSL that have the meaning, and the values, of one here. A limit of iterations is one for
// whichever method runs. log4j.threshold is PSL 2's name, which scripts still use.
var aliases = map[string]string{
	"admmreasoner.maxiterations":                    "inference.iterations",
	"duallcqp.maxiterations":                        "inference.iterations",
	"reasoner.gradientdescent.maxiterations":        "inference.iterations",
	"sgd.maxiterations":                             "inference.iterations",
	"log4j.threshold":                               "runtime.log.level",
	"runtime.inference.method":                      "inference.method",
	"runtime.learn.method":                          "learn.method",
	"gradientdescent.numsteps":                      "learn.epochs",
	"gradientdescent.stepsize":                      "learn.rate.rules",
	"gradientdescent.movementtolerance":             "learn.movement",
	"gradientdescent.l2regularization":              "learn.l2",
	"gradientdescent.negativelogregularization":     "learn.barrier",
	"gradientdescent.negativeentropyregularization": "learn.entropy",
	"gridsearch.weights":                            "learn.levels",
	"randomgridsearch.maxlocations":                 "learn.trials",
	"continuousrandomgridsearch.maxlocations":       "learn.trials",
	"gpp.maxiterations":                             "learn.trials",
	"search.dirichletalpha":                         "learn.concentration",
	"hyperband.numbrackets":                         "learn.brackets",
	"hyperband.basebracketsize":                     "learn.base",
	"hyperband.survival":                            "learn.survival",
}

// Translate returns the name of the table that a name of Java PSL stands for; other names are their own.
func Translate(name string) string {
	if ours, ok := aliases[name]; ok {
		return ours
	}
	return name
}

// Synonyms lists the names that Java PSL has for an option of the table, if they are others.
func Synonyms(name string) []string {
	synonyms := []string{}
	for psl, ours := range aliases {
		if ours == name {
			synonyms = append(synonyms, psl)
		}
	}
	slices.Sort(synonyms)
	return synonyms
}

// pslNames are the options of Java PSL 3, by group. Those that mean something here are in the table of options; a
// project that sets one of the others is told that it has no effect.
const pslNames = `
admmreasoner: computeperiod epsilonabs epsilonrel maxiterations primaldualbreak stepsize
atomstore: overallocation storeallatoms
aucevaluator: representative threshold
categoricalevaluator: categoryindexes defaultpredicate representative
connectedcomponents: batchsize
continuousevaluator: representative
continuousrandomgridsearch: maxlocations
discreteevaluator: representative threshold
duallcqp: computeperiod maxiterations primaldualbreak primaldualthreshold regularizationparameter
eval: closetruth includeobs
executablereasoner: cleanupinput cleanupoutput executablepath
git: commit.id.abbrev dirty
gpp: earlyStopping explore maxconfigs maxiterations randomConfigsOnly useProvidedWeight
gppker: reldep scale space
gradientdescent: batchgenerator clipweightgradient l2regularization maxgradientmagnitude maxgradientnorm
	movementbreak movementtolerance negativeentropyregularization negativelogregularization numsteps
	runfulliterations savevalidationweights scalestepsize stepsize stopcomputeperiod stoppinggradientnorm
	symbolicweightlearning symbolicweightupdate trainingcomputeperiod trainingevaluationbreak
	trainingevaluationpatience validationbreak validationcomputeperiod validationpatience
gridsearch: weights
grounding: collective collective.batchsize collective.candidate.count collective.candidate.search.budget
	collective.candidate.search.type
guidedrandomgridsearch: explorelocations seedlocations
gurobi: logtoconsole method worklimit
hyperband: basebracketsize numbrackets survival
inference: initialvalue normalize relax relax.multiplier relax.squared skip
memorytermstore: initialsize
memoryvariabletermstore: defaultsize shuffle
minimizer: energylosscoefficient finalparametermovementconvergencetolerance initiallinearpenalty
	initialsquaredpenalty numinternaliterations objectivedifferencetolerance proxruleweight proxvaluestepsize
	squaredpenaltyincreaserate
modelpredicate: batchsize
pairedduallearner: admmsteps warmuprounds
pam: throw
parallel: numthreads
policygradient: energylosscoefficient numsamples policyupdate rewardfunction
postgres: host password port user
predicate: deep.python.module deep.python.port deep.sharedmemory.path
project: version
random: seed
randomgridsearch: maxlocations
rdbmsdatabase: fetchsize
reasoner: evaluate gradientdescent.extension gradientdescent.firstorderbreak gradientdescent.firstordernorm
	gradientdescent.firstorderthreshold gradientdescent.inversescaleexp gradientdescent.learningrate
	gradientdescent.learningschedule gradientdescent.maxiterations objectivebreak objectivetolerance
	runfulliterations variablemovementbreak variablemovementnorm variablemovementtolerance
runtime: db.h2.inmemory db.h2.path db.intids db.pg.name db.sqlite.inmemory db.sqlite.path db.type help inference
	inference.clearrules inference.commit inference.method inference.output.batched.results
	inference.output.groundrules inference.output.groundrules.path inference.output.results
	inference.output.results.dir learn learn.method learn.output.model.path log.level output.atoms.all validation
	version
runtimestats: collect period
search: dirichlet dirichletalpha
sgd: adambeta1 adambeta2 coordinatestep extension firstorderbreak firstordernorm firstorderthreshold
	inversescaleexp learningrate learningschedule maxiterations
streamingtermstore: pagelocation pagesize randomizepageaccess shufflepage warnunsupportedrules
weightlearning: inference randomweights timeout
`

// IsPSLName tells whether Java PSL has an option of that name.
func IsPSLName(name string) bool { return slices.Contains(PSLNames(), name) }

// PSLNames lists pslNames in full.
func PSLNames() (names []string) {
	group := ""
	for word := range strings.FieldsSeq(pslNames) {
		if prefix, ok := strings.CutSuffix(word, ":"); ok {
			group = prefix
			continue
		}
		names = append(names, group+"."+word)
	}
	return names
}
