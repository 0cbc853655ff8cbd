package serve

import (
	"cmp"
	"strconv"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
)

// A LiveSession is the session of a version, for who looks at what it does.
type LiveSession struct {
	Name    string // the model's name and the version, as "digits/2"
	Session *session.Session
}

// Sessions returns the sessions of the versions that are loaded and have not ended, by name.
func (m *Manager) Sessions() []LiveSession {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []LiveSession
	for v := range m.living {
		if v.saved != nil && v.state != End {
			all = append(all, LiveSession{v.name + "/" + strconv.FormatInt(v.number, 10), v.saved.Session})
		}
	}
	sorted.By(all, func(a, b LiveSession) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
