package nodes

// actTrigger returns a NoOp that is never dead: it lets wait for the end of a
// branch, taken or not.
func actTrigger() effect { return effect{verb: doOrder} }
