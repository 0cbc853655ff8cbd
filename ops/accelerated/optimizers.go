package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Optimizers, which change variables and their slots where they are. Their numbers are in
// the device's memory, too, for steps compute them.

func init() {
	wide, notBfloat16 := floats[:2], floats[:3]
	// rows are those that update rows alone, too.
	rows := map[string][]tensor.DType{"Momentum": floats, "KerasMomentum": floats, "Adagrad": floats, "AdagradV2": floats, "Adadelta": floats,
		"RMSProp": notBfloat16, "Ftrl": floats, "FtrlV2": floats}
	for _, o := range []struct {
		name   string
		states int
		types  []tensor.DType
		// variants are attributes with which the rule has a suffix.
		variants map[string]string
	}{
		{"GradientDescent", 1, floats, nil},
		{"ProximalGradientDescent", 1, wide, nil},
		{"Momentum", 2, floats, map[string]string{"use_nesterov": "Nesterov"}},
		{"KerasMomentum", 2, floats, map[string]string{"use_nesterov": "Nesterov"}},
		{"Adagrad", 2, floats, map[string]string{"!update_slots": "Kept"}},
		{"AdagradV2", 2, floats, map[string]string{"!update_slots": "Kept"}},
		{"ProximalAdagrad", 2, wide, nil},
		{"Adadelta", 3, floats, nil},
		{"RMSProp", 3, floats, nil},
		{"CenteredRMSProp", 4, floats, nil},
		{"Adam", 3, floats, map[string]string{"use_nesterov": "Nesterov"}},
		{"AdamWithAmsgrad", 4, floats, nil},
		{"AdaMax", 3, notBfloat16, nil},
		{"AddSign", 2, floats, nil},
		{"PowerSign", 2, floats, nil},
		{"Ftrl", 3, floats, map[string]string{"multiply_linear_by_lr": "ByLR"}},
		{"FtrlV2", 3, floats, map[string]string{"multiply_linear_by_lr": "ByLR"}},
	} {
		resident.RegisterChange("ResourceApply"+o.name, map[string][]tensor.DType{"T": o.types}, nil, func(c *kernel.Construction) (resident.Change, error) {
			return updateOf(c, o.name, o.states, o.variants), nil
		})
		types, sparse := rows[o.name]
		if !sparse {
			continue
		}
		resident.RegisterChange("ResourceSparseApply"+o.name, map[string][]tensor.DType{"T": types, "Tindices": places}, []string{"indices"}, func(c *kernel.Construction) (resident.Change, error) {
			return updateOf(c, o.name, o.states, o.variants), nil
		})
	}
}

// updateOf returns the update of a node.
func updateOf(c *kernel.Construction, name string, states int, variants map[string]string) resident.Change {
	u := update{states: states, dt: c.Type("T"), rule: name, indices: -1}
	for attr, suffix := range variants {
		if not := attr[0] == '!'; not && !c.Bool(attr[1:]) || !not && c.Bool(attr) {
			u.rule += suffix
		}
	}
	for i, arg := range c.Op.Inputs {
		u.names = append(u.names, arg.Name)
		switch arg.Name {
		case "grad", "delta":
			u.gradient = i - states
		case "indices":
			u.indices = i - states
		}
	}
	return resident.Change{Variables: states, Check: u.check, Write: u.write}
}

// An update is what an operation does with a variable and its slots.
type update struct {
	rule     string
	names    []string // of the inputs
	states   int
	gradient int // which of the other inputs
	indices  int // which of them says which rows are updated; -1: all are
	dt       tensor.DType
}

func (u *update) check(now, in []resident.Input) error {
	x := now[0].Dims
	unlike := func(i int, y []int64) error {
		return status.Invalid("%s and %s do not have the same shape%s %s", u.names[0], u.names[i], tensor.FormatDims(x), tensor.FormatDims(y))
	}
	for i, v := range now {
		if v.Type != u.dt {
			return status.Invalid("%s holds %v and is updated as %v", u.names[i], v.Type, u.dt)
		}
	}
	for i, v := range in {
		if i != u.gradient && i != u.indices && len(v.Dims) > 0 && (u.names[u.states+i] != "sign_decay" || v.Elements() != 1) {
			return status.Invalid("%s is not a scalar: %s", u.names[u.states+i], tensor.FormatDims(v.Dims))
		}
	}
	for i, v := range now {
		if !slices.Equal(x, v.Dims) {
			return unlike(i, v.Dims)
		}
	}
	g := in[u.gradient].Dims
	if u.indices < 0 {
		if !slices.Equal(x, g) {
			return unlike(u.states+u.gradient, g)
		}
		return nil
	}
	at := &in[u.indices]
	switch {
	case len(x) == 0:
		return status.Invalid("var must be at least 1 dimensional")
	case len(at.Dims) != 1:
		return status.Invalid("indices must be one-dimensional")
	case len(g) != len(x) || !slices.Equal(g[1:], x[1:]):
		return status.Invalid("var and grad must match but in the first dimension: %s, %s", tensor.FormatDims(x), tensor.FormatDims(g))
	case g[0] != at.Dims[0]:
		return status.Invalid("grad must be the same size as indices in the first dimension.")
	case g[0] > 0 && slices.Contains(x[1:], 0):
		return status.Invalid("Inner dimension should be greater than zero.")
	}
	return within(at, x[:1])
}

func (u *update) write(next, now []code.Array, in []resident.Input) ([]devices.Launch, error) {
	var numbers []code.Array
	for i, x := range in {
		if i != u.gradient && i != u.indices {
			numbers = append(numbers, x.Array)
		}
	}
	if u.indices < 0 {
		return code.Update(u.rule, next, now, in[u.gradient].Array, numbers)
	}
	s := begun(next, now)
	s.add(code.UpdateRows(u.rule, next, in[u.indices].Array, in[u.gradient].Array, numbers))
	return s.launches, s.err
}
