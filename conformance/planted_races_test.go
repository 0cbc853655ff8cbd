package conformance_test

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/sequential/explore"
	"github.com/troupe-go/troupe/tensor"
)

// planted are the usual mistakes: graphs that touch one thing twice in no order. Of
// {a|b} the mistaken graph has a, and the mended one b. The operations named init run in
// a step before, and what is fetched is called y.
var planted = []struct {
	kind, object, text string
	targets            []string
}{
	{"two assignments", "v", `
v = VarHandleOp() {dtype=DT_FLOAT, shape=shape [], shared_name="v"}
a = AssignVariableOp(v, one) {dtype=DT_FLOAT}
b = AssignVariableOp(v, two{|, ^a}) {dtype=DT_FLOAT}
`, []string{"a", "b"}},
	{"a counter that is used in the step that counts", "v", `
v = VariableV2() {dtype=DT_FLOAT, shape=shape []}
init = Assign(v, one) {T=DT_FLOAT}
count = AssignAdd(v, one) {T=DT_FLOAT}
y = Mul(v, two{|, ^count}) {T=DT_FLOAT}
`, []string{"count"}},
	{"the loss of a step of training", "w", `
w = VariableV2() {dtype=DT_FLOAT, shape=shape []}
init = Assign(w, two) {T=DT_FLOAT}
train = ApplyGradientDescent(w, one, one) {T=DT_FLOAT}
y = Square(w{|, ^train}) {T=DT_FLOAT}
`, []string{"train"}},
	{"two variables exchanged", "v", `
v = VariableV2() {dtype=DT_FLOAT, shape=shape []}
w = VariableV2() {dtype=DT_FLOAT, shape=shape []}
v_is = Assign(v, one) {T=DT_FLOAT}
init = Assign(w, two, ^v_is) {T=DT_FLOAT}
a = Assign(v, w) {T=DT_FLOAT}
b = Assign(w, v{|, ^a}) {T=DT_FLOAT}
`, []string{"a", "b"}},
	{"a variable that begins with the value of another", "v", `
v = VariableV2() {dtype=DT_FLOAT, shape=shape []}
w = VariableV2() {dtype=DT_FLOAT, shape=shape []}
v_is = Assign(v, one) {T=DT_FLOAT}
w_is = Assign(w, v{|, ^v_is}) {T=DT_FLOAT}
`, []string{"v_is", "w_is"}},
	{"an assignment that the next iteration does not wait for", "v", `
v = VarHandleOp() {dtype=DT_INT32, shape=shape [], shared_name="v"}
from = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
to = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 2>}
e = Enter(from) {T=DT_INT32, frame_name="L"}
l = Enter(to) {T=DT_INT32, frame_name="L", is_constant=true}
h = Enter(v) {T=DT_RESOURCE, frame_name="L", is_constant=true}
m = Merge(e, next) {T=DT_INT32, N=2}
less = Less(m, l) {T=DT_INT32}
c = LoopCond(less)
s = Switch(m, c) {T=DT_INT32}
body = Identity(s:1) {T=DT_INT32}
by = Const(^body) {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
a = AssignVariableOp(h, body) {dtype=DT_INT32}
add = AddV2(body, by{|, ^a}) {T=DT_INT32}
next = NextIteration(add) {T=DT_INT32}
y = Exit(s:0) {T=DT_INT32}
`, []string{"a"}},
	{"branches of two conditions that may both hold", "v", `
p = Const() {dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: true>}
q = Const() {dtype=DT_BOOL, value=Tensor<type: bool shape: [] values: true>}
v = VarHandleOp() {dtype=DT_FLOAT, shape=shape [], shared_name="v"}
s = Switch(one, p) {T=DT_FLOAT}
t = Switch(two, {q|p}) {T=DT_FLOAT}
a = AssignVariableOp(v, s:1) {dtype=DT_FLOAT}
b = AssignVariableOp(v, t:{1|0}) {dtype=DT_FLOAT}
`, []string{"a", "b"}},
	{"two that put into a queue", "q", `
q = FIFOQueueV2() {component_types=[DT_FLOAT], capacity=4}
a = QueueEnqueueV2(q, one) {Tcomponents=[DT_FLOAT]}
b = QueueEnqueueV2(q, two{|, ^a}) {Tcomponents=[DT_FLOAT]}
y = QueueDequeueV2(q) {component_types=[DT_FLOAT]}
`, []string{"a", "b"}},
	{"a table that is asked while it is filled", "t", `
t = MutableHashTableV2() {key_dtype=DT_INT32, value_dtype=DT_FLOAT, shared_name="t"}
key = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 7>}
insert = LookupTableInsertV2(t, key, one) {Tin=DT_INT32, Tout=DT_FLOAT}
y = LookupTableFindV2(t, key, two{|, ^insert}) {Tin=DT_INT32, Tout=DT_FLOAT}
`, []string{"insert"}},
	{"a TensorArray whose flow is not passed on", "ta", `
n = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
i = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
ta = TensorArrayV3(n) {dtype=DT_FLOAT}
write = TensorArrayWriteV3(ta:0, i, one, ta:1) {T=DT_FLOAT}
y = TensorArrayReadV3(ta:0, i, {ta:1|write}) {dtype=DT_FLOAT}
`, []string{"write"}},
}

