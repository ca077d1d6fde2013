package verbs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupPolicy = "Policies, devices"

// The modes of policies. With PolicyRaise, the default, a page's request is answered at once, so
// that the page does not wait, and the output of the session's next command reports the request.
const (
	PolicyRaise      = "raise"
	PolicyAllow      = "allow"
	PolicyDeny       = "deny"
	PolicyAskHuman   = "ask-human"
	PolicyAccept     = "accept"
	PolicyDismiss    = "dismiss"
	PolicyPromptWith = "accept-prompt-with"
)

// PermissionNames returns the permissions for which a policy can be set.
func PermissionNames() []string {
	return []string{
		"camera", "microphone", "geolocation", "notifications", "clipboard-read", "clipboard-write", "midi", "midi-sysex",
		"display-capture", "local-fonts", "window-management", "idle-detection", "bluetooth", "usb", "hid", "serial",
		"payment-handler", "background-sync", "accelerometer", "gyroscope", "magnetometer",
	}
}

// PickerNames returns the APIs of file pickers.
func PickerNames() []string {
	return []string{"showOpenFilePicker", "showSaveFilePicker", "showDirectoryPicker"}
}

// DialogPolicyIn is the input of [PolicyDialog].
type DialogPolicyIn struct {
	Mode string `json:"mode" arg:"0" required:"true" enum:"accept|dismiss|accept-prompt-with|raise" help:"how to handle dialogs"`
	Text string `json:"text,omitzero" arg:"1..." help:"the answer to prompts, for accept-prompt-with"`
}

// Check returns an error if the mode needs a text and none is given, or if a text is given and the
// mode does not use it.
func (in DialogPolicyIn) Check() error {
	if in.Mode == PolicyPromptWith && in.Text == "" {
		return wire.Errorf(wire.CodeBadInput, `dialog policy: mode "accept-prompt-with" requires text`).WithHint("abrowser policy dialog accept-prompt-with Ada")
	}
	if in.Mode != PolicyPromptWith && in.Text != "" {
		return wire.Errorf(wire.CodeBadInput, "dialog policy: %s takes no text", in.Mode).WithHint("abrowser policy dialog accept-prompt-with %s", wire.ShellWord(in.Text))
	}
	return nil
}

// Policies are all policies of a session. An empty mode means [PolicyRaise].
type Policies struct {
	Dialog        string            `json:"dialog"`
	PromptText    string            `json:"promptText,omitzero"`
	Permission    string            `json:"permission"`
	PerPermission map[string]string `json:"perPermission,omitzero"`
	Notification  string            `json:"notification"`
	FilePicker    string            `json:"filePicker"`
	PerPicker     map[string]string `json:"perPicker,omitzero"`
}

// PoliciesOut is the output of the verbs that set policies, and of [PolicyStatus].
type PoliciesOut struct {
	Policies Policies `json:"policies"`
	// Pending are the pages' requests that a person has not answered yet.
	Pending []PendingQuestion `json:"pending,omitzero"`
	Queued  []QueuedAnswer    `json:"queued,omitzero"` // the files for the next file pickers
}

// PendingQuestion is a request of a page that a person has not answered yet.
type PendingQuestion struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Origin  string `json:"origin,omitzero"`
}

// QueuedAnswer describes the files that a future file picker will select.
type QueuedAnswer struct {
	API   string `json:"api"`
	Files int    `json:"fileCount"`
}

// Text returns one line for each policy, pending request and queued answer.
func (o PoliciesOut) Text() string {
	p := o.Policies
	dialog := p.Dialog
	if p.PromptText != "" {
		dialog += " " + quoted(p.PromptText)
	}
	all := []string{
		"dialog:       " + dialog,
		"permission:   " + p.Permission + exceptions(p.PerPermission),
		"notification: " + p.Notification,
		"file-picker:  " + p.FilePicker + exceptions(p.PerPicker),
	}
	for _, q := range o.Pending {
		if q.Kind == wire.KindFileChooser {
			all = append(all, fmt.Sprintf("file chooser for %s at %s: abrowser policy answer %s allow FILE", q.Name, q.Origin, q.ID))
			continue
		}
		all = append(all, fmt.Sprintf("waiting for a person: %s %s %s: abrowser policy answer %s allow", q.Kind, q.Name, q.Origin, q.ID))
	}
	for _, a := range o.Queued {
		all = append(all, fmt.Sprintf("queued: %s, %d files", a.API, a.Files))
	}
	return lines(all...)
}

