package shape

import "github.com/troupe-go/troupe/registry"

// Arg returns the place of the input argument of that name among the inputs: from
// lo up to but not including hi, which differ by one unless it is a list. It is
// empty if the definition has no such argument.
func (c *Context) Arg(name string) (lo, hi int) {
	if c.Op == nil {
		return 0, 0
	}
	return find(c.Op.Inputs, c.Attrs, name, len(c.Inputs))
}

// Result returns the place of the output argument of that name among the outputs;
// see [Context.Arg].
func (c *Context) Result(name string) (lo, hi int) {
	if c.Op == nil {
		return 0, 0
	}
	return find(c.Op.Outputs, c.Attrs, name, len(c.Outputs))
}

// find keeps the answer within total, whatever the definition says.
func find(args []registry.ArgDef, attrs registry.Attrs, name string, total int) (lo, hi int) {
	for i := range args {
		n := argSize(&args[i], attrs, total-lo)
		if args[i].Name == name {
			return lo, lo + n
		}
		lo += n
	}
	return 0, 0
}

// argSize returns the number of tensors of an argument, at most limit.
func argSize(arg *registry.ArgDef, attrs registry.Attrs, limit int) int {
	n := int64(1)
	switch {
	case arg.NumberAttr != "":
		n = 0
		if v := attrs.Find(arg.NumberAttr); v != nil {
			n = v.I
		}
	case arg.TypeListAttr != "":
		n = 0
		if v := attrs.Find(arg.TypeListAttr); v != nil {
			n = int64(len(v.List))
		}
	}
	return int(max(0, min(n, int64(limit))))
}
