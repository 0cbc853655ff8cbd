package lower

// call lowers a call to the nodes of the function's body, or leaves it a call.
func (l *lowering) call(t *task) error {
	n := t.node
	how := called
	if Entirely(n) {
		how = entire
	}
	p, err := l.plan(n.Callee(), n.Inputs(), n.OutputTypes(), how)
	if err != nil {
		return err
	}
	if !l.fits(t, p) {
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
	if how == called && t.in != nil && t.in.called { // it is a part of the call that it is in
		end := l.wait(r.name+"/end", r.device, append(done.effects, r.pivot)...)
		return l.finishParts(n, l.after(done, r), end)
	}
	if how == called && len(done.results) > 1 && p.changing() { // none comes before all
		for _, o := range done.results {
			if Lowers(o.Op) { // whose end may come without all that it computes
				o = l.one("Identity", r.name+"/result", r.device, nil, nil, o)
			}
			done.effects = append(done.effects, o.Op)
		}
	}
	return l.finish(n, r, l.after(done, r), append(done.effects, r.pivot)...)
}
