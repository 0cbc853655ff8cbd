package data

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("GetSessionHandle").
		Input("value: T").Output("handle: string").
		Attr("T: type").
		Stateful().
		Doc("Keeps a tensor in the session, and names it by a string.")
	registry.Define("GetSessionHandleV2").
		Input("value: T").Output("handle: resource").
		Attr("T: type").
		Stateful().
		Doc("Keeps a tensor in the session, and names it by a handle.")
	registry.Define("GetSessionTensor").
		Input("handle: string").Output("value: dtype").
		Attr("dtype: type").
		Stateful().
		Doc("Gives a tensor that the session keeps.")
	registry.Define("DeleteSessionTensor").
		Input("handle: string").
		Stateful().
		Doc("Deletes a tensor that the session keeps.")
}
