package code

import (
	"github.com/troupe-go/troupe/nodes/unit/form"
)

// meaning executes a form with symbols, for [Verify].
type meaning struct {
	symbols
	form   *form.Form
	number []uint64 // by value
	left   int      // instructions that may still be executed
}

func (m *meaning) play() error {
	m.left = steps
	m.number = make([]uint64, len(m.form.Values))
	for v := range m.form.Values {
		if k := m.form.Values[v].Const; k >= 0 {
			m.number[v] = m.constant(m.form, m.form.Flow.Consts[k])
		}
	}
	for _, p := range m.form.Params {
		m.number[p.Value] = m.param(p.Node)
	}
	if err := m.block(m.form.Body); err != nil {
		return err
	}
	for _, r := range m.form.Results {
		m.events = append(m.events, event{"result", r.Node, []uint64{m.number[r.Use.Value]}})
	}
	return nil
}

// steps is how many instructions are executed on a path before it is given up.
const steps = 20_000

// of returns what somebody uses.
func (m *meaning) of(u form.Use) uint64 {
	if u.Read {
		return m.target(m.number[u.Value])
	}
	return m.number[u.Value]
}

func (m *meaning) put(v int32, n uint64) {
	if v >= 0 {
		m.number[v] = n
	}
}

func (m *meaning) block(b *form.Block) error {
	if b == nil {
		return nil
	}
	for i := range b.Code {
		if m.left--; m.left < 0 {
			return errEndless
		}
		if err := m.instr(&b.Code[i]); err != nil {
			return err
		}
	}
	return nil
}

func (m *meaning) instr(in *form.Instr) error {
	switch in.Op {
	case form.Call:
		var args []uint64
		for _, u := range in.In {
			args = append(args, m.of(u))
		}
		for o, n := range m.call(in.Node, args, len(in.Out)) {
			m.put(in.Out[o], n)
		}
	case form.Read:
		m.put(in.Out[0], m.read(in.Node, m.number[in.In[0].Value]))
	case form.Join:
		m.put(in.Out[0], m.of(in.In[0]))
	case form.Index:
		m.put(in.Out[0], m.index(m.form, in.Side))
	case form.Fetch:
		m.events = append(m.events, event{"fetch", in.Side, []uint64{m.of(in.In[0])}})
	case form.If:
		if int32(m.number[in.In[0].Value]%uint64(m.form.Sides(in.Rank))) == in.Side {
			return m.block(in.Then)
		}
		return m.block(in.Else)
	case form.While:
		return m.loop(in.Loop)
	}
	return nil
}

func (m *meaning) loop(w *form.Loop) error {
	set := func(of func(form.Variable) form.Use) {
		var numbers []uint64
		for _, x := range w.Vars {
			numbers = append(numbers, m.of(of(x)))
		}
		for i, x := range w.Vars {
			m.number[x.Value] = numbers[i]
		}
	}
	set(func(x form.Variable) form.Use { return x.Init })
	for {
		if m.left--; m.left < 0 {
			return errEndless
		}
		if err := m.block(w.Head); err != nil {
			return err
		}
		if m.number[w.Test.Value]%2 == 0 {
			return m.block(w.Tail)
		}
		if err := m.block(w.Body); err != nil {
			return err
		}
		set(func(x form.Variable) form.Use { return x.Next })
	}
}
