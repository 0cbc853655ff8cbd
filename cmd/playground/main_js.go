package main

import (
	"context"
	"syscall/js"

	"github.com/troupe-go/troupe/view/playground"
)

func main() {
	global := js.Global()
	global.Set("troupeRun", function(playground.Run))
	global.Set("troupeExplore", function(playground.Explore))
	list := js.ValueOf([]any{})
	for _, name := range playground.Examples() {
		if text, err := playground.Example(name); err == nil {
			list.Call("push", js.ValueOf(map[string]any{"name": name, "text": text}))
		}
	}
	global.Call("troupeReady", list)
	select {} // it is called as long as the page is open
}

// function makes a function of JavaScript, from a text, or the bytes of a file, to a promise
// of {text, page}.
func function(f func(context.Context, string) playground.Result) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		text := ""
		if len(args) > 0 {
			if a := args[0]; a.Type() == js.TypeString {
				text = a.String()
			} else if a.InstanceOf(js.Global().Get("Uint8Array")) {
				b := make([]byte, a.Get("length").Int())
				js.CopyBytesToGo(b, a)
				text = string(b)
			}
		}
		var executor js.Func
		executor = js.FuncOf(func(_ js.Value, settle []js.Value) any {
			resolve := settle[0]
			go func() {
				defer executor.Release()
				r := f(context.Background(), text)
				resolve.Invoke(js.ValueOf(map[string]any{"text": r.Text, "page": r.Page}))
			}()
			return nil
		})
		return js.Global().Get("Promise").New(executor)
	})
}
