package data

import "github.com/troupe-go/troupe/registry"

func init() {
	defineKeyed("Map", "a staging area with keys")
	defineKeyed("OrderedMap", "a staging area with ordered keys")
}

// defineKeyed defines the operations of one kind of staging area with keys. The two
// kinds differ in names alone: areas without order are ordered too.
func defineKeyed(family, area string) {
	const key, indices = "key: The element's key.\n", "indices: Which components.\n"
	define := func(name, types, does, arguments string) *registry.Builder {
		b := registry.Define(family + name).
			Attr("capacity: int >= 0 = 0").
			Attr("memory_limit: int >= 0 = 0").
			Attr("dtypes: " + types)
		limits := "capacity: As " + family + "Stage has it.\nmemory_limit: As " + family + "Stage has it.\n"
		if name == "Stage" {
			b.Attr("fake_dtypes: list(type) >= 1")
			limits = "capacity: The most elements it holds; 0 for any number.\nmemory_limit: The most bytes it holds; 0 for any number.\n"
		}
		return b.
			Attr("container: string = ''").
			Attr("shared_name: string = ''").
			Stateful().
			Doc(does + "\n\n" + arguments + limits + "dtypes: The types of all components.")
	}
	define("Stage", "list(type)", "Adds components of an element to "+area+", waiting while the area is full.", key+indices).
		Input("key: int64").Input("indices: int32").Input("values: fake_dtypes").Traits(registry.Synchronizes)
	define("Peek", "list(type) >= 1", "Gives components of an element of "+area+", waiting until it is complete.", key+indices).
		Input("key: int64").Input("indices: int32").Output("values: dtypes").Traits(registry.Synchronizes)
	define("Unstage", "list(type) >= 1", "Takes components of an element from "+area+", waiting until it is complete.", key+indices).
		Input("key: int64").Input("indices: int32").Output("values: dtypes").Traits(registry.Synchronizes)
	define("UnstageNoKey", "list(type) >= 1", "Takes components of the complete element with the lowest key from "+area+", waiting until there is one.", indices+key).
		Input("indices: int32").Output("key: int64").Output("values: dtypes").Traits(registry.Synchronizes)
	define("Size", "list(type)", "Returns the number of complete elements of "+area+".", "").
		Output("size: int32")
	define("IncompleteSize", "list(type)", "Returns the number of elements of "+area+" that lack components.", "").
		Output("size: int32")
	define("Clear", "list(type)", "Removes all elements of "+area+".", "")
}
