package serve

import (
	"math"
	"strconv"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

func floatBits(x float32) uint32 { return math.Float32bits(x) }

// A writer writes indented JSON of protocol buffers.
type writer struct {
	b      []byte
	indent int
	first  bool
}

// open begins an object or list, and do writes what is in it.
func (w *writer) open(brackets string, do func()) {
	w.b = append(w.b, brackets[0])
	w.indent++
	w.first = true
	do()
	w.indent--
	if !w.first {
		w.line()
	}
	w.b = append(w.b, brackets[1])
	w.first = false
}

func (w *writer) line() {
	w.b = append(w.b, '\n')
	for range w.indent {
		w.b = append(w.b, ' ')
	}
}

// next begins the next member or item.
func (w *writer) next(name string) {
	if !w.first {
		w.b = append(w.b, ',')
	}
	w.first = false
	if w.line(); name != "" {
		w.key(name)
	}
}

func (w *writer) key(name string) { w.b = append(appendText(w.b, name), ": "...) }

func (w *writer) text(name, value string) {
	w.next(name)
	w.b = appendText(w.b, value)
}

// status answers with the states of a model's versions.
func (h *rest) status(s Spec) ([]byte, error) {
	if s.Label != "" {
		u, err := h.m.Use(s)
		if err != nil {
			return nil, err
		}
		u.Close()
	}
	list, err := h.m.Status(s)
	if err != nil {
		return nil, err
	}
	var w writer
	w.open("{}", func() {
		w.next("model_version_status")
		w.open("[]", func() {
			for _, v := range list {
				w.next("")
				w.open("{}", func() {
					w.text("version", strconv.FormatInt(v.Version, 10))
					w.text("state", v.State.String())
					w.next("status")
					w.open("{}", func() {
						code, text := "OK", ""
						if v.Err != nil {
							e := status.From(v.Err)
							code, text = e.Code.String(), e.Error()
						}
						w.text("error_code", code)
						w.text("error_message", text)
					})
				})
			}
		})
	})
	return append(w.b, '\n'), nil
}

// metadata answers with the signatures of a version.
func (h *rest) metadata(s Spec) ([]byte, error) {
	u, err := h.m.Use(s)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	signatures := u.Model().Signatures
	var w writer
	w.open("{}", func() {
		w.next("model_spec")
		w.open("{}", func() {
			w.text("name", s.Model)
			w.text("signature_name", "")
			w.text("version", strconv.FormatInt(u.Version(), 10))
		})
		w.next("metadata")
		w.open("{}", func() {
			w.next("signature_def")
			w.open("{}", func() {
				w.next("signature_def")
				w.open("{}", func() {
					for _, name := range sorted.Keys(signatures) {
						w.next(name)
						w.signature(signatures[name])
					}
				})
			})
		})
	})
	return append(w.b, '\n'), nil
}

func (w *writer) signature(s model.Signature) {
	infos := func(name string, list map[string]model.TensorInfo) {
		w.next(name)
		w.open("{}", func() {
			for _, name := range sorted.Keys(list) {
				w.next(name)
				w.info(list[name])
			}
		})
	}
	w.open("{}", func() {
		infos("inputs", s.Inputs)
		infos("outputs", s.Outputs)
		w.text("method_name", s.MethodName)
	})
}

func (w *writer) info(t model.TensorInfo) {
	w.open("{}", func() {
		w.text("dtype", t.DType.ProtoName())
		w.next("tensor_shape")
		w.open("{}", func() {
			w.next("dim")
			dims, err := t.Shape.ToSlice() // which fails for an unknown rank
			w.open("[]", func() {
				for _, d := range dims {
					w.next("")
					w.open("{}", func() {
						w.text("size", strconv.FormatInt(d, 10))
						w.text("name", "")
					})
				}
			})
			w.next("unknown_rank")
			w.b = strconv.AppendBool(w.b, err != nil)
		})
		w.text("name", t.Name)
	})
}
