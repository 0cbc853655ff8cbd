package config

import (
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/config/messages"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// ParseText reads the text of a ModelServerConfig. It fails with INVALID_ARGUMENT for a
// mistake in it, with its line, and with UNIMPLEMENTED for what is not served here.
func ParseText(text []byte) ([]serve.Config, error) {
	m := new(messages.ModelServerConfig)
	if err := wire.UnmarshalText(prototext.UnmarshalOptions{}, text, m); err != nil {
		return nil, status.Invalid("%v", err)
	}
	return models(m)
}

// Unmarshal reads a serialized ModelServerConfig. It fails as [ParseText] does.
func Unmarshal(b []byte) ([]serve.Config, error) {
	m := new(messages.ModelServerConfig)
	if err := proto.Unmarshal(b, m); err != nil {
		return nil, status.Invalid("no ModelServerConfig: %v", err)
	}
	return models(m)
}

// models returns what a message configures.
func models(m *messages.ModelServerConfig) ([]serve.Config, error) {
	if _, custom := m.GetConfig().(*messages.ModelServerConfig_CustomModelConfig); custom {
		return nil, status.Errorf(status.Unimplemented, "custom_model_config is not supported: list the models in model_config_list")
	}
	var list []serve.Config
	for _, c := range m.GetModelConfigList().GetConfig() {
		out := serve.Config{Name: c.GetName(), Labels: c.GetVersionLabels()}
		var err error
		if out.Path, err = local(c.GetBasePath()); err != nil {
			return nil, err
		}
		if p := c.GetModelPlatform(); p != "" && p != "tensorflow" {
			return nil, status.Errorf(status.Unimplemented, "model '%s' has the platform '%s'; only tensorflow is served", c.GetName(), p)
		}
		if c.GetModelType() == messages.ModelConfig_OTHER {
			return nil, status.Errorf(status.Unimplemented, "model '%s' has the type OTHER; only TENSORFLOW is served", c.GetName())
		}
		switch p := c.GetModelVersionPolicy().GetPolicyChoice().(type) {
		case *messages.VersionPolicy_Latest_:
			out.Policy.Latest = int(min(p.Latest.GetNumVersions(), math.MaxInt32))
		case *messages.VersionPolicy_All_:
			out.Policy.All = true
		case *messages.VersionPolicy_Specific_:
			if out.Policy.Specific = p.Specific.GetVersions(); len(out.Policy.Specific) == 0 {
				return nil, status.Invalid("model '%s': the policy 'specific' names no version", c.GetName())
			}
		}
		list = append(list, out)
	}
	return list, nil
}

// local returns the path of a folder on this machine.
func local(path string) (string, error) {
	scheme, rest, ok := strings.Cut(path, "://")
	switch {
	case !ok:
		return path, nil
	case scheme == "file" && strings.HasPrefix(rest, "/"):
		return rest, nil
	}
	return "", status.Errorf(status.Unimplemented, "%s: models are read from the file system only; mount the storage, or copy the model", path)
}
