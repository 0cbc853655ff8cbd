package prediction

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve"
	config "github.com/troupe-go/troupe/serve/config/messages"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
)

// TestReload: a client chooses the models, if it may, and is told by how much counters that
// it names have increased. What cannot be applied is in the response.
func TestReload(t *testing.T) {
	m := serve.New(serve.Options{})
	t.Cleanup(func() { m.Close(context.Background()) })
	reads := int64(0)
	s := &server{m: m, reloads: true, counter: func(name string) (int64, bool) {
		reads++
		return 10 * reads, name == "/tensorflow/serving/known"
	}}
	ask := func(path string) *messages.ReloadConfigResponse {
		text, err := proto.Marshal(&config.ModelServerConfig{Config: &config.ModelServerConfig_ModelConfigList{ModelConfigList: &config.ModelConfigList{
			Config: []*config.ModelConfig{{Name: "m", BasePath: path, ModelPlatform: "tensorflow"}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := s.reload(t.Context(), &messages.ReloadConfigRequest{Config: text, MetricNames: []string{"/tensorflow/serving/known", "/tensorflow/serving/other"}})
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	reply := ask(filepath.Dir(double(t)))
	if reply.GetStatus().GetErrorCode() != 0 || strings.Join(m.Models(), " ") != "m" {
		t.Errorf("%v, %v", reply, m.Models())
	}
	if x := reply.GetMetric(); len(x) != 1 || x[0].GetName() != "/tensorflow/serving/known" || x[0].GetInt64ValueIncrease() != 20 {
		t.Errorf("%v", x)
	}
	if reply := ask(filepath.Join(t.TempDir(), "none")); status.Code(reply.GetStatus().GetErrorCode()) != status.NotFound || strings.Join(m.Models(), " ") != "m" {
		t.Errorf("%v, %v", reply, m.Models())
	}
	s.reloads = false
	if _, err := s.reload(t.Context(), &messages.ReloadConfigRequest{}); status.CodeOf(err) != status.PermissionDenied {
		t.Error(err)
	}
}
