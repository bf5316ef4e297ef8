import osqp

p = read(path)
n = len(p.c)
A = sparse.vstack([p.A, sparse.eye(n)], format="csc")
lower, upper = np.concatenate([p.lower, p.floor]), np.concatenate([p.upper, p.ceiling])
start = clock()
solver = osqp.OSQP()
solver.setup(P=p.P, q=p.c, A=A, l=lower, u=upper, eps_abs=gap, eps_rel=gap, max_iter=1000000, time_limit=limit,
             verbose=False)
result = solver.solve()
finish(result.x, since(start), osqp.__version__, result.info.status)
