package verbs

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// StorageGetIn is the input of [LocalStorageGet] and [SessionStorageGet].
type StorageGetIn struct {
	Key string `json:"key,omitzero" arg:"0" help:"the key to read; without it all entries are listed"`
}

// StorageEntry is an entry of a page's storage.
type StorageEntry struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// StorageGetOut is the output of [LocalStorageGet] and [SessionStorageGet]: the value of a key, or
// all entries.
type StorageGetOut struct {
	Key     string
	Value   *string        // nil if the page has no such key
	Entries []StorageEntry // set if no key was requested; in the browser's order
}

// MarshalJSON encodes the key and its value, or all entries as the members of data.
func (o StorageGetOut) MarshalJSON() ([]byte, error) {
	if o.Key != "" {
		return json.Marshal(struct {
			Key   string  `json:"key"`
			Value *string `json:"value"`
		}{o.Key, o.Value})
	}
	data := make(map[string]string, len(o.Entries))
	for _, e := range o.Entries {
		data[e.Name] = e.Value
	}
	return json.Marshal(struct {
		Data map[string]string `json:"data"`
	}{data})
}

// UnmarshalJSON decodes what MarshalJSON encodes. The entries are then in no particular order.
func (o *StorageGetOut) UnmarshalJSON(raw []byte) error {
	var in struct {
		Key   string            `json:"key"`
		Value *string           `json:"value"`
		Data  map[string]string `json:"data"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	*o = StorageGetOut{Key: in.Key, Value: in.Value}
	for _, name := range slices.Sorted(maps.Keys(in.Data)) {
		o.Entries = append(o.Entries, StorageEntry{name, in.Data[name]})
	}
	return nil
}

// Text returns a line "key: value" for each entry.
func (o StorageGetOut) Text() string {
	if o.Key != "" && o.Value != nil {
		o.Entries = []StorageEntry{{o.Key, *o.Value}}
	}
	var all []string
	for _, e := range o.Entries {
		all = append(all, e.Name+": "+e.Value)
	}
	if len(all) == 0 {
		return "No storage entries"
	}
	return strings.Join(all, "\n")
}

// LocalStorageGet reads the local storage of the page's origin.
var LocalStorageGet = wire.Verb[StorageGetIn, StorageGetOut]{Spec: wire.Spec{
	Name: "storage local get", PageText: true, Aliases: []string{"storage local"}, Group: groupState, Short: "Read the local storage of the page's origin",
	Example: "abrowser storage local", ReadOnly: true,
}}

// SessionStorageGet reads the session storage of the page.
var SessionStorageGet = wire.Verb[StorageGetIn, StorageGetOut]{Spec: wire.Spec{
	Name: "storage session get", PageText: true, Aliases: []string{"storage session"}, Group: groupState, Short: "Read the session storage of the page",
	Example: "abrowser storage session", ReadOnly: true,
}}

// StorageSetIn is the input of [LocalStorageSet] and [SessionStorageSet].
type StorageSetIn struct {
	Key   string `json:"key" arg:"0" required:"true" help:"the key"`
	Value string `json:"value" arg:"1..." required:"true" help:"the value; words are joined by a space"`
}

// maxEntry is the size of the largest entry of a storage, in bytes of UTF-8. The size is that of
// the key and the value together.
const maxEntry = 5 << 20

// Check returns an error for an entry that is too large for a storage.
func (in StorageSetIn) Check() error {
	if len(in.Key)+len(in.Value) > maxEntry {
		return wire.Errorf(wire.CodeBadInput, "the entry has %d bytes; a storage has %d at most", len(in.Key)+len(in.Value), maxEntry).WithHint("abrowser help storage local set")
	}
	return nil
}

// LocalStorageSet sets an entry of the local storage of the page's origin.
var LocalStorageSet = wire.Verb[StorageSetIn, SetOut]{Spec: wire.Spec{
	Name: "storage local set", Group: groupState, Short: "Set an entry of the local storage of the page's origin",
	Long: "All sessions whose pages are at the origin share its local storage.", Example: "abrowser storage local set theme dark",
}}

// SessionStorageSet sets an entry of the session storage of the page.
var SessionStorageSet = wire.Verb[StorageSetIn, SetOut]{Spec: wire.Spec{
	Name: "storage session set", Group: groupState, Short: "Set an entry of the session storage of the page",
	Example: "abrowser storage session set step 2",
}}

// StorageClearOut is the output of [LocalStorageClear] and [SessionStorageClear].
type StorageClearOut struct {
	Cleared bool   `json:"cleared"`
	Removed int    `json:"removed"`         // the number of entries
	Origin  string `json:"origin,omitzero"` // the origin whose storage was cleared
}

// Text returns the number of removed entries and their origin.
func (o StorageClearOut) Text() string {
	return "removed " + counted(o.Removed, "entry", "entries") + " of " + o.Origin
}

// LocalStorageClear clears the local storage of the page's origin.
var LocalStorageClear = wire.Verb[Empty, StorageClearOut]{Spec: wire.Spec{
	Name: "storage local clear", Group: groupState, Short: "Clear the local storage of the page's origin",
	Long:    "Other sessions whose pages are at the origin lose the entries too. The storage of other origins stays.",
	Example: "abrowser storage local clear", Destructive: true,
}}

// SessionStorageClear clears the session storage of the page.
var SessionStorageClear = wire.Verb[Empty, StorageClearOut]{Spec: wire.Spec{
	Name: "storage session clear", Group: groupState, Short: "Clear the session storage of the page",
	Example: "abrowser storage session clear", Destructive: true,
}}
