package session

// Version returns the version of TensorFlow whose behavior Troupe follows. The binding's
// function of this name returns the version of the library that it links.
func Version() string { return "2.21.0" }
