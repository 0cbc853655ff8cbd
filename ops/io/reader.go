package io

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("IdentityReaderV2").
		Output("reader_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc("Makes a reader that gives each item of its queue back, as key and as value.")
	registry.Define("TextLineReaderV2").
		Output("reader_handle: resource").
		Attr("skip_header_lines: int = 0").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a reader that gives the lines of the files whose names its queue holds.

skip_header_lines: How many lines at the beginning of each file are left out.`)
	registry.Define("WholeFileReaderV2").
		Output("reader_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc("Makes a reader that gives the name and the contents of each file whose name its queue holds.")
	registry.Define("ReaderReadV2").
		Input("reader_handle: resource").Input("queue_handle: resource").Output("key: string").
		Output("value: string").
		Stateful().
		Doc(`Reads the next record, taking another item from the queue when the last is exhausted.

reader_handle: The reader.
queue_handle: A queue of strings, such as names of files.
key: What identifies the record.
value: The record.`)
}
