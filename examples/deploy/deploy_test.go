package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/yaml"
)

// TestKubernetes: every document has only fields that Kubernetes knows, names refer to
// what is there, and the command takes its arguments.
func TestKubernetes(t *testing.T) {
	text, err := os.ReadFile("kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config corev1.ConfigMap
	var claim corev1.PersistentVolumeClaim
	var deployment appsv1.Deployment
	var service corev1.Service
	kinds := map[string]any{"ConfigMap": &config, "PersistentVolumeClaim": &claim, "Deployment": &deployment, "Service": &service}
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		var kind struct{ Kind string }
		if err := yaml.Unmarshal(doc, &kind); err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(doc, kinds[kind.Kind]); err != nil {
			t.Errorf("%s: %v", kind.Kind, err)
		}
		delete(kinds, kind.Kind)
	}
	if len(kinds) > 0 {
		t.Fatalf("missing: %v", kinds)
	}
	pod := deployment.Spec.Template.Spec
	c := pod.Containers[0]
	for _, p := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
		if p.HTTPGet == nil || p.HTTPGet.Port != intstr.FromString("admin") {
			t.Errorf("a probe asks elsewhere: %v", p)
		}
	}
	if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/healthz" {
		t.Error("probes ask for other pages")
	}
	var ports, volumes []string
	for _, p := range c.Ports {
		ports = append(ports, p.Name)
	}
	for _, v := range pod.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, p := range service.Spec.Ports {
		if !slices.Contains(ports, p.TargetPort.StrVal) {
			t.Errorf("the service's port %s is not the container's", p.Name)
		}
	}
	for _, m := range c.VolumeMounts {
		if !slices.Contains(volumes, m.Name) {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
	for key, value := range deployment.Spec.Selector.MatchLabels {
		if deployment.Spec.Template.Labels[key] != value || service.Spec.Selector[key] != value {
			t.Errorf("the label %s selects other pods", key)
		}
	}
	accepts(t, c.Args, config.Data["models.yaml"])
}

// TestCompose: the command takes the arguments of compose.yaml.
func TestCompose(t *testing.T) {
	var file struct {
		Services map[string]struct{ Command []string }
	}
	text, err := os.ReadFile("compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	models, err := os.ReadFile("models.yaml")
	if err != nil {
		t.Fatal(err)
	}
	accepts(t, file.Services["troupe"].Command, string(models))
}

// accepts runs the command to check its configuration, with the model of the examples.
func accepts(t *testing.T, args []string, models string) {
	t.Helper()
	digits, err := filepath.Abs("../serve/digits")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"models.yaml": strings.NewReplacer("/models/digits", digits, "path: digits", "path: "+digits).Replace(models),
		"token":       "secret",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := []string{"-C", "../..", "run", "./cmd/troupe"}
	for _, a := range args {
		name, file, ok := strings.Cut(a, "=/")
		if ok {
			a = name + "=" + filepath.Join(dir, filepath.Base(file))
		}
		list = append(list, a)
	}
	cmd := exec.Command("go", append(list, "--check", "--quiet")...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "digits version 1 AVAILABLE") {
		t.Errorf("%v: %s", err, out)
	}
}
