package data

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Stage").
		Input("values: dtypes").
		Traits(registry.Synchronizes).
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Adds an element to a staging area, waiting while the area is full.

values: The element.
capacity: The most elements it holds; 0 for any number.
memory_limit: The most bytes it holds; 0 for any number.`)
	registry.Define("Unstage").
		Output("values: dtypes").
		Traits(registry.Synchronizes).
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Takes the oldest element from a staging area, waiting while there is none.

capacity: As in Stage.
memory_limit: As in Stage.
dtypes: The types of an element's components.`)
	registry.Define("StagePeek").
		Input("index: int32").Output("values: dtypes").
		Traits(registry.Synchronizes).
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Gives the element at an index of a staging area without taking it, waiting until it is there.

index: Which element, from the oldest on.
capacity: As in Stage.
memory_limit: As in Stage.
dtypes: The types of an element's components.`)
	registry.Define("StageSize").
		Output("size: int32").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Returns the number of elements of a staging area.

capacity: As in Stage.
memory_limit: As in Stage.
dtypes: The types of an element's components.`)
	registry.Define("StageClear").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Removes all elements of a staging area.

capacity: As in Stage.
memory_limit: As in Stage.
dtypes: The types of an element's components.`)
}
