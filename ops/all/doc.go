// Package all links the operations of every family. Import it for its effect:
//
//	import _ "github.com/troupe-go/troupe/ops/all"
//
// A program that imports the families it needs instead is smaller, and knows no
// other operations.
package all
