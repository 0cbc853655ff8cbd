package prediction

import (
	"testing"

	"github.com/troupe-go/troupe/serve/prediction/messages"
)

// TestLabels: a label that is no UTF-8, which a message cannot hold, is sent with its
// other bytes replaced.
func TestLabels(t *testing.T) {
	call := client(t)
	input := &messages.Input{Kind: &messages.Input_ExampleList{ExampleList: &messages.ExampleList{Examples: [][]byte{[]byte("a\xe1")}}}}
	reply := &messages.ClassificationResponse{}
	if err := call("PredictionService/Classify", &messages.ClassificationRequest{ModelSpec: of("class"), Input: input}, reply); err != nil {
		t.Fatal(err)
	}
	if got := reply.GetResult().GetClassifications()[0].GetClasses()[0].GetLabel(); got != "a\uFFFD" {
		t.Errorf("%q", got)
	}
}
