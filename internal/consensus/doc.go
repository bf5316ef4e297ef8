// Package consensus solves one problem in blocks, each of which could be another process: it cuts the ground rules
// into blocks that share few variables, and lets the blocks agree on those, round by round.
//
// The method is the alternating direction method of multipliers (ADMM) for consensus (Boyd et al. 2011, section 7),
// with exact local solves. For the shared variables i that block b has, with a multiplier λ and a curvature ρ, a round
// is
//
//	y_b = argmin f_b(y) + λ_bᵀy + ½ Σ_i ρ_i (y_i - z_i)²   over the box,
//	z_i = the mean of y_b,i over the blocks that have i,
//	λ_b,i += ρ_i (y_b,i - z_i).
//
// The multipliers of a variable sum to 0 over its blocks. So Σ_b min f_b(y) + λ_bᵀy is a lower bound on the whole's
// optimum in every round, and each term of it is proven by its block's own multipliers, as any answer is
// (solve.Certify). The sum is exactly 0, and not but for rounding: what blocks tell each other are whole numbers of
// 2⁻²⁹, the mean is rounded so that its parts add up to the sum, and λ is kept as a whole number.
//
// Blocks are equals: each tells those that it shares variables with their values, 4 bytes for each, and all of them a
// few sums by which every one takes the same decisions (Exchange). The state of a block is small and is kept on the
// disk before it says anything, so that one that was killed goes on to the same bits.
package consensus
