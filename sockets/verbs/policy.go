package verbs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupPolicy = "Policies and emulation"

// The modes of policies.
const (
	PolicyRaise      = "raise"
	PolicyAllow      = "allow"
	PolicyDeny       = "deny"
	PolicyAskHuman   = "ask-human"
	PolicyAccept     = "accept"
	PolicyDismiss    = "dismiss"
	PolicyPromptWith = "accept-prompt-with"
)

// PermissionNames are the permissions that a policy can be set for by name.
func PermissionNames() []string {
	return []string{
		"camera", "microphone", "geolocation", "notifications", "clipboard-read", "clipboard-write", "midi", "midi-sysex",
		"display-capture", "local-fonts", "window-management", "idle-detection", "bluetooth", "usb", "hid", "serial",
		"payment-handler", "background-sync", "accelerometer", "gyroscope", "magnetometer",
	}
}

// PickerNames are the file pickers.
func PickerNames() []string {
	return []string{"showOpenFilePicker", "showSaveFilePicker", "showDirectoryPicker"}
}

// DialogPolicyIn is the input of [PolicyDialog].
type DialogPolicyIn struct {
	Mode string `json:"mode" arg:"0" required:"true" enum:"accept|dismiss|accept-prompt-with|raise" help:"what is done with a dialog"`
	Text string `json:"text,omitzero" arg:"1..." help:"what a prompt is answered, for accept-prompt-with"`
}

// Check wants a text where it is used and nowhere else.
func (in DialogPolicyIn) Check() error {
	if in.Mode == PolicyPromptWith && in.Text == "" {
		return wire.Errorf(wire.CodeBadInput, `dialog policy: mode "accept-prompt-with" requires text`).WithHint("abrowser policy dialog accept-prompt-with Ada")
	}
	if in.Mode != PolicyPromptWith && in.Text != "" {
		return wire.Errorf(wire.CodeBadInput, "dialog policy: %s takes no text", in.Mode).WithHint("abrowser policy dialog accept-prompt-with %s", in.Text)
	}
	return nil
}

// Policies are a session's own, all of them. An empty mode is raise.
type Policies struct {
	Dialog        string            `json:"dialog"`
	PromptText    string            `json:"promptText,omitzero"`
	Permission    string            `json:"permission"`
	PerPermission map[string]string `json:"perPermission,omitzero"`
	Notification  string            `json:"notification"`
	FilePicker    string            `json:"filePicker"`
	PerPicker     map[string]string `json:"perPicker,omitzero"`
}

// PoliciesOut is what the verbs of policies answer.
type PoliciesOut struct {
	Policies Policies `json:"policies"`
	// Pending are questions that wait for a person.
	Pending []PendingQuestion `json:"pending,omitzero"`
	Queued  []QueuedAnswer    `json:"queued,omitzero"` // of file pickers
}

// PendingQuestion is a page's request that waits for a person.
type PendingQuestion struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Origin  string `json:"origin,omitzero"`
}

// QueuedAnswer is what a file picker will answer.
type QueuedAnswer struct {
	API   string `json:"api"`
	Files int    `json:"fileCount"`
}

// Text is one line for each policy, question and queued answer.
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

// PolicyStatus prints the session's policies.
var PolicyStatus = wire.Verb[Empty, PoliciesOut]{Spec: wire.Spec{
	Name: "policy status", Group: groupPolicy, Short: "Print the session's policies, and what waits for a person or a file picker",
	Example: "abrowser policy status", Unqueued: true, ReadOnly: true,
}}

// PolicyDialog says what is done with JavaScript dialogs.
var PolicyDialog = wire.Verb[DialogPolicyIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy dialog", Group: groupPolicy, Short: "Set what is done with alert, confirm, prompt and beforeunload",
	Long: "The default, raise, accepts alert and beforeunload, dismisses confirm and prompt, and the next reply says so. " +
		"A policy is the session's own and holds until the session is closed.",
	Example: "abrowser policy dialog accept", Unqueued: true,
}}

// PermissionPolicyIn is the input of [PolicyPermission].
type PermissionPolicyIn struct {
	Mode        string   `json:"mode" arg:"0" required:"true" enum:"allow|deny|raise|ask-human" help:"what is done when the page wants it"`
	Permissions []string `json:"permissions,omitzero" arg:"1..." help:"for these alone, as camera or geolocation; without any for all"`
	// PerPermission has a mode for each of some permissions.
	PerPermission map[string]string `json:"perPermission,omitzero" flag:"-" help:"a mode for each of some permissions"`
}

// Check refuses names that are none.
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
	return wire.Errorf(wire.CodeBadInput, "there is no %s %q", what, name).WithHint("it takes %s", strings.Join(names, ", "))
}

// PolicyPermission says what is done when a page wants what needs a permission.
var PolicyPermission = wire.Verb[PermissionPolicyIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy permission", Group: groupPolicy, Short: "Set what is done when the page wants a camera, its place or the clipboard",
	Long: "Decided for this session's pages alone: the browser is granted nothing. What is allowed and the browser has not granted anyway is a stand-in: " +
		"a black picture and a tone, the place of set geo, a clipboard of the session's own. " +
		"With ask-human the page waits for policy answer, 5 minutes at most. " +
		"The default, raise, denies and the next reply says so. Without names the mode is for all, and what was set for single ones is dropped.",
	Example: "abrowser policy permission allow geolocation", Unqueued: true,
}}