const oneAndTwo = `
one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
two = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 2>}
`

// choose is text with the which-th of each {a|b}.
func choose(text string, which int) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		either, after, _ := strings.Cut(rest, "}")
		b.WriteString(before)
		switch choice := strings.Split(either, "|"); {
		case !ok:
			return b.String()
		case len(choice) == 2:
			b.WriteString(choice[which])
		default: // attributes
			b.WriteString("{" + either + "}")
		}
		text = after
	}
}

// TestPlantedRaces: each of the usual mistakes is told as a race, and two schedules differ;
// what is mended has neither.
func TestPlantedRaces(t *testing.T) {
	found, silent := 0, 0
	for _, c := range planted {
		t.Run(c.kind, func(t *testing.T) {
			for which, name := range []string{"mistaken", "mended"} {
				g := graph.New()
				if err := notation.Add(g, oneAndTwo+choose(c.text, which)); err != nil {
					t.Fatal(err)
				}
				p := race.Program{Graph: g}
				for _, target := range c.targets {
					p.Targets = append(p.Targets, g.Operation(target))
				}
				if y := g.Operation("y"); y != nil {
					p.Fetches = append(p.Fetches, y.Output(0))
				}
				races, err := race.Find(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				r := exploredRace(t, p)
				told := ""
				for _, x := range races {
					if x.Object.Name == c.object {
						told = x.String()
					}
				}
				t.Logf("%s: %q, %d answers in %d schedules", name, told, len(r.Answers), r.Schedules)
				switch {
				case which == 0 && told != "" && len(r.Answers) > 1:
					found++
				case which == 1 && len(races) == 0 && len(r.Answers) == 1:
					silent++
				default:
					t.Errorf("%s: races %v, and %d answers: %+v", name, races, len(r.Answers), r.Answers)
				}
			}
		})
	}
	t.Logf("of %d planted races %d are found; of the %d mended graphs %d are silent", len(planted), found, len(planted), silent)
}

// exploredRace plays all schedules of a program, after init.
func exploredRace(t *testing.T, p race.Program) *explore.Result {
	t.Helper()
	s := &explore.System{Budget: tensor.NewBudget(1 << 30)}
	if init := p.Graph.Operation("init"); init != nil {
		first, err := compile.Graph(t.Context(), p.Graph, compile.Spec{Targets: []*graph.Node{init}})
		if err != nil {
			t.Fatal(err)
		}
		s.Steps = append(s.Steps, explore.Step{Program: first, Fixed: true})
	}
	unordered, err := race.Unordered(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	program, err := compile.Graph(t.Context(), p.Graph, compile.Spec{Fetches: p.Fetches, Targets: p.Targets, NoUnits: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Steps = append(s.Steps, explore.Step{Program: program, Unordered: unordered})
	r, err := explore.Explore(t.Context(), s, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.All {
		t.Errorf("not all schedules were played: %s", r.Why)
	}
	return r
}
