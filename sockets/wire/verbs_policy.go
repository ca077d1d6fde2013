package wire

import (
	"fmt"
	"slices"
	"strings"
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
		return Errorf(CodeBadInput, `dialog policy: mode "accept-prompt-with" requires text`).WithHint("abrowser policy dialog accept-prompt-with Ada")
	}
	if in.Mode != PolicyPromptWith && in.Text != "" {
		return Errorf(CodeBadInput, "dialog policy: %s takes no text", in.Mode).WithHint("abrowser policy dialog accept-prompt-with %s", in.Text)
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
var PolicyStatus = Verb[Nothing, PoliciesOut]{Doc{
	Name: "policy status", Group: groupPolicy, Short: "Print the session's policies, and what waits for a person or a file picker",
	Example: "abrowser policy status", Control: true, Reads: true,
}}

// PolicyDialog says what is done with JavaScript dialogs.
var PolicyDialog = Verb[DialogPolicyIn, PoliciesOut]{Doc{
	Name: "policy dialog", Group: groupPolicy, Short: "Set what is done with alert, confirm, prompt and beforeunload",
	Long: "The default, raise, accepts alert and beforeunload, dismisses confirm and prompt, and the next reply says so. " +
		"A policy is the session's own and holds until the session is closed.",
	Example: "abrowser policy dialog accept", Control: true,
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
var DialogAccept = Verb[DialogAcceptIn, DialogAnswerOut]{Doc{
	Name: "dialog accept", Group: groupTabs, Short: "Accept the next JavaScript dialog, whatever the policy", Example: "abrowser dialog accept",
	Long: "No dialog stays open, so that nothing hangs: say before what opens it how the next one is answered. " +
		"For all of them: abrowser policy dialog.",
	Control: true,
}}

// DialogDismiss dismisses the next dialog, whatever the policy.
var DialogDismiss = Verb[Nothing, DialogAnswerOut]{Doc{
	Name: "dialog dismiss", Group: groupTabs, Short: "Dismiss the next JavaScript dialog, whatever the policy", Example: "abrowser dialog dismiss",
	Control: true,
}}
