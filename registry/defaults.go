package registry

import "bytes"

// WithoutDefaults returns those of the attributes that do not have the default value that
// the definition gives.
func (d *OpDef) WithoutDefaults(all Attrs) Attrs {
	var attrs Attrs
	for i := range all {
		if a := &all[i]; !d.isDefault(a) {
			attrs = append(attrs, *a)
		}
	}
	return attrs
}

func (d *OpDef) isDefault(a *NamedAttr) bool {
	def := d.Attr(a.Name)
	if def == nil || def.Default == nil {
		return false
	}
	value, err := MarshalAttr(a.Value)
	if err != nil {
		return false
	}
	standard, err := MarshalAttr(*def.Default)
	return err == nil && bytes.Equal(value, standard)
}
