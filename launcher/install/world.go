package install

import "time"

// world is what the package takes as given: the pinned packages and the machine.
// Tests have another one.
type world struct {
	driver    pack
	node      func() (pack, bool)
	browsers  []family
	osRelease string // the file that names the distribution
	root      bool   // we are the superuser
	packages  string // the lock of whoever has the system's packages installed
	stall     time.Duration
}

func (i *Installer) on() *world {
	if i.world == nil {
		return thisWorld()
	}
	return i.world
}