func exceptions(per map[string]string) string {
	var all []string
	for name, mode := range per {
		all = append(all, name+": "+mode)
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return " (" + strings.Join(all, ", ") + ")"
}

// PolicyStatus returns the session's policies, pending requests and queued files.
var PolicyStatus = wire.Verb[Empty, PoliciesOut]{Spec: wire.Spec{
	Name: "policy status", NoPolicy: true, Group: groupPolicy, Short: "Print the session's policies, and what waits for a person or a file picker",
	Example: "abrowser policy status", Unqueued: true, ReadOnly: true,
}}

// PolicyDialog sets how JavaScript dialogs are handled.
var PolicyDialog = wire.Verb[DialogPolicyIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy dialog", Group: groupPolicy, Short: "Set how alert, confirm, prompt and beforeunload are handled",
	Long: "The default, raise, accepts alert and beforeunload, dismisses confirm and prompt, and reports the dialog in the next output. " +
		"A policy applies to one session, until the session is closed.",
	Example: "abrowser policy dialog accept", Unqueued: true,
}}

// PermissionPolicyIn is the input of [PolicyPermission].
type PermissionPolicyIn struct {
	Mode        string   `json:"mode" arg:"0" required:"true" enum:"allow|deny|raise|ask-human" help:"how to answer requests for permissions"`
	Permissions []string `json:"permissions,omitzero" arg:"1..." help:"the permissions, such as camera or geolocation; the default is all"`
	// PerPermission sets the modes of single permissions.
	PerPermission map[string]string `json:"perPermission,omitzero" flag:"-" help:"modes of single permissions"`
}

// Check returns an error for unknown permissions and modes.
func (in PermissionPolicyIn) Check() error {
	for _, name := range in.Permissions {
		if err := known("permission", name, PermissionNames()); err != nil {
			return err
		}
	}
	for name, mode := range in.PerPermission {
		if err := known("permission", name, PermissionNames()); err != nil {
			return err
		}
		if err := known("mode", mode, []string{PolicyAllow, PolicyDeny, PolicyRaise, PolicyAskHuman}); err != nil {
			return err
		}
	}
	return nil
}

func known(what, name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return wire.Errorf(wire.CodeBadInput, "unknown %s %q", what, name).WithHint("use one of %s", strings.Join(names, ", "))
}

// PolicyPermission sets how requests for permissions are answered.
var PolicyPermission = wire.Verb[PermissionPolicyIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy permission", Group: groupPolicy, Short: "Set how requests for camera, location, clipboard and so on are answered",
	Long: "Applies to the pages of this session only: the browser's own permissions do not change. A page that is allowed something which the browser has not granted gets a substitute: " +
		"a black picture and a tone, the location of set geo, a clipboard of the session. " +
		"With ask-human the page waits for policy answer, for up to 5 minutes. " +
		"The default, raise, denies the request and reports it in the next output. Without names the mode applies to all permissions and replaces the modes of single ones.",
	Example: "abrowser policy permission allow geolocation", Unqueued: true,
}}

// NotificationPolicyIn is the input of [PolicyNotification].
type NotificationPolicyIn struct {
	Mode string `json:"mode" arg:"0" required:"true" enum:"allow|deny|raise" help:"how to handle notifications"`
}

// PolicyNotification sets how notifications are handled.
var PolicyNotification = wire.Verb[NotificationPolicyIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy notification", Group: groupPolicy, Short: "Set how the page's notifications are handled",
	Long:    "No notification is shown on the screen. The page is told that it was shown (allow) or not (deny, raise), and the next output contains its title.",
	Example: "abrowser policy notification allow", Unqueued: true,
}}

// FilePickerPolicyIn is the input of [PolicyFilePicker].
type FilePickerPolicyIn struct {
	Mode   string            `json:"mode" arg:"0" required:"true" enum:"allow|deny|raise" help:"how to handle file pickers"`
	APIs   []string          `json:"apis,omitzero" arg:"1..." enum:"showOpenFilePicker|showSaveFilePicker|showDirectoryPicker" help:"the file pickers; the default is all"`
	PerAPI map[string]string `json:"perAPI,omitzero" flag:"-" help:"modes of single file pickers"`
}

// Check returns an error for unknown file pickers and modes.
func (in FilePickerPolicyIn) Check() error {
	for name, mode := range in.PerAPI {
		if err := known("file picker", name, PickerNames()); err != nil {
			return err
		}
		if err := known("mode", mode, []string{PolicyAllow, PolicyDeny, PolicyRaise}); err != nil {
			return err
		}
	}
	return nil
}

