package data

import (
	"fmt"
	"math"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("StackV2").
		Input("max_size: int32").Output("handle: resource").
		Attr("elem_type: type").
		Attr("stack_name: string = ''").
		Stateful().
		Doc(`Makes a stack of tensors.

It lives as long as the step.

max_size: The most tensors it holds; negative for any number.
elem_type: The type of the tensors.
stack_name: A name for messages; empty for the node's.`)
	registry.Define("StackPushV2").
		Input("handle: resource").Input("elem: T").Output("output: T").
		Writes("handle").
		Attr("T: type").
		Attr("swap_memory: bool = false").
		Stateful().
		Doc(`Puts a tensor on a stack, and passes it on.

elem: The tensor.
swap_memory: Ignored.`)
	registry.Define("StackPopV2").
		Input("handle: resource").Output("elem: elem_type").
		Writes("handle").
		Attr("elem_type: type").
		Stateful().
		Doc(`Takes the tensor on top of a stack; an empty stack is an error.

elem_type: Its type.`)
	registry.Define("StackCloseV2").
		Input("handle: resource").
		Writes("handle").
		Stateful().
		Doc("Drops a stack, which cannot be used afterwards.")
	registry.Define("Stack").
		Output("handle: Ref(string)").
		Attr("elem_type: type").
		Attr("stack_name: string = ''").
		Stateful().
		Doc(`Makes a stack of tensors without a bound, as StackV2 does, behind a reference.

elem_type: The type of the tensors.
stack_name: A name for messages; empty for the node's.`)
	registry.Define("StackPush").
		Input("handle: Ref(string)").Input("elem: T").Output("output: T").
		Writes("handle").
		Attr("T: type").
		Attr("swap_memory: bool = false").
		Doc(`Puts a tensor on a stack behind a reference, and passes it on.

swap_memory: Ignored.`)
	registry.Define("StackPop").
		Input("handle: Ref(string)").Output("elem: elem_type").
		Writes("handle").
		Attr("elem_type: type").
		Doc(`Takes the tensor on top of a stack behind a reference; an empty stack is an error.

elem_type: Its type.`)
	registry.Define("StackClose").
		Input("handle: Ref(string)").
		Writes("handle").
		Doc("Drops a stack behind a reference, which cannot be used afterwards.")

	kernel.ForAll(newStack, "StackV2", "Stack")
	for _, op := range []struct {
		run   kernel.Func
		names []string
	}{
		{stackPush, []string{"StackPushV2", "StackPush"}},
		{stackPop, []string{"StackPopV2", "StackPop"}},
		{stackClose, []string{"StackCloseV2", "StackClose"}},
	} {
		kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return op.run, nil }, op.names...)
	}

	gradient.None("Stack", "StackPush", "StackPop", "StackClose")
}

const stacks = "_stacks"

func newStack(c *kernel.Construction) (kernel.Kernel, error) {
	name, dt, old := c.Str("stack_name"), c.Type("elem_type"), c.Outputs[0].IsRef()
	if name == "" {
		name = c.Node
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		size := math.MaxInt
		if !old {
			if !in[0].IsScalar() {
				return status.Invalid("Stack size must be a scalar, but had shape: %s", tensor.FormatDims(in[0].Dims()))
			}
			size = int(tensor.At0[int32](&in[0]))
		}
		// No other stack of the session has the name, whatever step made it.
		unique := fmt.Sprintf("%s_%d", name, ctx.Step.Resources.NextID())
		s, err := resource.LookupOrCreate(ctx.Step.PerStep, stacks, unique, func() (*resource.Stack, error) {
			return resource.NewStack(ctx.Step.Resources, unique, dt, size), nil
		})
		if err != nil {
			return err
		}
		if old {
			out[0] = newOldHandle(stacks, unique, s)
		} else {
			out[0] = newHandle(c.Device, stacks, unique, "Stack", s)
		}
		return nil
	}), nil
}

func stackPush(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := held[*resource.Stack](&in[0])
	if err != nil {
		return err
	}
	if in[1].DType() != s.Type {
		return status.Invalid("Must have type %v but got %v", s.Type, in[1].DType())
	}
	out[0] = in[1]
	if s.Copies(&in[1]) {
		return s.Push(in[1])
	}
	return s.Push(ctx.UnchargeValue(in[1]))
}

func stackPop(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := held[*resource.Stack](&in[0])
	if err != nil {
		return err
	}
	v, err := s.Pop(ctx)
	if err == nil && v.Shared() {
		v = ctx.ChargeValue(v)
	}
	out[0] = v
	return err
}

func stackClose(_ *kernel.Context, in, _ []tensor.Value) error {
	s, err := held[*resource.Stack](&in[0])
	if err != nil {
		return err
	}
	s.Close()
	return nil
}
