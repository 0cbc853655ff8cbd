package session

import (
	"reflect"
	"testing"

	"github.com/troupe-go/troupe/status"
)

func TestParseCluster(t *testing.T) {
	want := map[string][]string{"ps": {"a:1"}, "worker": {"b:2", "c:3"}}
	const text = `job { name: "ps" tasks { key: 0 value: "a:1" } } job { name: "worker" tasks { key: 1 value: "c:3" } tasks { key: 0 value: "b:2" } }`
	got, job, task, err := ParseClusterText([]byte("cluster { " + text + ` } job_name: "worker" task_index: 1 protocol: "grpc" port: 7`))
	if err != nil || !reflect.DeepEqual(got, want) || job != "worker" || task != 1 {
		t.Error(got, job, task, err)
	}
	if got, job, _, err = ParseClusterText([]byte(text)); err != nil || !reflect.DeepEqual(got, want) || job != "" {
		t.Error(got, job, err)
	}
	const file = "cluster:\n  ps: [\"a:1\"]\n  worker: [\"b:2\", \"c:3\"]\ntask: {type: worker, index: 1}\n"
	if got, job, task, err = ParseClusterYAML([]byte(file)); err != nil || !reflect.DeepEqual(got, want) || job != "worker" || task != 1 {
		t.Error(got, job, task, err)
	}
	if got, _, _, err = ParseClusterYAML([]byte(`{"cluster": {"ps": ["a:1"], "worker": ["b:2", "c:3"]}, "task": {"type": "ps", "index": 0}}`)); err != nil || !reflect.DeepEqual(got, want) {
		t.Error(got, err)
	}
	for _, bad := range []string{"", "nonsense", `job { tasks { key: 0 value: "a:1" } }`, `job { name: "ps" tasks { key: 1 value: "a:1" } }`, `job { name: "a" } job { name: "a" }`} {
		if _, _, _, err := ParseClusterText([]byte(bad)); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, _, _, err := ParseClusterText([]byte(`cluster { ` + text + ` } protocol: "grpc+verbs"`)); status.CodeOf(err) != status.Unimplemented {
		t.Error(err)
	}
	for _, bad := range []string{"", "cluster: 3", "clutser: {ps: [a]}"} {
		if _, _, _, err := ParseClusterYAML([]byte(bad)); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
