package troupe

import (
	_ "github.com/troupe-go/troupe/gradients" // so that gradients can be asked for
	_ "github.com/troupe-go/troupe/ops/all"   // all families of operations
)
