package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ImmutableConst").
		Output("tensor: dtype").
		Attr("dtype: type").
		Attr("shape: shape").
		Attr("memory_region_name: string").
		Doc(`Gives a tensor from a region of memory that the system maps, such as a file.

shape: Its shape.
memory_region_name: The region.`)
}