// NotificationPolicyIn is the input of [PolicyNotification].
type NotificationPolicyIn struct {
	Mode string `json:"mode" arg:"0" required:"true" enum:"allow|deny|raise" help:"what is done with a notification"`
}

// PolicyNotification says what is done when a page shows a notification.
var PolicyNotification = wire.Verb[NotificationPolicyIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy notification", Group: groupPolicy, Short: "Set what is done when the page shows a notification",
	Long:    "Nothing is shown on the screen: the page is told that it was (allow) or was not (deny, raise), and the next reply has its title.",
	Example: "abrowser policy notification allow", Unqueued: true,
}}

// FilePickerPolicyIn is the input of [PolicyFilePicker].
type FilePickerPolicyIn struct {
	Mode   string            `json:"mode" arg:"0" required:"true" enum:"allow|deny|raise" help:"what is done with a file picker"`
	APIs   []string          `json:"apis,omitzero" arg:"1..." enum:"showOpenFilePicker|showSaveFilePicker|showDirectoryPicker" help:"for these alone; without any for all"`
	PerAPI map[string]string `json:"perAPI,omitzero" flag:"-" help:"a mode for each of some file pickers"`
}

// Check refuses names that are none.
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

// PolicyFilePicker says what is done with file pickers.
var PolicyFilePicker = wire.Verb[FilePickerPolicyIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy file-picker", Group: groupPolicy, Short: "Set what is done when the page opens a file picker",
	Long:    "What policy respond has queued is picked, unless the policy is deny; with nothing queued the page is told that nothing was picked, and the next reply says so.",
	Example: "abrowser policy file-picker deny showDirectoryPicker", Unqueued: true,
}}

// PickedFile is a file that a file picker answers: one of the caller's, or a content.
type PickedFile struct {
	Path     string  `json:"path,omitzero"` // absolute
	Contents *string `json:"contents,omitzero"`
	Name     string  `json:"name,omitzero"`
	MIMEType string  `json:"mimeType,omitzero"`
}

// PickerRespondIn is the input of [PolicyRespond].
type PickerRespondIn struct {
	API   string       `json:"api" arg:"0" required:"true" enum:"showOpenFilePicker|showSaveFilePicker|showDirectoryPicker" help:"which file picker"`
	Paths []string     `json:"paths,omitzero" arg:"1..." file:"in" help:"the files that are picked; for showSaveFilePicker the one to write"`
	Files []PickedFile `json:"files,omitzero" flag:"-" help:"the files that are picked, each with path or contents, name, mimeType"`
}

// PickerRespondOut is what [PolicyRespond] answers.
type PickerRespondOut struct {
	Queued QueuedAnswer `json:"queued"`
}

// Text is what is queued.
func (o PickerRespondOut) Text() string {
	return fmt.Sprintf("queued: %s, %d files", o.Queued.API, o.Queued.Files)
}

// PolicyRespond queues what the next file picker of a kind answers.
var PolicyRespond = wire.Verb[PickerRespondIn, PickerRespondOut]{Spec: wire.Spec{
	Name: "policy respond", Group: groupPolicy, Short: "Queue what the page's next file picker of a kind picks", Unqueued: true,
	Long: "Files to read are read now. The file to save to is written when the page saves.", Example: "abrowser policy respond showOpenFilePicker report.pdf",
}}

// PolicyAnswerIn is the input of [PolicyAnswer].
type PolicyAnswerIn struct {
	ID     string `json:"id" arg:"0" required:"true" help:"the question, as q1"`
	Answer string `json:"answer" arg:"1" required:"true" enum:"allow|deny" help:"the person's answer"`
}

// PolicyAnswer is a person's answer to a page that waits for it.
var PolicyAnswer = wire.Verb[PolicyAnswerIn, PoliciesOut]{Spec: wire.Spec{
	Name: "policy answer", Group: groupPolicy, Short: "Answer what a page waits for a person to decide", Example: "abrowser policy answer q1 allow",
	Unqueued: true,
}}

// DialogAcceptIn is the input of [DialogAccept].
type DialogAcceptIn struct {
	Text string `json:"text,omitzero" arg:"0..." help:"what a prompt is answered"`
}

// DialogAnswerOut is what [DialogAccept] and [DialogDismiss] answer.
type DialogAnswerOut struct {
	Handled  bool `json:"handled"` // it is open now; otherwise the next one is meant
	Accepted bool `json:"accepted"`
}

// DialogAccept accepts the next dialog, whatever the policy.
var DialogAccept = wire.Verb[DialogAcceptIn, DialogAnswerOut]{Spec: wire.Spec{
	Name: "dialog accept", Group: groupTabs, Short: "Accept the next JavaScript dialog, whatever the policy", Example: "abrowser dialog accept",
	Long: "No dialog stays open, so that nothing hangs: say before what opens it how the next one is answered. " +
		"For all of them: abrowser policy dialog.",
	Unqueued: true,
}}

// DialogDismiss dismisses the next dialog, whatever the policy.
var DialogDismiss = wire.Verb[Empty, DialogAnswerOut]{Spec: wire.Spec{
	Name: "dialog dismiss", Group: groupTabs, Short: "Dismiss the next JavaScript dialog, whatever the policy", Example: "abrowser dialog dismiss",
	Unqueued: true,
}}
