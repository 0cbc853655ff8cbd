package prediction

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
)

// examples returns the serialized Examples of an input, each with the context's features:
// messages one after another are merged.
func examples(in *messages.Input) []string {
	var list []string
	switch k := in.GetKind().(type) {
	case *messages.Input_ExampleList:
		for _, e := range k.ExampleList.GetExamples() {
			list = append(list, string(e))
		}
	case *messages.Input_ExampleListWithContext:
		for _, e := range k.ExampleListWithContext.GetExamples() {
			list = append(list, string(k.ExampleListWithContext.GetContext())+string(e))
		}
	}
	return list
}

func (s *server) classify(ctx context.Context, r *messages.ClassificationRequest) (*messages.ClassificationResponse, error) {
	of, u, err := s.run(ctx, r.GetModelSpec())
	if err != nil {
		return nil, err
	}
	defer u.Close()
	result, err := classes(ctx, u, of.Signature, examples(r.GetInput()))
	if err != nil {
		return nil, err
	}
	return &messages.ClassificationResponse{Result: result, ModelSpec: used(of, u.Version())}, nil
}

func (s *server) regress(ctx context.Context, r *messages.RegressionRequest) (*messages.RegressionResponse, error) {
	of, u, err := s.run(ctx, r.GetModelSpec())
	if err != nil {
		return nil, err
	}
	defer u.Close()
	result, err := regressions(ctx, u, of.Signature, examples(r.GetInput()))
	if err != nil {
		return nil, err
	}
	return &messages.RegressionResponse{Result: result, ModelSpec: used(of, u.Version())}, nil
}

func classes(ctx context.Context, u serve.Use, signature string, examples []string) (*messages.ClassificationResult, error) {
	in, err := serve.Examples(u.Model(), signature, serve.MethodClassify, examples)
	if err != nil {
		return nil, err
	}
	out, err := u.Run(ctx, signature, in)
	if err != nil {
		return nil, err
	}
	list, err := serve.Classes(out, len(examples))
	if err != nil {
		return nil, err
	}
	result := &messages.ClassificationResult{}
	for _, classes := range list {
		c := &messages.Classifications{}
		for _, x := range classes {
			c.Classes = append(c.Classes, &messages.Class{Label: strings.ToValidUTF8(x.Label, "\uFFFD"), Score: x.Score})
		}
		result.Classifications = append(result.Classifications, c)
	}
	return result, nil
}

func regressions(ctx context.Context, u serve.Use, signature string, examples []string) (*messages.RegressionResult, error) {
	in, err := serve.Examples(u.Model(), signature, serve.MethodRegress, examples)
	if err != nil {
		return nil, err
	}
	out, err := u.Run(ctx, signature, in)
	if err != nil {
		return nil, err
	}
	list, err := serve.Regressions(out, len(examples))
	if err != nil {
		return nil, err
	}
	result := &messages.RegressionResult{}
	for _, x := range list {
		result.Regressions = append(result.Regressions, &messages.Regression{Value: x})
	}
	return result, nil
}

// multiInference runs several signatures of one model on the same Examples.
func (s *server) multiInference(ctx context.Context, r *messages.MultiInferenceRequest) (*messages.MultiInferenceResponse, error) {
	if len(r.GetTasks()) == 0 {
		return nil, status.Invalid("Missing tasks")
	}
	first := r.GetTasks()[0].GetModelSpec()
	_, u, err := s.run(ctx, first)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	in := examples(r.GetInput())
	seen := map[string]bool{}
	reply := &messages.MultiInferenceResponse{}
	for _, task := range r.GetTasks() {
		of, err := spec(task.GetModelSpec())
		switch {
		case err != nil:
			return nil, err
		case of.Model != first.GetName():
			return nil, status.Invalid("All ModelSpecs in a MultiInferenceRequest must access the same model name.")
		case seen[of.Signature]:
			return nil, status.Invalid("Duplicate evaluation of signature: %s", of.Signature)
		}
		seen[of.Signature] = true
		result := &messages.InferenceResult{ModelSpec: used(of, u.Version())}
		switch task.GetMethodName() {
		case serve.MethodClassify:
			c, err := classes(ctx, u, of.Signature, in)
			if err != nil {
				return nil, err
			}
			result.Result = &messages.InferenceResult_ClassificationResult{ClassificationResult: c}
		case serve.MethodRegress:
			x, err := regressions(ctx, u, of.Signature, in)
			if err != nil {
				return nil, err
			}
			result.Result = &messages.InferenceResult_RegressionResult{RegressionResult: x}
		default:
			return nil, status.Errorf(status.Unimplemented, "Unsupported signature method_name: %s", task.GetMethodName())
		}
		reply.Results = append(reply.Results, result)
	}
	return reply, nil
}
