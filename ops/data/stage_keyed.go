package data

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("MapStage").
		Input("key: int64").Input("indices: int32").Input("values: fake_dtypes").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("fake_dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Adds components of an element to a staging area with keys, waiting while the area is full.

key: The element's key.
indices: Which components.
capacity: The most elements it holds; 0 for any number.
memory_limit: The most bytes it holds; 0 for any number.
dtypes: The types of all components.`)
	registry.Define("MapPeek").
		Input("key: int64").Input("indices: int32").Output("values: dtypes").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Gives components of an element of a staging area with keys, waiting until it is complete.

key: The element's key.
indices: Which components.
capacity: As MapStage has it.
memory_limit: As MapStage has it.
dtypes: The types of all components.`)
	registry.Define("MapUnstage").
		Input("key: int64").Input("indices: int32").Output("values: dtypes").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Takes components of an element from a staging area with keys, waiting until it is complete.

key: The element's key.
indices: Which components.
capacity: As MapStage has it.
memory_limit: As MapStage has it.
dtypes: The types of all components.`)
	registry.Define("MapUnstageNoKey").
		Input("indices: int32").Output("key: int64").Output("values: dtypes").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Takes components of the complete element with the lowest key from a staging area with keys, waiting until there is one.

indices: Which components.
key: The element's key.
capacity: As MapStage has it.
memory_limit: As MapStage has it.
dtypes: The types of all components.`)
	registry.Define("MapSize").
		Output("size: int32").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Tells the number of complete elements of a staging area with keys.

capacity: As MapStage has it.
memory_limit: As MapStage has it.
dtypes: The types of all components.`)
	registry.Define("MapIncompleteSize").
		Output("size: int32").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Tells the number of elements of a staging area with keys that lack components.

capacity: As MapStage has it.
memory_limit: As MapStage has it.
dtypes: The types of all components.`)
	registry.Define("MapClear").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Removes all elements of a staging area with keys.

capacity: As MapStage has it.
memory_limit: As MapStage has it.
dtypes: The types of all components.`)
	registry.Define("OrderedMapStage").
		Input("key: int64").Input("indices: int32").Input("values: fake_dtypes").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("fake_dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Adds components of an element to a staging area with ordered keys, waiting while the area is full.

key: The element's key.
indices: Which components.
capacity: The most elements it holds; 0 for any number.
memory_limit: The most bytes it holds; 0 for any number.
dtypes: The types of all components.`)
	registry.Define("OrderedMapPeek").
		Input("key: int64").Input("indices: int32").Output("values: dtypes").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Gives components of an element of a staging area with ordered keys, waiting until it is complete.

key: The element's key.
indices: Which components.
capacity: As OrderedMapStage has it.
memory_limit: As OrderedMapStage has it.
dtypes: The types of all components.`)
	registry.Define("OrderedMapUnstage").
		Input("key: int64").Input("indices: int32").Output("values: dtypes").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Takes components of an element from a staging area with ordered keys, waiting until it is complete.

key: The element's key.
indices: Which components.
capacity: As OrderedMapStage has it.
memory_limit: As OrderedMapStage has it.
dtypes: The types of all components.`)
	registry.Define("OrderedMapUnstageNoKey").
		Input("indices: int32").Output("key: int64").Output("values: dtypes").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type) >= 1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Takes components of the complete element with the lowest key from a staging area with ordered keys, waiting until there is one.

indices: Which components.
key: The element's key.
capacity: As OrderedMapStage has it.
memory_limit: As OrderedMapStage has it.
dtypes: The types of all components.`)
	registry.Define("OrderedMapSize").
		Output("size: int32").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Tells the number of complete elements of a staging area with ordered keys.

capacity: As OrderedMapStage has it.
memory_limit: As OrderedMapStage has it.
dtypes: The types of all components.`)
	registry.Define("OrderedMapIncompleteSize").
		Output("size: int32").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Tells the number of elements of a staging area with ordered keys that lack components.

capacity: As OrderedMapStage has it.
memory_limit: As OrderedMapStage has it.
dtypes: The types of all components.`)
	registry.Define("OrderedMapClear").
		Attr("capacity: int >= 0 = 0").
		Attr("memory_limit: int >= 0 = 0").
		Attr("dtypes: list(type)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Removes all elements of a staging area with ordered keys.

capacity: As OrderedMapStage has it.
memory_limit: As OrderedMapStage has it.
dtypes: The types of all components.`)
}
