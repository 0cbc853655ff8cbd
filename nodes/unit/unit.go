package unit

// A Compiler makes units of the frames of a flow.
type Compiler struct {
	a      *analysis
	b      *builder
	credit *credit
	// Check verifies forms between passes, and makes units that prepare chains
	// when they are first played: it is for tests.
	Check bool
}

// NewCompiler makes the compiler of a flow. ask, which may be nil, is called now
// and then: an error of it ends the work.
func NewCompiler(f *Flow, ask func() error) *Compiler {
	const each, atLeast = 512, 1 << 20
	c := &credit{left: atLeast + each*len(f.Nodes), ask: ask}
	c.until = c.left
	a := newAnalysis(f, c)
	return &Compiler{a: a, b: &builder{analysis: a}, credit: c}
}

// Compile makes the unit of a frame and all frames below it. Where none can be
// made it answers nil and the reason. It fails with the error of ask alone, and
// with what Check has found.
func (c *Compiler) Compile(frame int32) (*Unit, string, error) {
	f, reason, err := c.Form(frame)
	if f == nil {
		return nil, reason, err
	}
	u := f.emit(c.credit)
	u.eager = c.Check
	if c.credit.spent() {
		return nil, "too much to work out", c.credit.err
	}
	return u, "", nil
}

// Form returns the intermediate form that a unit is made of.
func (c *Compiler) Form(frame int32) (*Form, string, error) {
	if !c.a.run(frame) {
		return nil, c.a.reason, c.credit.err
	}
	f := c.b.build()
	if f == nil {
		return nil, c.a.reason, c.credit.err
	}
	f.picks(c.credit)
	f.gather(c.credit)
	f.chains(c.credit)
	f.lifetimes(c.credit)
	if c.credit.spent() {
		return nil, "too much to work out", c.credit.err
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
