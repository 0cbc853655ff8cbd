package lower

// call lowers a call to the nodes of the function's body, or leaves it a call.
func (l *lowering) call(t *task) error {
	n := t.node
	p, err := l.plan(n.Callee(), n.Inputs(), n.OutputTypes())
	if err != nil {
		return err
	}
	if !l.fits(t, p) {
		l.effects = append(l.effects, n)
		return nil
	}
	r := l.enter(n)
	if l.err != nil {
		return l.err
	}
	done, err := l.lay(t, p, r)
	if err != nil {
		return err
	}
	return l.finish(n, r, l.after(done, r), append(done.effects, r.pivot)...)
}
