package resident

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Variables whose values are in a device's memory. A token for such a value, and the
// variable, hold its memory; who holds it alone may write into it, for what others do with
// it has been handed over before.

// A stored is a variable's value on a device.
type stored struct {
	device devices.Streams
	dt     tensor.DType
	dims   []int64
	memory *memory // held once
}

var _ resource.Remote = (*stored)(nil)

// Host has the value copied to the host's memory.
func (s *stored) Host(done func(tensor.Value, error)) {
	t := Tensor{device: s.device, dt: s.dt, dims: s.dims, memory: s.memory}
	if err := t.download(context.Background(), func(t *tensor.Tensor, err error) {
		if err != nil {
			done(tensor.Value{}, err)
			return
		}
		done(tensor.ValueOf(t), nil)
	}); err != nil {
		done(tensor.Value{}, err)
	}
}

func (s *stored) Lost() error { return s.device.Lost(s.memory.buffer) }

func (s *stored) Release() { s.memory.release() }

// here brings a variable's value to a device. The variable is locked. What another device has
// comes from there, for which here waits: approach is how that is done beforehand.
func here(ctx *kernel.Context, d devices.Streams, v *resource.Variable, at *resource.Stored) (*stored, error) {
	s, ok := at.Remote.(*stored)
	if ok && s.device == d && s.Lost() == nil {
		return s, nil
	}
	if !at.Host.IsZero() {
		m, err := upload(ctx, d, &at.Host)
		if err != nil {
			return nil, err
		}
		s = &stored{d, at.Host.DType(), slices.Clone(at.Host.Dims()), m}
		at.Remote = s
		return s, nil
	}
	if !ok {
		return nil, v.Uninitialized()
	}
	m, err := s.moved(ctx, d)
	if err != nil {
		return nil, status.Within(err, "variable %s", v.Name)
	}
	s = &stored{d, s.dt, s.dims, m}
	at.Remote = s
	return s, nil
}

// approach brings the values of variables that only other devices have to a device, without
// keeping anybody from the variables meanwhile. A value that changes before it comes is left
// to here.
func approach(ctx *kernel.Context, d devices.Streams, vars ...*resource.Variable) error {
	for _, v := range vars {
		if s, ok := v.Away().(*stored); !ok || s.device == d {
			continue
		}
		var from *stored
		if err := resource.Exchange([]*resource.Variable{v}, func(at []resource.Stored) error {
			if s, ok := at[0].Remote.(*stored); ok && s.device != d && at[0].Host.IsZero() {
				from = s
				s.memory.holders.Add(1) // so that nobody writes it
			}
			return nil
		}); err != nil {
			return err
		}
		if from == nil {
			continue
		}
		m, err := from.moved(ctx, d)
		from.memory.release()
		if err != nil {
			return status.Within(err, "variable %s", v.Name)
		}
		if err := resource.Exchange([]*resource.Variable{v}, func(at []resource.Stored) error {
			if at[0].Remote == resource.Remote(from) && at[0].Host.IsZero() {
				at[0].Remote = &stored{d, from.dt, from.dims, m}
				m = nil
			}
			return nil
		}); err != nil {
			return err
		}
		if m != nil {
			m.release()
		}
	}
	return nil
}

// moved is memory of another device with the value, once it is there.
func (s *stored) moved(ctx *kernel.Context, d devices.Streams) (*memory, error) {
	type result struct {
		m   *memory
		err error
	}
	came := make(chan result, 1)
	var left atomic.Bool // nobody waits any more
	drop := func() {
		select {
		case r := <-came:
			if r.m != nil {
				r.m.release()
			}
		default:
		}
	}
	t := Tensor{device: s.device, dt: s.dt, dims: s.dims, memory: s.memory}
	if err := t.copy(ctx, d, func(m *memory, err error) {
		if came <- (result{m, err}); left.Load() {
			drop()
		}
	}); err != nil {
		return nil, err
	}
	select {
	case r := <-came:
		return r.m, r.err
	case <-ctx.Step.Context.Done():
		left.Store(true)
		drop()
		return nil, status.FromContext(ctx.Step.Context)
	}
}

