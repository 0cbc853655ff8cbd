package nn

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Rule("x: [b,?], h_prev: [?,n] -> r: [b,n], u: [b,n], c: [b,n], h: [b,n]"),
		"GRUBlockCell")
	shape.Register(shape.Rule(`x: [b,m], h_prev: [?,n], w_ru: [?,k]
		-> d_x: [b,m], d_h_prev: [b,n], d_c_bar: [b,n], d_r_bar_u_bar: [b,k]`),
		"GRUBlockCellGrad")
	shape.Register(shape.Rule(`x: [b,?], cs_prev: [?,n]
		-> i: [b,n], cs: [b,n], f: [b,n], o: [b,n], ci: [b,n], co: [b,n], h: [b,n]`),
		"LSTMBlockCell")
	shape.Register(blockLSTMShape, "BlockLSTM", "BlockLSTMV2")
	shape.Register(cellGradShape, "LSTMBlockCellGrad")
	shape.Register(shape.Rule(`x: [t,b,m], cs_prev: [i,j], h_prev: [k,l], w: [n,o], wci: [p], wcf: [q], wco: [r], b: [s]
		-> x_grad: [t,b,m], cs_prev_grad: [i,j], h_prev_grad: [k,l], w_grad: [n,o], wci_grad: [p], wcf_grad: [q], wco_grad: [r], b_grad: [s]`),
		"BlockLSTMGrad", "BlockLSTMGradV2")
}

// blockLSTMShape learns the size of a cell from the bias, which holds four.
func blockLSTMShape(c *shape.Context) error {
	x, bias := c.Try(c.Input(1).WithRank(3)), c.Try(c.Input(c.NumInputs()-1).WithRank(1))
	n := c.TryDim(shape.DivDimsEvenly(bias.Dim(0), 4))
	c.SetOutputs(shape.Of(x.Dim(0), x.Dim(1), n))
	return c.Err()
}

// cellGradShape has four gates for each number of the cell's state.
func cellGradShape(c *shape.Context) error {
	x, state := c.Try(c.Input(lstmX).WithRank(2)), c.Try(c.Input(lstmCS).WithRank(2))
	n := state.Dim(1)
	c.SetOutput(0, shape.Of(x.Dim(0), n))
	c.SetOutput(1, shape.Of(x.Dim(0), c.TryDim(shape.MulDims(n, 4))))
	for i := range 3 {
		c.SetOutput(2+i, c.Try(c.Input(lstmWCI+i).WithRank(1)))
	}
	return c.Err()
}
