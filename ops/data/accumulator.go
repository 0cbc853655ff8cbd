package data

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ConditionalAccumulator").
		Output("handle: Ref(string)").
		Attr("dtype: numbertype").
		Attr("shape: shape").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'").
		Stateful().
		Doc(`Makes an accumulator of gradients, behind a reference.

shape: The shape of the gradients.
reduction_type: Whether it gives the mean or the sum.`)
	registry.Define("AccumulatorApplyGradient").
		Input("handle: Ref(string)").Input("local_step: int64").Input("gradient: dtype").
		Attr("dtype: numbertype").
		Doc(`Adds a gradient to an accumulator behind a reference, unless it is stale.

local_step: The step the gradient was computed at; below the accumulator's step it is stale.`)
	registry.Define("AccumulatorTakeGradient").
		Input("handle: Ref(string)").Input("num_required: int32").Output("average: dtype").
		Attr("dtype: numbertype").
		Doc(`Takes what was accumulated from an accumulator behind a reference, and starts the next step.

num_required: How many gradients to wait for.`)
	registry.Define("AccumulatorNumAccumulated").
		Input("handle: Ref(string)").Output("num_accumulated: int32").
		Doc("Tells how many gradients an accumulator behind a reference has.")
	registry.Define("AccumulatorSetGlobalStep").
		Input("handle: Ref(string)").Input("new_global_step: int64").
		Doc("Sets the step of an accumulator behind a reference.")
	registry.Define("ResourceConditionalAccumulator").
		Output("handle: resource").
		Attr("dtype: numbertype").
		Attr("shape: shape").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'").
		Stateful().
		Doc(`Makes an accumulator of gradients.

shape: The shape of the gradients.
reduction_type: Whether it gives the mean or the sum.`)
	registry.Define("ResourceAccumulatorApplyGradient").
		Input("handle: resource").Input("local_step: int64").Input("gradient: dtype").
		Attr("dtype: numbertype").
		Stateful().
		Doc(`Adds a gradient to an accumulator, unless it is stale.

local_step: The step the gradient was computed at; below the accumulator's step it is stale.`)
	registry.Define("ResourceAccumulatorTakeGradient").
		Input("handle: resource").Input("num_required: int32").Output("average: dtype").
		Attr("dtype: numbertype").
		Stateful().
		Doc(`Takes what was accumulated, and starts the next step.

num_required: How many gradients to wait for.`)
	registry.Define("ResourceAccumulatorNumAccumulated").
		Input("handle: resource").Output("num_accumulated: int32").
		Stateful().
		Doc("Tells how many gradients an accumulator has.")
	registry.Define("ResourceAccumulatorSetGlobalStep").
		Input("handle: resource").Input("new_global_step: int64").
		Stateful().
		Doc("Sets the step of an accumulator.")
}