// Assign makes the tensor that a token on an accelerator carries the value of a variable,
// if check has nothing against the shapes before, if there is a value before, and after.
func Assign(v *resource.Variable, token *tensor.Value, check func(before bool, dims, next []int64) error) error {
	t, err := Of(token)
	if err != nil {
		return err
	}
	return resource.Exchange([]*resource.Variable{v}, func(at []resource.Stored) error {
		before, dims := known(&at[0])
		if err := check(before, dims, t.dims); err != nil {
			return err
		}
		t.memory.holders.Add(1)
		at[0] = resource.Stored{Remote: &stored{t.device, t.dt, t.dims, t.memory}}
		return nil
	})
}

// Dims returns the shape of a variable's value, wherever that is.
func Dims(v *resource.Variable) (dims []int64, err error) {
	err = resource.Exchange([]*resource.Variable{v}, func(at []resource.Stored) error {
		ok := false
		if ok, dims = known(&at[0]); !ok {
			return v.Uninitialized()
		}
		return nil
	})
	return dims, err
}

// known returns the shape of what a variable has; false if it has nothing.
func known(at *resource.Stored) (bool, []int64) {
	if s, ok := at.Remote.(*stored); ok {
		return true, s.dims
	}
	if at.Host.IsZero() {
		return false, nil
	}
	return true, at.Host.Dims()
}

// Read returns a token for the value of a variable on a device of the step's.
func Read(ctx *kernel.Context, device string, v *resource.Variable) (tensor.Value, error) {
	d, err := streams(ctx, device)
	if err != nil {
		return tensor.Value{}, err
	}
	s, err := take(ctx, d, v)
	if err != nil {
		return tensor.Value{}, err
	}
	token, err := value(ctx, d, s.dt, s.dims, s.memory)
	if err != nil {
		s.memory.release()
	}
	return token, err
}

// take returns the value of a variable on a device, whose memory is held again.
func take(ctx *kernel.Context, d devices.Streams, v *resource.Variable) (s *stored, err error) {
	if err := approach(ctx, d, v); err != nil {
		return nil, err
	}
	err = resource.Exchange([]*resource.Variable{v}, func(at []resource.Stored) (err error) {
		if s, err = here(ctx, d, v, &at[0]); err == nil {
			s.memory.holders.Add(1)
		}
		return err
	})
	return s, err
}

// RegisterRead adds kernels of an operation whose first input is the handle of a variable,
// which it only reads: to its plan it is an array as others are. Inputs in host memory are
// so; Write has a copy of them in the device's as well, which goes with the launches.
func RegisterRead(op string, types map[string][]tensor.DType, host []string, plan func(*kernel.Construction) (Plan, error)) {
	for _, kind := range Types {
		kernel.Register(kernel.Registration{Op: op, Device: kind, Types: types, HostMemory: host, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			p, err := plan(c)
			if err != nil {
				return nil, err
			}
			of := *c
			of.Inputs = slices.Clone(c.Inputs)
			of.Inputs[0] = c.Type("dtype")
			k := &reading{enqueuing: enqueuing{plan: p, node: c.Node, op: op, device: c.Device, types: of.Inputs}}
			k.hosts, _ = kernel.Memory(kind, c)
			k.hosts[0] = devices.DeviceMemory
			if kind == emulated {
				if k.cpu, err = onVariables(c, 1); err != nil {
					return nil, err
				}
			}
			return k, nil
		}})
	}
}

// A reading is a kernel that reads a variable.
type reading struct {
	enqueuing
	target resource.Target
}

