package nn

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Rule("x: [b,?], h_prev: [b,n], w_ru: [?,?], w_c: [?,?], b_ru: [?], b_c: [?] -> r: [b,n], u: [b,n], c: [b,n], h: [b,n]"),
		"GRUBlockCell")
	shape.Register(shape.Rule(`x: [b,m], h_prev: [b,n], w_ru: [?,?], w_c: [?,?], b_ru: [?], b_c: [?], r: ?, u: ?, c: ?, d_h: ?
		-> d_x: [b,m], d_h_prev: [b,n], d_c_bar: [b,n], d_r_bar_u_bar: [b,2*n]`),
		"GRUBlockCellGrad")
	shape.Register(shape.Rule(`x: [b,?], cs_prev: [b,n], h_prev: ?, w: ?, wci: ?, wcf: ?, wco: ?, b: ?
		-> i: [b,n], cs: [b,n], f: [b,n], o: [b,n], ci: [b,n], co: [b,n], h: [b,n]`),
		"LSTMBlockCell")
	shape.Register(blockLSTMShape, "BlockLSTM")
	shape.Register(shape.Rule(`seq_len_max: ?, x: [t,b,m], cs_prev: [b,n], h_prev: [b,n], w: [k,p], wci: [n], wcf: [n], wco: [n], b: [q]
		-> x_grad: [t,b,m], cs_prev_grad: [b,n], h_prev_grad: [b,n], w_grad: [k,p], wci_grad: [n], wcf_grad: [n], wco_grad: [n], b_grad: [q]`),
		"BlockLSTMGradV2")
}

// blockLSTMShape learns the size of a cell from the bias, which holds four.
func blockLSTMShape(c *shape.Context) error {
	x, bias := c.Try(c.Input(1).WithRank(3)), c.Try(c.Input(c.NumInputs()-1).WithRank(1))
	n := c.TryDim(shape.DivDimsEvenly(bias.Dim(0), 4))
	c.SetOutputs(shape.Of(x.Dim(0), x.Dim(1), n))
	return c.Err()
}
