package accelerators

import (
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// optimizers are operations that change several variables: how many of these there are, and
// the other inputs, of which g is the gradient and n a number.
var optimizers = []struct {
	name   string
	states int
	rest   string
}{
	{"Momentum", 2, "ngn"},
	{"KerasMomentum", 2, "ngn"},
	{"Adagrad", 2, "ng"},
	{"AdagradV2", 2, "nng"},
	{"Adadelta", 3, "nnng"},
	{"RMSProp", 3, "nnnng"},
	{"CenteredRMSProp", 4, "nnnng"},
	{"Adam", 3, "nnnnnng"},
	{"AdamWithAmsgrad", 4, "nnnnnng"},
	{"AdaMax", 3, "nnnnng"},
	{"AddSign", 2, "nnnng"},
	{"PowerSign", 2, "nnnng"},
	{"Ftrl", 3, "gnnnn"},
	{"FtrlV2", 3, "gnnnnn"},
}

// An optimizer that is given one variable in several roles does with it on an accelerator
// what it does on the CPU.
func TestOptimizersRoles(t *testing.T) {
	for _, kind := range []string{"EMULATED", "OPENCL"} {
		if kind == "OPENCL" {
			opened(t, opencl.Open)
		}
		for k, o := range optimizers {
			for _, roles := range []string{"0000", "0011", "0100", "0010", "0112"} {
				roles = roles[:o.states]
				if strings.Contains("0123", roles) || kind == "OPENCL" && (k*5+int(roles[1]))%11 != 0 { // its driver compiles each
					continue
				}
				want := changed(t, "CPU", o.name, o.rest, roles)
				for i, got := range changed(t, kind, o.name, o.rest, roles) {
					if err := tensor.Compare(got, want[i], rough); err != nil {
						t.Errorf("%s: %s of variables %s: variable %d: %v", kind, o.name, roles, i, err)
					}
				}
			}
		}
	}
}

// changed is what variables hold after an optimizer changed them twice.
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
