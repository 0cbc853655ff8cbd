package plan

// Bisect finds the pass that makes a result wrong. Names are those of optional passes in
// their order, and wrong reports whether the result is wrong where only those at the beginning
// of the list are on. The answer is the first pass with which it is: "" where it is wrong
// without any of them, and found is false where it is right with all.
//
// Each pass is tried, for a later pass may hide what one before it has done.
func Bisect(names []string, wrong func(on []string) (bool, error)) (pass string, found bool, err error) {
	for n := range len(names) + 1 {
		bad, err := wrong(names[:n:n])
		if err != nil {
			return "", false, err
		}
		if !bad {
			continue
		}
		if n > 0 {
			pass = names[n-1]
		}
		return pass, true, nil
	}
	return "", false, nil
}
