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
			u := update{states: o.states, dt: c.Type("T"), rule: o.name}
			for attr, suffix := range o.variants {
				if not := attr[0] == '!'; not && !c.Bool(attr[1:]) || !not && c.Bool(attr) {
					u.rule += suffix
				}
			}
			for _, arg := range c.Op.Inputs {
				u.names = append(u.names, arg.Name)
			}
			u.gradient = slices.IndexFunc(u.names, func(s string) bool { return s == "grad" || s == "delta" }) - u.states
			return resident.Change{Variables: u.states, Check: u.check, Write: u.write}, nil
		})
	}
}

// An update is what an operation does with a variable and its slots.
type update struct {
	rule     string
	names    []string // of the inputs
	states   int
	gradient int // which of the other inputs
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
		if i != u.gradient && len(v.Dims) > 0 && (u.names[u.states+i] != "sign_decay" || v.Elements() != 1) {
			return status.Invalid("%s is not a scalar: %s", u.names[u.states+i], tensor.FormatDims(v.Dims))
		}
	}
	for i, v := range now {
		if !slices.Equal(x, v.Dims) {
			return unlike(i, v.Dims)
		}
	}
	if g := in[u.gradient].Dims; !slices.Equal(x, g) {
		return unlike(u.states+u.gradient, g)
	}
	return nil
}

func (u *update) write(next, now []code.Array, in []resident.Input) ([]devices.Launch, error) {
	numbers := arrays(in)
	return code.Update(u.rule, next, now, in[u.gradient].Array, slices.Delete(numbers, u.gradient, u.gradient+1))
}
