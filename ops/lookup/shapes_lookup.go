package lookup

import "github.com/troupe-go/troupe/shape"

func init() {
	// The handles of the first version are references to two strings.
	shape.Register(shape.Rule("-> table_handle: [2]"), "HashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable")
	shape.Register(shape.Scalars, "HashTableV2", "AnonymousHashTable", "MutableHashTableV2", "MutableHashTableOfTensorsV2")
	shape.Register(denseTableShape, "MutableDenseHashTableV2")

	shape.Register(shape.Rule("table_handle: [2], keys: [n], values: [n] ->"), "InitializeTable")
	shape.Register(shape.Rule("table_handle: [], keys: [n], values: [n] ->"), "InitializeTableV2")
	shape.Register(shape.Rule("table_handle: [2], filename: [] ->"), "InitializeTableFromTextFile")
	shape.Register(shape.Rule("table_handle: [], filename: [] ->"), "InitializeTableFromTextFileV2")

	// Keys and values may be tensors, of a shape that the table knows.
	shape.Register(oldFindShape, "LookupTableFind")
	shape.Register(shape.Rule("table_handle: [] -> values: ?"), "LookupTableFindV2")
	shape.Register(shape.Rule("table_handle: [2] -> keys: [?], values: ?"), "LookupTableExport")
	shape.Register(shape.Rule("table_handle: [] -> keys: ?, values: ?"), "LookupTableExportV2")
	shape.Register(shape.Rule("table_handle: [2] ->"), "LookupTableInsert", "LookupTableImport")
	shape.Register(shape.Rule("table_handle: [] ->"), "LookupTableInsertV2")
	shape.Register(shape.Rule("table_handle: [], keys: [n], values: [n,...] ->"), "LookupTableImportV2")
	shape.Register(shape.Rule("table_handle: [], keys: [?,...] ->"), "LookupTableRemoveV2")
	shape.Register(shape.Rule("table_handle: [2] -> size: []"), "LookupTableSize")
	shape.Register(shape.Rule("table_handle: [] -> size: []"), "LookupTableSizeV2")
}

func denseTableShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRankAtMost(1))
	c.SetOutput(0, shape.Scalar)
	return c.Err()
}

func oldFindShape(c *shape.Context) error {
	c.TryDim(shape.WithValue(c.Try(c.Input(0).WithRank(1)).Dim(0), 2))
	c.Try(c.Input(2).WithRankAtMost(1))
	return c.Err()
}
