package unit

import (
	"fmt"

	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/nodes/unit/form"
)

//go:generate go run ./gen

// A Compiler makes units of the frames of a flow.
type Compiler struct {
	*form.Compiler
}

// NewCompiler makes the compiler of a flow. ask, which may be nil, is called now and
// then: an error of it ends the work.
func NewCompiler(f *form.Flow, ask func() error) *Compiler {
	return &Compiler{form.NewCompiler(f, ask)}
}

// Compile makes the unit of a frame and all frames below it. Where none can be
// made it returns nil and the reason. It fails with the error of ask, and with
// what Check has found. With Check the form and
// the code are verified, and chains of the unit are prepared when they first run.
func (c *Compiler) Compile(frame int32) (*code.Unit, string, error) {
	f, reason, err := c.Form(frame)
	if f == nil {
		return nil, reason, err
	}
	u := code.Emit(f, c.Credit)
	u.Eager = c.Check
	if c.Credit.Spent() {
		return nil, "too much to work out", c.Credit.Err
	}
	if err := u.Enclosed(); err != nil {
		return nil, "", fmt.Errorf("code of frame %q: %w", f.Flow.Frames[frame].Name, err)
	}
	if c.Check {
		if err := code.Verify(u, f); err != nil {
			return nil, "", err
		}
	}
	return u, "", nil
}
