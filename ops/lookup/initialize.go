package lookup

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("InitializeTable").
		Input("table_handle: Ref(string)").Input("keys: Tkey").Input("values: Tval").
		Attr("Tkey: type").
		Attr("Tval: type").
		Doc("Fills a table behind a reference with keys and values.")
	registry.Define("InitializeTableV2").
		Input("table_handle: resource").Input("keys: Tkey").Input("values: Tval").
		Attr("Tkey: type").
		Attr("Tval: type").
		Stateful().
		Doc("Fills a table with keys and values.")
	registry.Define("InitializeTableFromTextFile").
		Input("table_handle: Ref(string)").Input("filename: string").
		Attr("key_index: int >= -2").
		Attr("value_index: int >= -2").
		Attr("vocab_size: int >= -1 = -1").
		Attr(`delimiter: string = '\t'`).
		Attr("offset: int = 0").
		Doc(`Fills a table behind a reference from the lines of a file.

filename: The file's path, a scalar.
key_index: Which column is the key; -1 is the line's number, -2 the whole line.
value_index: Which column is the value, counted likewise.
vocab_size: How many lines the file has; -1 if that is not known.
delimiter: What separates columns.
offset: What to add to the line's number.`)
	registry.Define("InitializeTableFromTextFileV2").
		Input("table_handle: resource").Input("filename: string").
		Attr("key_index: int >= -2").
		Attr("value_index: int >= -2").
		Attr("vocab_size: int >= -1 = -1").
		Attr(`delimiter: string = '\t'`).
		Attr("offset: int = 0").
		Stateful().
		Doc(`Fills a table from the lines of a file.

filename: The file's path, a scalar.
key_index: Which column is the key; -1 is the line's number, -2 the whole line.
value_index: Which column is the value, counted likewise.
vocab_size: How many lines the file has; -1 if that is not known.
delimiter: What separates columns.
offset: What to add to the line's number.`)
	registry.Define("LookupTableImport").
		Input("table_handle: Ref(string)").Input("keys: Tin").Input("values: Tout").
		Attr("Tin: type").
		Attr("Tout: type").
		Doc(`Replaces the contents of a table behind a reference.

keys: The keys.
values: The value of each key.`)
	registry.Define("LookupTableImportV2").
		Input("table_handle: resource").Input("keys: Tin").Input("values: Tout").
		Attr("Tin: type").
		Attr("Tout: type").
		Stateful().
		Doc(`Replaces the contents of a table.

keys: The keys.
values: The value of each key.`)
	registry.Define("LookupTableExport").
		Input("table_handle: Ref(string)").Output("keys: Tkeys").Output("values: Tvalues").
		Attr("Tkeys: type").
		Attr("Tvalues: type").
		Doc(`Gives all keys and values of a table behind a reference.

Tkeys: The type of the keys.
Tvalues: The type of the values.`)
	registry.Define("LookupTableExportV2").
		Input("table_handle: resource").Output("keys: Tkeys").Output("values: Tvalues").
		Attr("Tkeys: type").
		Attr("Tvalues: type").
		Stateful().
		Doc(`Gives all keys and values of a table, in no particular order.

Tkeys: The type of the keys.
Tvalues: The type of the values.`)
}
