package lookup

import "github.com/troupe-go/troupe/shape"

func init() {
	// The handles of the first version are references to two strings.
	shape.Register(shape.Rule("-> table_handle: [2]"), "HashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable")
	shape.Register(shape.Scalars, "HashTableV2", "AnonymousHashTable", "MutableHashTableV2", "MutableHashTableOfTensorsV2", "MutableDenseHashTableV2")

	shape.Register(shape.Rule("table_handle: [2], keys: [n], values: [n] ->"), "InitializeTable")
	shape.Register(shape.Rule("table_handle: [], keys: [n], values: [n] ->"), "InitializeTableV2")
	shape.Register(shape.Rule("table_handle: [2], filename: [] ->"), "InitializeTableFromTextFile")
	shape.Register(shape.Rule("table_handle: [], filename: [] ->"), "InitializeTableFromTextFileV2")

	// Keys and values may be tensors, of a shape that the table knows.
	shape.Register(shape.UnknownOutputs, "LookupTableFind", "LookupTableFindV2", "LookupTableExport", "LookupTableExportV2")
	shape.Register(shape.NoOutputs, "LookupTableInsert", "LookupTableInsertV2", "LookupTableImport", "LookupTableImportV2", "LookupTableRemoveV2")
	shape.Register(shape.Scalars, "LookupTableSize", "LookupTableSizeV2")
}
