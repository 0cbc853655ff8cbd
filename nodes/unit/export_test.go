package unit

// Scalars is the form after its scalars were found, as text; see String.
func (f *Form) Scalars() string {
	f.scalars(&credit{left: 1 << 30, until: 0})
	return f.String()
}
