package lookup

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("LookupTableFind").
		Input("table_handle: Ref(string)").Input("keys: Tin").Input("default_value: Tout").
		Output("values: Tout").
		Attr("Tin: type").
		Attr("Tout: type").
		Doc(`Looks keys up in a table behind a reference.

default_value: The value of keys that are not there.`)
	registry.Define("LookupTableFindV2").
		Input("table_handle: resource").Input("keys: Tin").Input("default_value: Tout").
		Output("values: Tout").
		Attr("Tin: type").
		Attr("Tout: type").
		Stateful().
		Doc(`Looks keys up in a table.

keys: The keys, in any shape.
default_value: The value of keys that are not there: one, or one for each key.
values: The value of each key, in the same shape.`)
	registry.Define("LookupTableInsert").
		Input("table_handle: Ref(string)").Input("keys: Tin").Input("values: Tout").
		Attr("Tin: type").
		Attr("Tout: type").
		Doc(`Sets the values of keys in a table behind a reference.

keys: The keys.
values: The value of each key.`)
	registry.Define("LookupTableInsertV2").
		Input("table_handle: resource").Input("keys: Tin").Input("values: Tout").
		Attr("Tin: type").
		Attr("Tout: type").
		Stateful().
		Doc(`Sets the values of keys in a table.

keys: The keys.
values: The value of each key.`)
	registry.Define("LookupTableRemoveV2").
		Input("table_handle: resource").Input("keys: Tin").
		Attr("Tin: type").
		Stateful().
		Doc("Removes keys from a table; those that are not there are passed over.")
	registry.Define("LookupTableSize").
		Input("table_handle: Ref(string)").Output("size: int64").
		Doc("Tells the number of entries of a table behind a reference.")
	registry.Define("LookupTableSizeV2").
		Input("table_handle: resource").Output("size: int64").
		Stateful().
		Doc("Tells the number of entries of a table.")
}
