package registry

// A function's signature is a definition whose attributes say what they say: no
// minimum is implied, and names may be any that [UnmarshalOpDef] takes.

// AddAttr adds an attribute to a signature, written as [Builder.Attr] has it.
func (d *OpDef) AddAttr(spec string) error {
	a, err := parseAttr(spec)
	if err == nil {
		d.Attrs = append(d.Attrs, a)
	}
	return err
}

// AddInput adds an input to a signature, written as [Builder.Input] has it.
// The attributes that it refers to must be there.
func (d *OpDef) AddInput(spec string) error {
	a, err := d.parseArg(spec)
	if err == nil {
		d.Inputs = append(d.Inputs, a)
	}
	return err
}

// AddOutput adds an output to a signature, written as an input is.
func (d *OpDef) AddOutput(spec string) error {
	a, err := d.parseArg(spec)
	if err == nil {
		d.Outputs = append(d.Outputs, a)
	}
	return err
}
