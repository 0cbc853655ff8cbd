package state_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Updates of scalars, and reads, allocate nothing.
func TestUpdatesOfScalarsAllocateNothing(t *testing.T) {
	var runner kerneltest.Runner
	run := func(op, attrs string, in ...tensor.Value) func() tensor.Value {
		parsed, err := registry.ParseAttrs(attrs)
		if err != nil {
			t.Fatal(err)
		}
		types := make([]tensor.DType, len(in))
		for i, v := range in {
			types[i] = v.DType()
		}
		k, _, err := kerneltest.New(op, op, parsed, types...)
		if err != nil {
			t.Fatal(err)
		}
		c, out := runner.Context(), make([]tensor.Value, 1)
		return func() tensor.Value {
			if err := k.Run(c, in, out); err != nil {
				t.Fatal(err)
			}
			return out[0]
		}
	}
	one := tensor.Scalar(float32(1))
	ref := run("VariableV2", "dtype=DT_FLOAT, shape=shape []")
	handle := run("VarHandleOp", "dtype=DT_FLOAT, shape=shape [], shared_name='v'")
	run("Assign", "", ref(), one)()
	run("AssignVariableOp", "", handle(), one)()
	for name, f := range map[string]func() tensor.Value{
		"VariableV2":          ref,
		"AssignAdd":           run("AssignAdd", "", ref(), one),
		"VarHandleOp":         handle,
		"ReadVariableOp":      run("ReadVariableOp", "dtype=DT_FLOAT", handle()),
		"AssignAddVariableOp": run("AssignAddVariableOp", "", handle(), one),
		"AssignVariableOp":    run("AssignVariableOp", "", handle(), one),
	} {
		if allocs := testing.AllocsPerRun(100, func() { f() }); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
