package engine

import (
	"context"
	"fmt"

	"github.com/deeppsl/deeppsl/internal/load"
	"github.com/deeppsl/deeppsl/internal/project"
	"github.com/deeppsl/deeppsl/internal/training"
)

// CheckGradients compares the gradient that learning would use with central differences: see training.Compare.
func CheckGradients(ctx context.Context, p *project.Project, o training.GradientOptions) (
	*training.GradientReport, error) {
	if method := p.Learning.Learn.Method; method.Searches() {
		return nil, fmt.Errorf("%s: learn.method %v tries weights, and has no gradient", p.Config.Name, method)
	}
	g, err := Ground(ctx, p.Precise(), load.Learn)
	if err != nil {
		return nil, err
	}
	return training.Compare(ctx, g, o)
}