// PolicyFilePicker sets how file pickers are handled.
var PolicyFilePicker = wire.Verb[FilePickerPolicyIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy file-picker", Group: groupPolicy, Short: "Set how file pickers are handled",
	Long:    "Files queued with policy respond are selected, unless the policy is deny. If none are queued, the page is told that nothing was selected, and the next output reports it.",
	Example: "abrowser policy file-picker deny showDirectoryPicker", Unqueued: true,
}}

// PickedFile is a file that a file picker returns. It is either the caller's file at Path, or a
// file with the given Contents, Name and MIMEType.
type PickedFile struct {
	Path     string  `json:"path,omitzero"` // absolute
	Contents *string `json:"contents,omitzero"`
	Name     string  `json:"name,omitzero"`
	MIMEType string  `json:"mimeType,omitzero"`
}

// PickerRespondIn is the input of [PolicyRespond].
type PickerRespondIn struct {
	API   string       `json:"api" arg:"0" required:"true" enum:"showOpenFilePicker|showSaveFilePicker|showDirectoryPicker" help:"the file picker"`
	Paths []string     `json:"paths,omitzero" arg:"1..." file:"in" help:"the files to select; for showSaveFilePicker the file to write"`
	Files []PickedFile `json:"files,omitzero" flag:"-" help:"the files to select, each with path or contents, name, mimeType"`
}

// PickerRespondOut is the output of [PolicyRespond].
type PickerRespondOut struct {
	Queued QueuedAnswer `json:"queued"`
}

// Text returns the queued files.
func (o PickerRespondOut) Text() string {
	return fmt.Sprintf("queued: %s, %d files", o.Queued.API, o.Queued.Files)
}

// PolicyRespond queues the files that the next file picker of a kind will select.
var PolicyRespond = wire.Verb[PickerRespondIn, PickerRespondOut]{Spec: wire.Spec{
	Name: "policy respond", Group: groupPolicy, Short: "Queue the files that the next file picker of a kind selects", Unqueued: true,
	Long: "Files to open are read at once. A file to save is written when the page saves it.", Example: "abrowser policy respond showOpenFilePicker report.pdf",
}}

// PolicyAnswerIn is the input of [PolicyAnswer].
type PolicyAnswerIn struct {
	ID     string `json:"id" arg:"0" required:"true" help:"the request, such as q1"`
	Answer string `json:"answer" arg:"1" required:"true" enum:"allow|deny" help:"the person's answer"`
	// Files are for a file chooser, and required there.
	Files []string `json:"files,omitzero" arg:"2..." file:"in" help:"for a file chooser, the files to choose"`
}

// PolicyAnswer answers a page that waits for a person's decision, or gives files to a file chooser that
// a page has opened.
var PolicyAnswer = wire.Verb[PolicyAnswerIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy answer", Group: groupPolicy, Short: "Answer a page that waits for a person's decision, or that has opened a file chooser", Example: "abrowser policy answer q1 allow",
	Unqueued: true,
}}

// DialogAcceptIn is the input of [DialogAccept].
type DialogAcceptIn struct {
	Text string `json:"text,omitzero" arg:"0..." help:"the answer to a prompt"`
}

// DialogAnswerOut is the output of [DialogAccept] and [DialogDismiss].
type DialogAnswerOut struct {
	Handled  bool `json:"handled"` // the answer is for the dialog that is open, and not for the next one
	Accepted bool `json:"accepted"`
}

// DialogAccept accepts the next dialog, whatever the session's policy is.
var DialogAccept = wire.Verb[DialogAcceptIn, DialogAnswerOut]{Spec: wire.Spec{
	Name: "dialog accept", Group: groupTabs, Short: "Accept the next JavaScript dialog, whatever the policy", Example: "abrowser dialog accept",
	Long: "A dialog never stays open, since it would block the page, except while a person uses the session's pages (take-over). Run this command before the one that opens the dialog. " +
		"To handle all dialogs: abrowser policy dialog.",
	Unqueued: true,
}}

// DialogDismiss dismisses the next dialog, whatever the session's policy is.
var DialogDismiss = wire.Verb[Empty, DialogAnswerOut]{Spec: wire.Spec{
	Name: "dialog dismiss", Group: groupTabs, Short: "Dismiss the next JavaScript dialog, whatever the policy", Example: "abrowser dialog dismiss",
	Unqueued: true,
}}
