// Package all links the operations of every family. Import it for its effect:
//
//	import _ "github.com/troupe-go/troupe/ops/all"
//
// A program that imports the families it needs instead is smaller, and knows no
// other operations.
package all

import (
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/audio"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/dataset"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/image"
	_ "github.com/troupe-go/troupe/ops/io"
	_ "github.com/troupe-go/troupe/ops/linalg"
	_ "github.com/troupe-go/troupe/ops/list"
	_ "github.com/troupe-go/troupe/ops/logging"
	_ "github.com/troupe-go/troupe/ops/lookup"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/nn"
	_ "github.com/troupe-go/troupe/ops/parsing"
	_ "github.com/troupe-go/troupe/ops/quant"
	_ "github.com/troupe-go/troupe/ops/ragged"
	_ "github.com/troupe-go/troupe/ops/random"
	_ "github.com/troupe-go/troupe/ops/sampling"
	_ "github.com/troupe-go/troupe/ops/setops"
	_ "github.com/troupe-go/troupe/ops/signal"
	_ "github.com/troupe-go/troupe/ops/sparse"
	_ "github.com/troupe-go/troupe/ops/state"
	_ "github.com/troupe-go/troupe/ops/strings"
	_ "github.com/troupe-go/troupe/ops/train"
	_ "github.com/troupe-go/troupe/ops/transport"
)
