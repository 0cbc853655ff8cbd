package train

import (
	"context"

	"github.com/troupe-go/troupe/model"
	tf "github.com/troupe-go/troupe/session"
)

// Export writes the subgraph that the signatures need, with the present values of the
// variables, to a new directory as a SavedModel; see [model.Write]. Between two
// calls of [Trainer.SwapAverages] it writes the averages.
func (t *Trainer) Export(ctx context.Context, dir string, signatures map[string]model.ExportSignature) error {
	values, err := t.fetch(ctx, outputs(t.model.vars, valueOf))
	if err != nil {
		return err
	}
	held := map[string]*tf.Tensor{}
	for i, v := range t.model.vars {
		held[v.Handle.Op.Name()] = values[i]
		for _, other := range v.aliases {
			held[other.Op.Name()] = values[i]
		}
	}
	return model.Write(dir, model.Export{Graph: t.model.graph, Variables: held, Signatures: signatures})
}
