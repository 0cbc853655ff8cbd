package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

// TestCluster: every document has only fields that Kubernetes knows, services select pods that
// are there and have the ports that are looked up, and the command takes its arguments.
func TestCluster(t *testing.T) {
	text, err := os.ReadFile("cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pods := map[string]corev1.PodTemplateSpec{} // by the label app
	services := map[string]corev1.Service{}
	sets := map[string]appsv1.StatefulSet{}
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal(doc, &kind); err != nil {
			t.Fatal(err)
		}
		var err error
		switch kind.Kind {
		case "Service":
			var s corev1.Service
			err = yaml.UnmarshalStrict(doc, &s)
			services[s.Name] = s
		case "StatefulSet":
			var s appsv1.StatefulSet
			err = yaml.UnmarshalStrict(doc, &s)
			sets[s.Name] = s
			pods[s.Spec.Selector.MatchLabels["app"]] = s.Spec.Template
		case "Deployment":
			var d appsv1.Deployment
			err = yaml.UnmarshalStrict(doc, &d)
			pods[d.Spec.Selector.MatchLabels["app"]] = d.Spec.Template
		case "NetworkPolicy":
			var p networkingv1.NetworkPolicy
			if err = yaml.UnmarshalStrict(doc, &p); pods[p.Spec.PodSelector.MatchLabels["app"]].Labels == nil {
				t.Errorf("the policy %s is for no pod", p.Name)
			}
		default:
			t.Errorf("unknown kind %s", kind.Kind)
		}
		if err != nil {
			t.Errorf("%s: %v", kind.Kind, err)
		}
	}
	for name, s := range services {
		pod, ok := pods[s.Spec.Selector["app"]]
		if !ok || pod.Labels["app"] != s.Spec.Selector["app"] {
			t.Errorf("service %s selects no pod", name)
			continue
		}
		if pod.Spec.Containers[0].Ports[0].Name != s.Spec.Ports[0].Name || pod.Spec.Containers[0].Ports[0].ContainerPort != s.Spec.Ports[0].Port {
			t.Errorf("service %s has another port than its pods", name)
		}
	}
	want := map[string]int{}
	for name, s := range sets {
		want[name] = int(*s.Spec.Replicas)
		if services[s.Spec.ServiceName].Spec.ClusterIP != "None" {
			t.Errorf("%s has no headless service", name)
		}
		for _, e := range s.Spec.Template.Spec.Containers[0].Env {
			if e.Name == "JOB" && e.Value != name {
				t.Errorf("%s is the job %s", name, e.Value)
			}
		}
	}
	if !reflect.DeepEqual(want, map[string]int{"ps": 1, "worker": 2}) {
		t.Errorf("--tasks says otherwise: %v", want)
	}
	values := strings.NewReplacer("$(POD)", "ps-0", "$(JOB)", "ps", "$(NAMESPACE)", "default", "$(TASK)", "0")
	for app, pod := range pods {
		args := []string{"-C", "../..", "run", "./cmd/troupe"}
		for _, a := range pod.Spec.Containers[0].Args {
			args = append(args, values.Replace(a))
		}
		cmd := exec.Command("go", append(args, "--help")...) // flags are read first
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", app, err, out)
		}
	}
}
