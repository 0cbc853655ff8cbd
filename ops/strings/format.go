package strings

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("StringFormat").
		Input("inputs: T").Output("output: string").
		Attr("T: list(type) >= 0").
		Attr("template: string = '%s'").
		Attr("placeholder: string = '%s'").
		Attr("summarize: int = 3").
		Doc(`Puts tensors into a template.

template: The text.
placeholder: What in it is replaced, by one tensor after another.
summarize: How many entries of each dimension are shown at either end.`)
}
