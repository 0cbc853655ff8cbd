package lookup

import (
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	// The handles of the first version are references to two strings.
	shape.Register(shape.Rule("-> table_handle: [2]"), "HashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable")
	shape.Register(shape.Scalars, "HashTableV2", "AnonymousHashTable")
	shape.Register(mutableTableShape, "MutableHashTableV2", "MutableHashTableOfTensorsV2", "AnonymousMutableHashTable", "AnonymousMutableHashTableOfTensors")
	shape.Register(denseTableShape, "MutableDenseHashTableV2", "AnonymousMutableDenseHashTable")

	shape.Register(shape.Rule("table_handle: [2], keys: [n], values: [n] ->"), "InitializeTable")
	shape.Register(shape.Rule("table_handle: [], keys: [n], values: [n] ->"), "InitializeTableV2")
	shape.Register(shape.Rule("table_handle: [2], filename: [] ->"), "InitializeTableFromTextFile")
	shape.Register(shape.Rule("table_handle: [], filename: [] ->"), "InitializeTableFromTextFileV2")

	// Keys and values may be tensors, of a shape that the table knows.
	shape.Register(oldFindShape, "LookupTableFind")
	shape.Register(findShape, "LookupTableFindV2")
	shape.Register(shape.Rule("table_handle: [2] -> keys: [?], values: ?"), "LookupTableExport")
	shape.Register(shape.Rule("table_handle: [] -> keys: ?, values: ?"), "LookupTableExportV2")
	shape.Register(shape.Rule("table_handle: [2] ->"), "LookupTableInsert", "LookupTableImport")
	shape.Register(shape.Rule("table_handle: [] ->"), "LookupTableInsertV2")
	shape.Register(shape.Rule("table_handle: [], keys: [n], values: [n,...] ->"), "LookupTableImportV2")
	shape.Register(shape.Rule("table_handle: [], keys: [?,...] ->"), "LookupTableRemoveV2")
	shape.Register(shape.Rule("table_handle: [2] -> size: []"), "LookupTableSize")
	shape.Register(shape.Rule("table_handle: [] -> size: []"), "LookupTableSizeV2")
}

// mutableTableShape makes a table of scalar keys.
func mutableTableShape(c *shape.Context) error {
	value := shape.Scalar
	if c.Attrs.Find("value_shape") != nil {
		value = c.Shape("value_shape")
	}
	return madeTable(c, shape.Scalar, value)
}

// denseTableShape makes a table of keys like the one that marks what is empty.
func denseTableShape(c *shape.Context) error {
	return madeTable(c, c.Try(c.Input(0).WithRankAtMost(1)), c.Shape("value_shape"))
}

// madeTable makes output 0 the handle of a table of such keys and values.
func madeTable(c *shape.Context, key, value shape.Shape) error {
	c.SetOutput(0, shape.Scalar)
	c.SetHandle(0, shape.HandleData{Type: c.Type("key_dtype"), Shape: key}, shape.HandleData{Type: c.Type("value_dtype"), Shape: value})
	return c.Err()
}

// findShape has a value for each of the keys, whose last dimensions are those
// of one key, if the handle knows both.
func findShape(c *shape.Context) error {
	c.Try(c.Input(0).WithRank(0))
	if c.Err() != nil || !c.HasHandle(0) || len(c.InputHandles[0]) != 2 {
		return c.Err()
	}
	key, value := c.InputHandles[0][0], c.InputHandles[0][1]
	for _, of := range []struct{ have, want tensor.DType }{{key.Type, c.Type("Tin")}, {value.Type, c.Type("Tout")}} {
		if of.have != of.want {
			return status.Invalid("Trying to read value with wrong dtype. Expected %v got %v", of.have, of.want)
		}
	}
	keys := c.Input(1)
	if !keys.Known() || !key.Shape.Known() {
		return nil
	}
	if keys.Rank() < key.Shape.Rank() {
		return status.Invalid("Expected keys to have suffix %v but saw shape: %v", key.Shape, keys)
	}
	c.SetOutput(0, c.Try(shape.Concat(keys.To(keys.Rank()-key.Shape.Rank()), value.Shape)))
	return c.Err()
}

func oldFindShape(c *shape.Context) error {
	c.TryDim(shape.WithValue(c.Try(c.Input(0).WithRank(1)).Dim(0), 2))
	c.Try(c.Input(2).WithRankAtMost(1))
	return c.Err()
}
