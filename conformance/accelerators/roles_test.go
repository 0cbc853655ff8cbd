package accelerators

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// optimizers are those that change several variables: what they are given beside these, of
// which g is the gradient and n a number.
var optimizers = map[string]string{
	"Momentum": "ngn", "KerasMomentum": "ngn", "Adagrad": "ng", "AdagradV2": "nng", "Adadelta": "nnng", "RMSProp": "nnnng", "CenteredRMSProp": "nnnng",
	"Adam": "nnnnnng", "AdamWithAmsgrad": "nnnnnng", "AdaMax": "nnnnng", "AddSign": "nnnng", "PowerSign": "nnnng", "Ftrl": "gnnnn", "FtrlV2": "gnnnnn",
}

var nan = float32(math.NaN())

// twice is what TensorFlow 2.21 answered, on a CPU: of the optimizer, which variable it was
// given in each role, and what these hold after two steps.
var twice = []struct {
	name, roles string
	want        [][]float32
}{
	{"Momentum", "00", [][]float32{{1.203125, 6.1875, 4.421875, 0.30078125, -3.3125}}},
	{"Adadelta", "010", [][]float32{{0.523741185, 7.414148330, 3.401082515, 0.090853430, 5.485429763}, {0.487304687, 7.328125, 3.68359375, 0.089782714, 7.41796875}}},
	{"Adadelta", "000", [][]float32{{0.521943628, 7.447275638, 3.440773963, 0.090848155, 5.748898506}}},
	{"Adam", "011", [][]float32{{0.230854839, 15.52427673, 1.263784408, -0.00744576, 2.847749948}, {0.671875, 12.25, 3.4375, 0.147460937, 6.1875}}},
	{"Adam", "010", [][]float32{{0.671875, 11.6875, 3.4375, 0.147460937, 6.1875}, {0.736328125, 9.3984375, 2.47265625, 0.184082031, 0.30859375}}},
	{"AdamWithAmsgrad", "0010", [][]float32{{1.0, 20.0, 3.4375, 0.25, 6.1875}, {0.671875, 12.25, 3.4375, 0.147460937, 6.1875}}},
	{"AdaMax", "011", [][]float32{{-0.19133830, 18.14419364, 1.115838170, -0.19626304, 3.362500190}, {0.5, 9.92578125, 2.0, 0.125, 3.0}}},
	{"CenteredRMSProp", "0112", [][]float32{{-0.76131254, nan, nan, -0.18945421, 1.745775461}, {0.487304687, 7.328125, 3.68359375, 0.089782714, 7.41796875}, {0.847449302, nan, nan, 0.213187530, 0.366796195}}},
	{"Ftrl", "011", [][]float32{{-0.33567598, -1.70344030, -0.30119767, 0.0, 0.0}, {1.827149748, 15.51408767, 2.126930713, 0.493160814, nan}}},
	{"Ftrl", "001", [][]float32{{1.5, 22.0, 11.0, 0.28125, 22.0}, {1.553026437, 11.04722309, -6.22171926, 0.486104935, -38.4896812}}},
}

// An optimizer that is given one variable in several roles does with it what TensorFlow does.
func TestOptimizersRoles(t *testing.T) {
	for _, kind := range []string{"CPU", "EMULATED", "OPENCL"} {
		if kind == "OPENCL" {
			opened(t, opencl.Open)
		}
		for _, o := range twice {
			for i, got := range changed(t, kind, o.name, optimizers[o.name], o.roles) {
				want, err := session.NewTensor(o.want[i])
				if err != nil {
					t.Fatal(err)
				}
				if err := tensor.Compare(got, want, rough); err != nil {
					t.Errorf("%s: %s of variables %s: variable %d: %v", kind, o.name, o.roles, i, err)
				}
			}
		}
	}
}

// Where TensorFlow has not been asked, all devices do the same.
func TestOptimizersRolesEverywhere(t *testing.T) {
	for name, rest := range optimizers {
		for _, roles := range []string{"00", "000", "010", "011", "0011", "0112"} {
			if len(roles) != statesOf(name) {
				continue
			}
			want := changed(t, "CPU", name, rest, roles)
			for i, got := range changed(t, "EMULATED", name, rest, roles) {
				if err := tensor.Compare(got, want[i], rough); err != nil {
					t.Errorf("%s of variables %s: variable %d: %v", name, roles, i, err)
				}
			}
		}
	}
}

// statesOf returns how many variables an optimizer changes.
func statesOf(name string) (n int) {
	def, err := registry.Global.Lookup("ResourceApply" + name)
	if err != nil {
		panic(err)
	}
	for _, in := range def.Inputs {
		if in.Type == tensor.Resource {
			n++
		}
	}
	return n
}

// changed returns what variables hold after an optimizer changed them twice.
func changed(t *testing.T, kind, op, rest, roles string) (values []*session.Tensor) {
	t.Helper()
	text := "g = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [5] values: 0.5 -1 2 0.125 -3>}\n"
	var args []string
	for _, r := range roles {
		args = append(args, "v"+string(r))
	}
	for i, x := range rest {
		if x == 'g' {
			args = append(args, "g")
			continue
		}
		args = append(args, fmt.Sprintf("n%d", i))
		number := 0.5 + float64(i)/16
		if strings.HasPrefix(op, "Ftrl") && i == len(rest)-1 {
			number = -0.5 // lr_power
		}
		text += fmt.Sprintf("n%d = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: %g>}\n", i, number)
	}
	var fetches []string
	for v := '0'; strings.ContainsRune(roles, v); v++ {
		text += strings.ReplaceAll("vX = VarHandleOp() {dtype=DT_FLOAT, shape=shape [5], shared_name=\"vX\"}\nrX = ReadVariableOp(vX) {dtype=DT_FLOAT}\n"+
			"bX = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [5] values: 1 2X 3 0.25 4>}\naX = AssignVariableOp(vX, bX) {dtype=DT_FLOAT}\n", "X", string(v))
		fetches = append(fetches, "r"+string(v))
	}
	text += fmt.Sprintf("apply = ResourceApply%s(%s) {T=DT_FLOAT}\n", op, strings.Join(args, ", "))
	g := parsed(t, text)
	s, err := session.NewSession(g, &session.SessionOptions{Devices: map[string]int{kind: 1}, StrictPlacement: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var m session.RunMetadata
	for _, name := range append(strings.Split(strings.ReplaceAll(strings.Join(fetches, " "), "r", "a"), " "), "apply", "apply") {
		if _, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &m}, nil, nil, []*session.Operation{g.Operation(name)}); err != nil {
			t.Fatalf("%s: %s of variables %s: %s: %v", kind, op, roles, name, err)
		}
	}
	if kind != "CPU" && (len(m.Devices) != 1 || m.Devices[0].InUse == 0) {
		t.Errorf("%s: %s: the variables are not there", kind, op)
	}
	var outs []session.Output
	for _, name := range fetches {
		outs = append(outs, g.Operation(name).Output(0))
	}
	values, err = s.Run(nil, outs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return values
}
