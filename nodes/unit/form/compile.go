package form

import "fmt"

// A Compiler makes the forms of the frames of a flow.
type Compiler struct {
	a      *analysis
	b      *builder
	Credit *Credit
	// Check verifies forms between passes.
	Check bool
	// Off are the passes that are left out.
	Off Passes
	// After is called with the form after each pass, which it must not keep or change; nil:
	// it is not.
	After func(pass string, f *Form)
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
	f.Off = c.Off
	if err := c.after("build", f, f.VerifyOrder); err != nil {
		return nil, "", err
	}
	for _, p := range passes {
		if p.optional != 0 && c.Off.Has(p.optional) {
			continue
		}
		p.run(f, c.Credit)
		if c.Credit.Spent() {
			return nil, "too much to work out", c.Credit.Err
		}
		if err := c.after(p.name, f, func() error { return p.verify(f) }); err != nil {
			return nil, "", err
		}
	}
	return f, "", nil
}

// passes are those of the form, in their order.
var passes = []struct {
	name     string
	optional Passes // 0: it always runs
	run      func(*Form, *Credit)
	verify   func(*Form) error // what holds after it
}{
	{"pick", Picks, (*Form).picks, (*Form).VerifyOrder},
	{"band", Bands, (*Form).gather, (*Form).VerifyOrder},
	{"chain", Chains, (*Form).chains, (*Form).VerifyOrder},
	{"tile", Tiles, (*Form).tiles, (*Form).VerifyOrder},
	{"lifetimes", 0, (*Form).lifetimes, (*Form).Verify},
}

// after is what happens to a form after each pass.
func (c *Compiler) after(pass string, f *Form, verify func() error) error {
	if c.Check {
		if err := verify(); err != nil {
			return fmt.Errorf("after the pass %s: %w", pass, err)
		}
	}
	if c.After != nil {
		c.After(pass, f)
	}
	return nil
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
