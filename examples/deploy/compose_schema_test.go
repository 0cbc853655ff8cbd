package deploy

import (
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
)

// TestComposeSchema reads the compose files as "docker compose config" does: they fit the schema
// of Compose, and what they refer to is there.
func TestComposeSchema(t *testing.T) {
	for _, name := range []string{"compose.yaml", "compose-cluster.yaml"} {
		o, err := cli.NewProjectOptions([]string{name}, cli.WithName("troupe"), cli.WithEnv([]string{"MODELS=/models", "TOKEN=/token"}))
		if err != nil {
			t.Fatal(err)
		}
		project, err := o.LoadProject(t.Context())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := project.CheckContainerNameUnicity(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(project.Services) == 0 {
			t.Errorf("%s has no services", name)
		}
	}
}
