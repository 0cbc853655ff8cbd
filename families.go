package troupe

import _ "github.com/troupe-go/troupe/ops/all" // all families of operations
