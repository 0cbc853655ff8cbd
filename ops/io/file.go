package io

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("ReadFile").
		Input("filename: string").Output("contents: string").
		Doc(`Reads the contents of a file.

filename: Its path, a scalar.`)
	registry.Define("WriteFile").
		Input("filename: string").Input("contents: string").
		Stateful().
		Doc(`Writes a file, replacing what is there, and makes its directory if that is missing.

filename: Its path, a scalar.
contents: All that it is to hold, a scalar.`)
	registry.Define("MatchingFiles").
		Input("pattern: string").Output("filenames: string").
		Doc(`Lists the files whose names match patterns.

pattern: One pattern, or a vector of them, in which only the last part of the path may have wildcards.
filenames: The names in order.`)
	registry.Define("ShardedFilename").
		Input("basename: string").Input("shard: int32").Input("num_shards: int32").
		Output("filename: string").
		Doc(`Names one of the files that something is spread over: "base-00002-of-00010".

basename: What the name begins with.
shard: The number of the file, from 0.
num_shards: How many files there are.`)
	registry.Define("ShardedFilespec").
		Input("basename: string").Input("num_shards: int32").Output("filename: string").
		Doc("Makes the pattern of the names of all files that something is spread over: \"base-?????-of-00010\".")
}
