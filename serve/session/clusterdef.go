package session

import (
	"github.com/goccy/go-yaml"
	"google.golang.org/protobuf/encoding/prototext"

	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// ParseClusterText reads the text of a TensorFlow ServerDef, whose job_name and task_index are
// returned if it has them, or of its ClusterDef: the addresses of tasks, for
// [Options].Workers. It fails with INVALID_ARGUMENT for a mistake in it, with its line.
func ParseClusterText(text []byte) (addresses map[string][]string, job string, task int, err error) {
	def := new(master.ServerDef)
	if err := wire.UnmarshalText(prototext.UnmarshalOptions{DiscardUnknown: true}, text, def); err != nil {
		return nil, "", 0, status.Invalid("no ServerDef: %v", err)
	}
	if def.Cluster == nil {
		def.Cluster = new(master.ClusterDef)
		if err := wire.UnmarshalText(prototext.UnmarshalOptions{DiscardUnknown: true}, text, def.Cluster); err != nil {
			return nil, "", 0, status.Invalid("no ClusterDef: %v", err)
		}
	}
	if p := def.GetProtocol(); p != "" && p != "grpc" {
		return nil, "", 0, status.Errorf(status.Unimplemented, "protocol %q is not supported: grpc is", p)
	}
	addresses = map[string][]string{}
	for _, j := range def.GetCluster().GetJob() {
		if j.GetName() == "" {
			return nil, "", 0, status.Invalid("a job has no name")
		}
		if addresses[j.GetName()] != nil {
			return nil, "", 0, status.Invalid("job %s is there twice", j.GetName())
		}
		list := []string{}
		for i := range len(j.GetTasks()) {
			address, ok := j.GetTasks()[int32(i)]
			if !ok {
				return nil, "", 0, status.Invalid("job %s has %d tasks, and none of number %d", j.GetName(), len(j.GetTasks()), i)
			}
			list = append(list, address)
		}
		addresses[j.GetName()] = list
	}
	if len(addresses) == 0 {
		return nil, "", 0, status.Invalid("the configuration has no jobs")
	}
	return addresses, def.GetJobName(), int(def.GetTaskIndex()), nil
}

// ParseClusterYAML reads the addresses of tasks by job from YAML, as TF_CONFIG has them:
//
//	cluster:
//	  ps: [10.0.0.1:2222]
//	  worker: [10.0.0.2:2222, 10.0.0.3:2222]
//	task: {type: worker, index: 1}   # may be left out
//
// It fails with INVALID_ARGUMENT for a mistake in it, with its line.
func ParseClusterYAML(text []byte) (addresses map[string][]string, job string, task int, err error) {
	var file struct {
		Cluster map[string][]string `yaml:"cluster"`
		Task    struct {
			Type  string `yaml:"type"`
			Index int    `yaml:"index"`
		} `yaml:"task"`
	}
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return nil, "", 0, status.Invalid("%v", err)
	}
	if len(file.Cluster) == 0 {
		return nil, "", 0, status.Invalid("the configuration has no jobs: write cluster: {JOB: [HOST:PORT]}")
	}
	return file.Cluster, file.Task.Type, file.Task.Index, nil
}
