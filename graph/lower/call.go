package lower

// call lowers a call to the nodes of the function's body.
func (l *lowering) call(t *task) error {
	n := t.node
	r := l.enter(n)
	if l.err != nil {
		return l.err
	}
	p, err := l.inline(t, n.Callee(), r)
	if err != nil {
		return err
	}
	outs := p.results
	for i := range outs {
		outs[i] = l.after(p, i, r)
	}
	return l.finish(n, outs, append(p.effects, r.pivot)...)
}
