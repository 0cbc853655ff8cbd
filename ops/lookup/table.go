package lookup

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("HashTable").
		Output("table_handle: Ref(string)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that is filled once, behind a reference.")
	registry.Define("HashTableV2").
		Output("table_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that is filled once.")
	registry.Define("AnonymousHashTable").
		Output("table_handle: resource").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that is filled once, and that lives as long as its handle.")
	registry.Define("MutableHashTable").
		Output("table_handle: Ref(string)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that can be changed, of scalar values, behind a reference.")
	registry.Define("MutableHashTableV2").
		Output("table_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that can be changed, of scalar values.")
	registry.Define("MutableHashTableOfTensors").
		Output("table_handle: Ref(string)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Stateful().
		Doc(`Makes a table that can be changed, of vectors, behind a reference.

value_shape: The shape of every value.`)
	registry.Define("MutableHashTableOfTensorsV2").
		Output("table_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Stateful().
		Doc(`Makes a table that can be changed, of vectors.

value_shape: The shape of every value.`)
	registry.Define("MutableDenseHashTable").
		Input("empty_key: key_dtype").Output("table_handle: Ref(string)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Attr("initial_num_buckets: int = 131072").
		Attr("max_load_factor: float = 0.8").
		Stateful().
		Doc(`Makes a table that can be changed, in open addressing, behind a reference.

empty_key: A key that is never used, for empty buckets.
value_shape: The shape of every value.
initial_num_buckets: How many buckets to begin with, a power of 2.
max_load_factor: How full the table gets before it grows.`)
	registry.Define("MutableDenseHashTableV2").
		Input("empty_key: key_dtype").Input("deleted_key: key_dtype").Output("table_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Attr("initial_num_buckets: int = 131072").
		Attr("max_load_factor: float = 0.8").
		Stateful().
		Doc(`Makes a table that can be changed, in open addressing.

empty_key: A key that is never used, for empty buckets.
deleted_key: Another such key, for deleted entries.
value_shape: The shape of every value.
initial_num_buckets: How many buckets to begin with, a power of 2.
max_load_factor: How full the table gets before it grows.`)
}
