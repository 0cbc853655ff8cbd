package form

// A Compiler makes the forms of the frames of a flow.
type Compiler struct {
	a      *analysis
	b      *builder
	Credit *Credit
	// Check verifies forms between passes.
	Check bool
}

// NewCompiler makes the compiler of a flow. ask, which may be nil, is called now and
// then: an error of it ends the work.
func NewCompiler(f *Flow, ask func() error) *Compiler {
	const each, atLeast = 512, 1 << 20
	c := &Credit{left: atLeast + each*len(f.Nodes), ask: ask}
	c.until = c.left
	a := newAnalysis(f, c)
	return &Compiler{a: a, b: &builder{analysis: a}, Credit: c}
}

// Form makes the form of a frame and all frames below it. Where there can be none it
// returns nil and the reason. It fails with the error of ask, and with what Check has
// found.
func (c *Compiler) Form(frame int32) (*Form, string, error) {
	if !c.a.run(frame) {
		return nil, c.a.reason, c.Credit.Err
	}
	f := c.b.build()
	if f == nil {
		return nil, c.a.reason, c.Credit.Err
	}
	f.picks(c.Credit)
	f.gather(c.Credit)
	f.chains(c.Credit)
	f.lifetimes(c.Credit)
	if c.Credit.Spent() {
		return nil, "too much to work out", c.Credit.Err
	}
	if c.Check {
		if err := f.Verify(); err != nil {
			return nil, "", err
		}
	}
	return f, "", nil
}

// Order returns the nodes of the frame that was compiled last, sources first; frames
// below it are left out.
func (c *Compiler) Order() []int32 {
	var list []int32
	for _, s := range c.a.order[c.a.top] {
		if _, inner := s.frame(); !inner {
			list = append(list, int32(s))
		}
	}
	return list
}
