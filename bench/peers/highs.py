import highspy

h = highspy.Highs()
h.silent()
if h.readModel(path) != highspy.HighsStatus.kOk:
    sys.exit("HiGHS does not read the problem")
h.setOptionValue("time_limit", limit)
method = sys.argv[6]
if method == "ipm" and h.getModel().hessian_.dim_ == 0:  # a linear program: fast on large ones, without crossover
    h.setOptionValue("solver", method)
    h.setOptionValue("run_crossover", "off")
    h.setOptionValue("ipm_optimality_tolerance", gap)
start = clock()
h.run()
seconds = since(start)
finish(h.getSolution().col_value, seconds, h.version(), h.modelStatusToString(h.getModelStatus()))
