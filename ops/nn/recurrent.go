package nn

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("LSTMBlockCell").
		Input("x: T").Input("cs_prev: T").Input("h_prev: T").Input("w: T").Input("wci: T").
		Input("wcf: T").Input("wco: T").Input("b: T").Output("i: T").Output("cs: T").Output("f: T").
		Output("o: T").Output("ci: T").Output("co: T").Output("h: T").
		Attr("forget_bias: float = 1").
		Attr("cell_clip: float = 3").
		Attr("use_peephole: bool = false").
		Attr("T: {half, float}").
		Doc(`Computes one step of an LSTM.

x: The input.
cs_prev: The cell state before.
h_prev: The output before.
w: The weights of x and h_prev, for the gates i, ci, f and o.
wci: The peephole weights of the input gate.
wcf: The peephole weights of the forget gate.
wco: The peephole weights of the output gate.
b: The bias.
i: The input gate.
cs: The cell state.
f: The forget gate.
o: The output gate.
ci: The cell's input.
co: The cell's output.
h: The output.
forget_bias: What is added to the bias of the forget gate.
cell_clip: The limit of the cell state; 0 or less for none.
use_peephole: Whether gates see the cell state.`)
	registry.Define("BlockLSTM").
		Input("seq_len_max: int64").Input("x: T").Input("cs_prev: T").Input("h_prev: T").Input("w: T").
		Input("wci: T").Input("wcf: T").Input("wco: T").Input("b: T").Output("i: T").Output("cs: T").
		Output("f: T").Output("o: T").Output("ci: T").Output("co: T").Output("h: T").
		Attr("forget_bias: float = 1").
		Attr("cell_clip: float = 3").
		Attr("use_peephole: bool = false").
		Attr("T: {half, float}").
		Doc(`Computes all steps of an LSTM.

seq_len_max: How many steps; beyond them the output is zero.
x: The input, time first.
cs_prev: The cell state at the beginning.
h_prev: The output before the beginning.
w: The weights of x and h_prev, for the gates i, ci, f and o.
wci: The peephole weights of the input gate.
wcf: The peephole weights of the forget gate.
wco: The peephole weights of the output gate.
b: The bias.
i: The input gate of every step.
cs: The cell state of every step.
f: The forget gate of every step.
o: The output gate of every step.
ci: The cell's input of every step.
co: The cell's output of every step.
h: The output of every step.
forget_bias: What is added to the bias of the forget gate.
cell_clip: The limit of the cell state; 0 or less for none.
use_peephole: Whether gates see the cell state.`)
	registry.Define("BlockLSTMV2").
		Input("seq_len_max: int64").Input("x: T").Input("cs_prev: T").Input("h_prev: T").Input("w: T").
		Input("wci: T").Input("wcf: T").Input("wco: T").Input("b: T").Output("i: T").Output("cs: T").
		Output("f: T").Output("o: T").Output("ci: T").Output("co: T").Output("h: T").
		Attr("cell_clip: float = 0").
		Attr("use_peephole: bool = false").
		Attr("T: {half, float}").
		Doc(`Computes all steps of an LSTM, whose gates are in the order i, f, ci, o.

seq_len_max: How many steps; beyond them the output is zero.
x: The input, time first.
cs_prev: The cell state at the beginning.
h_prev: The output before the beginning.
w: The weights of x and h_prev, for the gates i, f, ci and o.
wci: The peephole weights of the input gate.
wcf: The peephole weights of the forget gate.
wco: The peephole weights of the output gate.
b: The bias.
i: The input gate of every step.
cs: The cell state of every step.
f: The forget gate of every step.
o: The output gate of every step.
ci: The cell's input of every step.
co: The cell's output of every step.
h: The output of every step.
cell_clip: The limit of the cell state; 0 or less for none.
use_peephole: Whether gates see the cell state.`)
	registry.Define("LSTMBlockCellGrad").
		Input("x: T").Input("cs_prev: T").Input("h_prev: T").Input("w: T").Input("wci: T").
		Input("wcf: T").Input("wco: T").Input("b: T").Input("i: T").Input("cs: T").Input("f: T").
		Input("o: T").Input("ci: T").Input("co: T").Input("cs_grad: T").Input("h_grad: T").
		Output("cs_prev_grad: T").Output("dicfo: T").Output("wci_grad: T").Output("wcf_grad: T").
		Output("wco_grad: T").
		Attr("use_peephole: bool").
		Attr("T: {half, float}").
		Doc(`Computes the gradient of LSTMBlockCell, as far as the gates.

cs_prev: The cell state before.
h_prev: The output before.
w: The weights of x and h_prev.
wci: The peephole weights of the input gate.
wcf: The peephole weights of the forget gate.
wco: The peephole weights of the output gate.
b: The bias.
i: An output of LSTMBlockCell, as are the five inputs that follow.
cs_grad: The gradient of the cell state.
h_grad: The gradient of the output.
cs_prev_grad: The gradient of the cell state before.
dicfo: The gradients of the gates i, ci, f and o before their nonlinearities.
wci_grad: The gradient of wci.
wcf_grad: The gradient of wcf.
wco_grad: The gradient of wco.
use_peephole: Whether gates saw the cell state.`)
	registry.Define("BlockLSTMGrad").
		Input("seq_len_max: int64").Input("x: T").Input("cs_prev: T").Input("h_prev: T").Input("w: T").
		Input("wci: T").Input("wcf: T").Input("wco: T").Input("b: T").Input("i: T").Input("cs: T").
		Input("f: T").Input("o: T").Input("ci: T").Input("co: T").Input("h: T").Input("cs_grad: T").
		Input("h_grad: T").Output("x_grad: T").Output("cs_prev_grad: T").Output("h_prev_grad: T").
		Output("w_grad: T").Output("wci_grad: T").Output("wcf_grad: T").Output("wco_grad: T").
		Output("b_grad: T").
		Attr("use_peephole: bool").
		Attr("T: {half, float}").
		Doc(`Computes the gradient of BlockLSTM.

The outputs are the gradients of the inputs of their names.

seq_len_max: As in BlockLSTM.
cs_prev: As in BlockLSTM.
h_prev: As in BlockLSTM.
w: The weights of x and h_prev.
wci: The peephole weights of the input gate.
wcf: The peephole weights of the forget gate.
wco: The peephole weights of the output gate.
b: The bias.
i: An output of BlockLSTM, as are the six inputs that follow.
cs_grad: The gradient of the cell states.
h_grad: The gradient of the outputs.
use_peephole: Whether gates saw the cell state.`)
	registry.Define("BlockLSTMGradV2").
		Input("seq_len_max: int64").Input("x: T").Input("cs_prev: T").Input("h_prev: T").Input("w: T").
		Input("wci: T").Input("wcf: T").Input("wco: T").Input("b: T").Input("i: T").Input("cs: T").
		Input("f: T").Input("o: T").Input("ci: T").Input("co: T").Input("h: T").Input("cs_grad: T").
		Input("h_grad: T").Output("x_grad: T").Output("cs_prev_grad: T").Output("h_prev_grad: T").
		Output("w_grad: T").Output("wci_grad: T").Output("wcf_grad: T").Output("wco_grad: T").
		Output("b_grad: T").
		Attr("use_peephole: bool").
		Attr("T: {half, float}").
		Doc(`Computes the gradient of an LSTM over all its steps, whose gates are in the order i, f, ci, o.

The outputs are the gradients of the inputs of their names.

seq_len_max: As in BlockLSTM.
cs_prev: As in BlockLSTM.
h_prev: As in BlockLSTM.
w: The weights of x and h_prev.
wci: The peephole weights of the input gate.
wcf: The peephole weights of the forget gate.
wco: The peephole weights of the output gate.
b: The bias.
i: An output of BlockLSTM, as are the six inputs that follow.
cs_grad: The gradient of the cell states.
h_grad: The gradient of the outputs.
use_peephole: Whether gates saw the cell state.`)
	registry.Define("GRUBlockCell").
		Input("x: T").Input("h_prev: T").Input("w_ru: T").Input("w_c: T").Input("b_ru: T").
		Input("b_c: T").Output("r: T").Output("u: T").Output("c: T").Output("h: T").
		Attr("T: {float}").
		Doc(`Computes one step of a GRU.

x: The input.
h_prev: The output before.
w_ru: The weights of the reset and update gates.
w_c: The weights of the candidate.
b_ru: The bias of the gates.
b_c: The bias of the candidate.
r: The reset gate.
u: The update gate.
c: The candidate.
h: The output.`)
	registry.Define("GRUBlockCellGrad").
		Input("x: T").Input("h_prev: T").Input("w_ru: T").Input("w_c: T").Input("b_ru: T").
		Input("b_c: T").Input("r: T").Input("u: T").Input("c: T").Input("d_h: T").Output("d_x: T").
		Output("d_h_prev: T").Output("d_c_bar: T").Output("d_r_bar_u_bar: T").
		Attr("T: {float}").
		Doc(`Computes the gradient of GRUBlockCell.

d_h: The gradient of h.
d_c_bar: The gradient of the candidate before its nonlinearity.
d_r_bar_u_bar: The gradient of the gates before their nonlinearity.`)

	for op, grad := range map[string]string{"BlockLSTM": "BlockLSTMGrad", "BlockLSTMV2": "BlockLSTMGradV2"} {
		gradient.Register(func(c *gradient.Context) {
			const cs, h = 1, 6 // the outputs whose gradients count
			if !c.Has(cs) && !c.Has(h) {
				return
			}
			var inputs []graph.Input
			for i := range c.NumInputs() {
				inputs = append(inputs, c.Input(i))
			}
			for i := range c.NumOutputs() {
				inputs = append(inputs, c.Output(i))
			}
			c.SetList(1, c.Outputs(grad, c.Attrs("use_peephole"), append(inputs, c.Dy(cs), c.Dy(h))...))
		}, op)
	}
}
