package config_test

import (
	"fmt"

	"github.com/troupe-go/troupe/serve/config"
)

// The file of a server that moves from TensorFlow Serving.
func ExampleParseText() {
	models, err := config.ParseText([]byte(`
model_config_list {
  config {
    name: "digits"
    base_path: "/models/digits"
    model_platform: "tensorflow"
    model_version_policy { latest { num_versions: 2 } }
  }
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range models {
		fmt.Println(m.Name, m.Path, m.Policy.Latest)
	}
	// Output: digits /models/digits 2
}
