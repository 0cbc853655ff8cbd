package session_test

import (
	"testing"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"
)

// While the functions that a program can reach are looked at, steps of programs that are
// compiled go on calling theirs.
func TestCallsGoOnWhileFunctionsAreLookedAt(t *testing.T) {
	g := session.NewGraph()
	if err := notation.Add(g, `
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
cpu = Const() {dtype=DT_STRING, value=Tensor<type: string shape: [] values: "/device:CPU:0">}
slow = Again(one)
quick = RemoteCall(cpu, one) {Tin=[DT_INT32], Tout=[DT_INT32], f=func Small}
func Small(x: int32) -> (y: int32) {
  n = Neg(x) {T=DT_INT32}
  return y = n:y:0
}
func Again(x: int32) -> (y: int32) {
  r = Again(x)
  h = TestHeldWhenMade(r:y:0)
  return y = h:y:0
}
`); err != nil {
		t.Fatal(err)
	}
	s, err := session.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	fetch := func(name string) error {
		_, err := s.Run(nil, []session.Output{g.Operation(name).Output(0)}, nil)
		return err
	}
	if err := fetch("quick"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- fetch("slow") }()
	<-making.came
	if err := fetch("quick"); err != nil {
		t.Error(err)
	}
	for {
		select {
		case making.pass <- struct{}{}:
		case <-making.came:
		case <-ended: // it calls itself without end
			return
		}
	}
}
