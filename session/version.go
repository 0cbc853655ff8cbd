package session

// Version is the version of TensorFlow whose graphs and answers are followed,
// as the binding's function of this name says it of the library it links.
func Version() string { return "2.21.0" }
