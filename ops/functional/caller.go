package functional

import (
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(kernel.ChargeOutputs(newFor), "For")
	kernel.ForAll(kernel.ChargeOutputs(newRemoteCall), "RemoteCall")
}

// newFor makes the kernel of For, whose body takes the counter and what goes round.
func newFor(c *kernel.Construction) (kernel.Kernel, error) {
	body := c.Func("body")
	return kernel.BlockingFunc(func(ctx *kernel.Context, in, out []tensor.Value) error {
		var bounds [3]int32
		for i, name := range [...]string{"start", "limit", "delta"} {
			if in[i].Rank() != 0 {
				return status.Invalid("%s must be a scalar", name)
			}
			bounds[i] = tensor.At0[int32](&in[i])
		}
		start, limit, delta := int64(bounds[0]), int64(bounds[1]), int64(bounds[2])
		switch {
		case delta > 0 && start <= limit, delta < 0 && start >= limit:
		case delta == 0 && start == limit:
		default:
			return status.Invalid("Invalid start/limit/delta: start, limit and delta of a For must satisfy (delta > 0 && start <= limit) || (delta < 0 && start >= limit) || (delta == 0 && start == limit), "+
				"got start: %d limit: %d delta: %d", start, limit, delta)
		}
		state := in[3:]
		if start == limit {
			for i, v := range state {
				out[i] = v.Share()
			}
			return nil
		}
		f, err := ctx.Step.Function(body)
		if err != nil {
			return err
		}
		args := make([]tensor.Value, len(in)-2)
		var last kernel.Results // the state is of
		defer func() { last.Release() }()
		for i := start; delta > 0 && i < limit || delta < 0 && i > limit; i += delta {
			args[0] = tensor.Scalar(int32(i))
			copy(args[1:], state)
			next, err := f.Call(ctx.Step, args)
			last.Release()
			if err != nil {
				return err
			}
			last, state = next, next.Values
			if len(state) != len(c.Outputs) {
				return status.Invalid("For loop body returned %d arguments. Expected: %d", len(state), len(c.Outputs))
			}
			if err := returns(body, state, c.Outputs); err != nil {
				return err
			}
		}
		copy(out, state)
		return nil
	}), nil
}

// newRemoteCall makes the kernel of RemoteCall, for CPUs of this process.
func newRemoteCall(c *kernel.Construction) (kernel.Kernel, error) {
	f := c.Func("f")
	here, err := devices.Parse(c.Device)
	if err != nil {
		return nil, err
	}
	return kernel.BlockingFunc(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if in[0].Rank() != 0 {
			return status.Invalid("target must be a scalar")
		}
		target, err := devices.Parse(tensor.At0[string](&in[0]))
		if err != nil {
			return err
		}
		if !target.Matches(here) {
			return status.Errorf(status.Unimplemented, "RemoteCall to device %v: functions run on %v alone", target, here)
		}
		called, err := ctx.Step.Function(f)
		if err != nil {
			return err
		}
		results, err := called.Call(ctx.Step, in[1:])
		if err != nil {
			return err
		}
		defer results.Release()
		if err := returns(f, results.Values, c.Outputs); err != nil {
			return err
		}
		copy(out, results.Values)
		return nil
	}), nil
}

// returns reports whether a function returns what its caller puts out.
func returns(f *registry.Func, results []tensor.Value, want []tensor.DType) error {
	if len(results) != len(want) {
		return status.Invalid("function '%s' returns %s, not %d", f.Name, status.Count(len(results), "result"), len(want))
	}
	for i, v := range results {
		if v.DType() != want[i] {
			return status.Invalid("result %d of function '%s' is %v, not %v", i, f.Name, v.DType(), want[i])
		}
	}
	return nil
}
