import clarabel

p = read(path)
n = len(p.c)
A, lower, upper = sparse.csr_matrix(p.A), p.lower, p.upper
equal, above, below = lower == upper, (lower < upper) & (upper < INFINITY), (lower < upper) & (lower > -INFINITY)
ceiling, floor = p.ceiling < INFINITY, p.floor > -INFINITY
eye = sparse.eye(n, format="csr")
G = sparse.vstack([A[equal], A[above], -A[below], eye[ceiling], -eye[floor]], format="csc")
h = np.concatenate([upper[equal], upper[above], -lower[below], p.ceiling[ceiling], -p.floor[floor]])
cones = [clarabel.ZeroConeT(int(equal.sum())), clarabel.NonnegativeConeT(len(h) - int(equal.sum()))]
settings = clarabel.DefaultSettings()
settings.verbose, settings.time_limit = False, limit
settings.tol_gap_rel, settings.tol_gap_abs, settings.tol_feas = gap, gap, gap
start = clock()
result = clarabel.DefaultSolver(p.P, p.c, G, h, cones, settings).solve()
finish(result.x, since(start), clarabel.__version__, result.status)
