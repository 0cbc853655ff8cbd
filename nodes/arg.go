package nodes

import "github.com/troupe-go/troupe/tensor"

// actArg puts out what is fed. It waits for nothing, so it is never dead.
func actArg(fed tensor.Value) effect { return effect{verb: doPass, value: fed} }
