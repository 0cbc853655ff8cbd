// Package config reads which models to serve from files: TensorFlow Serving's
// models.config, which is text of a ModelServerConfig, and YAML, which says more.
//
//	models:
//	  - name: digits
//	    path: models/digits     # below the file's folder, unless it is absolute
//	    versions: {latest: 2}   # or {all: true}, or {specific: [3, 4]}; default: the greatest
//	    labels: {stable: 3}
//	    canary: {share: 0.05}   # of requests that name no version, to the greatest one,
//	                            # or to that of "version"
//	    weight: 2               # its part of the machine where models wait, next to others'
//	    running: 8              # requests at a time
//	    waiting: 256            # more of them
//	    timeout: 500ms          # of a request, waiting included
//	    memory: 2GiB            # of tensors of a version
//	    warmup: [examples.json] # requests as REST has them, run before a version is served
//
// [Unmarshal] reads the binary form, which HandleReloadConfigRequest brings.
package config

//go:generate protoc --proto_path=messages --go_out=messages --go_opt=module=github.com/troupe-go/troupe/serve/config/messages serving_config.proto