// Run enqueues the commands that read the variable's value.
func (k *reading) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.target.Find(ctx.Step.Resources, &in[0])
	if err != nil {
		return err
	}
	d, err := streams(ctx, k.device)
	if err != nil {
		return err
	}
	s, err := take(ctx, d, v)
	if err != nil {
		return err
	}
	defer s.memory.release()
	t := &Tensor{device: d, dt: s.dt, dims: s.dims, memory: s.memory}
	t.object.Value = t
	args := slices.Clone(in)
	args[0] = tensor.Scalar(&t.object)
	run := k.enqueuing
	if write := k.plan.Write; k.cpu == nil {
		run.plan.Write = func(out []code.Array, in []Input) ([]devices.Launch, error) {
			staged, release, err := stage(ctx, d, in)
			if err != nil {
				return nil, err
			}
			defer release()
			launches, err := write(out, staged)
			for i := range launches {
				launches[i].Works = ctx.Step.Works
				if err := d.Launch(&launches[i]); err != nil {
					return nil, err
				}
			}
			return nil, err
		}
	}
	return run.Run(ctx, args, out)
}

// stage copies inputs in host memory to the device as well, for commands that are enqueued
// before release is called.
func stage(ctx *kernel.Context, d devices.Streams, in []Input) (staged []Input, release func(), err error) {
	staged = slices.Clone(in)
	var copies []*memory
	release = func() {
		for _, m := range copies {
			m.release()
		}
	}
	for i := range staged {
		if staged[i].Host == nil {
			continue
		}
		m, err := upload(ctx, d, staged[i].Host)
		if err != nil {
			release()
			return nil, nil, err
		}
		copies = append(copies, m)
		staged[i].Buffer = m.buffer
	}
	return staged, release, nil
}

// A Change is what an operation does with variables, whose handles come first among its
// inputs.
type Change struct {
	Variables int
	// Check looks at the values of the variables and at the other inputs. Nothing has
	// happened yet. Write has copies of inputs in host memory in the device's as well, which
	// go with the launches.
	Check func(now, in []Input) error
	// Write makes the next values, of the types and shapes of those now: an element of next
	// may be in the memory of that of now.
	Write func(next, now []code.Array, in []Input) ([]devices.Launch, error)
}

// RegisterChange adds kernels of an operation that changes variables, for all accelerators.
// host names the inputs that are in host memory.
func RegisterChange(op string, types map[string][]tensor.DType, host []string, plan func(*kernel.Construction) (Change, error)) {
	for _, kind := range Types {
		kernel.Register(kernel.Registration{Op: op, Device: kind, Types: types, HostMemory: host, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			p, err := plan(c)
			if err != nil {
				return nil, err
			}
			k := &changing{enqueuing: enqueuing{node: c.Node, op: op, device: c.Device, types: c.Inputs}, change: p, targets: make([]resource.Target, p.Variables)}
			k.hosts, _ = kernel.Memory(kind, c)
			if kind == emulated {
				if k.cpu, err = onVariables(c, p.Variables); err != nil {
					return nil, err
				}
			}
			return k, nil
		}})
	}
}

// A changing is a kernel that changes variables.
type changing struct {
	enqueuing
	change  Change
	targets []resource.Target
}

// Run enqueues the commands that compute the variables' next values.
func (k *changing) Run(ctx *kernel.Context, in, _ []tensor.Value) error {
	d, err := streams(ctx, k.device)
	if err != nil {
		return err
	}
	var vars []*resource.Variable // each once
	roles := make([]int, k.change.Variables)
	for i := range roles {
		v, err := k.targets[i].Find(ctx.Step.Resources, &in[i])
		if err != nil {
			return err
		}
		if roles[i] = slices.Index(vars, v); roles[i] < 0 {
			roles[i] = len(vars)
			vars = append(vars, v)
		}
	}
	tensors, inputs, err := k.arguments(in, len(roles))
	if err != nil {
		return err
	}
	if err := approach(ctx, d, vars...); err != nil {
		return err
	}
	return resource.Exchange(vars, func(at []resource.Stored) error {
		now := make([]*stored, len(vars))
		for i, v := range vars {
			if now[i], err = here(ctx, d, v, &at[i]); err != nil {
				return err
			}
		}
		for i, r := range roles {
			tensors[i] = &Tensor{device: d, dt: now[r].dt, dims: now[r].dims, memory: now[r].memory}
			inputs[i] = Input{Array: tensors[i].Array()}
		}
		if err := k.change.Check(inputs[:len(roles)], inputs[len(roles):]); err != nil {
			return err
		}
		return k.write(ctx, d, at, now, roles, tensors, inputs)
	})
}

