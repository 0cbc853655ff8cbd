package registry

// SmallerThan reports whether the attributes take less than n bytes, about, when they
// are written out: values of functions' attributes may name the same function many
// times over, at any depth, and be small in memory all the same. It takes time in
// proportion to n.
func (a Attrs) SmallerThan(n int) bool { return a.left(n) > 0 }

// left returns what the attributes leave of n, 0 or less if that is not enough.
func (a Attrs) left(n int) int {
	for i := range a {
		if n -= 8 + len(a[i].Name); n <= 0 {
			return n
		}
		n = a[i].Value.left(n)
	}
	return n
}

func (v *AttrValue) left(n int) int {
	n -= 8 + len(v.S) + len(v.Placeholder) + 8*len(v.Shape.Dims)
	if v.Func != nil {
		n = v.Func.Attrs.left(n - len(v.Func.Name))
	}
	for i := 0; i < len(v.List) && n > 0; i++ {
		n = v.List[i].left(n)
	}
	return n
}
