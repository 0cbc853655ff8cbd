package deploy

import (
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestComposeCluster: the command takes the arguments of compose-cluster.yaml, the session server
// has the workers that are there, and no port is open to other machines.
func TestComposeCluster(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Command, Ports, Secrets []string
		}
		Secrets map[string]any
	}
	text, err := os.ReadFile("compose-cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	workers, named := map[string]bool{}, map[string]bool{} // as JOB-TASK:PORT
	for name, s := range file.Services {
		values := map[string]string{}
		for _, a := range s.Command[1:] {
			flag, value, _ := strings.Cut(a, "=")
			if flag == "--workers" {
				_, list, _ := strings.Cut(value, "=")
				for _, address := range strings.Split(list, ",") {
					named[address] = true
				}
			}
			values[flag] = value
		}
		if s.Command[0] == "worker" {
			address := values["--job"] + "-" + values["--task"] + ":2222"
			if workers[address] = true; address != name+":2222" || values["--advertise"] != address {
				t.Errorf("%s is %s and advertises %s", name, address, values["--advertise"])
			}
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s opens %s to other machines", name, port)
			}
		}
		if !reflect.DeepEqual(s.Secrets, []string{"token"}) || file.Secrets["token"] == nil || values["--cluster-token-file"] != "/run/secrets/token" {
			t.Errorf("%s has no token", name)
		}
		args := append([]string{"-C", "../..", "run", "./cmd/troupe"}, s.Command...)
		cmd := exec.Command("go", append(args, "--help")...) // flags are read first
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	if len(workers) != 3 || !reflect.DeepEqual(named, workers) {
		t.Errorf("the session server has the workers %v; there are %v", named, workers)
	}
}