// write enqueues the commands, and makes what they write the values. roles says which of the
// variables each of the operation's is. Of a variable that has several each has memory of its
// own, and what the last makes of it counts.
func (k *changing) write(ctx *kernel.Context, d devices.Streams, at []resource.Stored, now []*stored, roles []int, tensors []*Tensor, inputs []Input) (err error) {
	before, next, memories := make([]code.Array, len(roles)), make([]code.Array, len(roles)), make([]*memory, len(roles))
	counts := func(i int) bool { return !slices.Contains(roles[i+1:], roles[i]) }
	defer func() {
		for i, m := range memories {
			if m != nil && m != now[roles[i]].memory && (err != nil || !counts(i)) {
				m.release()
			}
		}
	}()
	for i, r := range roles {
		s := now[r]
		before[i], next[i], memories[i] = inputs[i].Array, inputs[i].Array, s.memory
		if counts(i) && s.memory.holders.Load() == 1 {
			continue // nobody else has it, nor can anybody get it meanwhile
		}
		n, err := bytes(s.dt, s.dims)
		if err != nil {
			return err
		}
		b, err := d.Reserve(ctx.Step.Context, n)
		if err != nil {
			return err
		}
		memories[i], next[i].Buffer = newMemory(b), b
		if n == 0 {
			if err := d.Write(ctx.Step.Context, b, nil); err != nil {
				return err
			}
		}
	}
	var launches []devices.Launch
	if k.cpu != nil {
		launches, err = k.emulate(&Work{ctx: ctx}, next, inputs, memories, tensors)
	} else {
		staged, release, err := stage(ctx, d, inputs[len(roles):])
		if err != nil {
			return err
		}
		defer release()
		if launches, err = k.change.Write(next, before, staged); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	for i := range launches {
		launches[i].Works = ctx.Step.Works
		if err := d.Launch(&launches[i]); err != nil {
			return err
		}
	}
	for i, r := range roles {
		s := now[r]
		if !counts(i) {
			continue
		}
		if memories[i] != s.memory {
			s = &stored{d, s.dt, s.dims, memories[i]}
		}
		at[r] = resource.Stored{Remote: s} // the host's copy is not the value any more
	}
	return nil
}

// onVariables returns the CPU's kernel of a node whose first n inputs are handles, as one that is
// given their variables' values instead, and puts out what it makes of them, if anything.
func onVariables(c *kernel.Construction, n int) (kernel.Kernel, error) {
	k, err := kernel.Make("CPU", c)
	if err != nil {
		return nil, err
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		args, vars := slices.Clone(in), make([]*resource.Variable, n)
		for i := range vars {
			vars[i] = &resource.Variable{Name: c.Node, Type: in[i].DType()}
			if err := vars[i].Assign(in[i]); err != nil {
				return err
			}
			args[i] = tensor.Scalar(&tensor.Handle{Name: c.Node, Type: "Variable", Value: vars[i]})
		}
		if len(c.Outputs) > 0 {
			return k.Run(ctx, args, out)
		}
		if err := k.Run(ctx, args, nil); err != nil {
			return err
		}
		for i, v := range vars {
			out[i], _ = v.Read()
		}
		return nil
	}), nil
}
