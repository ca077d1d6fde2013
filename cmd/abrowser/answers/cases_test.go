//go:build linux

package answers_test

import "github.com/abrowser/abrowser/sockets/verbs"

// withoutExample returns the verbs whose example is not run, each with the reason.
func withoutExample() map[string]string {
	return map[string]string{
		verbs.Connect.Name:       "it needs a browser at this port; TestAttachedConnect runs the command",
		verbs.Inspect.Name:       "it serves until its input ends; the transcript inspect-page runs the command",
		verbs.Confirm.Name:       "its argument is different each time; the transcript policy-actions runs the command",
		verbs.Deny.Name:          "its argument is different each time; the transcript policy-actions runs the command",
		verbs.ReactTree.Name:     "it needs a page with React; TestReact runs the command",
		verbs.ReactInspect.Name:  "it needs a page with React; TestReact runs the command",
		verbs.ReactSuspense.Name: "it needs a page with React; TestReact runs the command",
		verbs.TabShow.Name:       "it serves until it is interrupted; TestWindowShowsASessionsPage runs the command",
		verbs.Login.Name:         "it waits for a person; TestLogin runs the command",
		verbs.Review.Name:        "it serves until it is interrupted; TestReview runs the command",
		verbs.AskPerson.Name:     "it waits for a person; the transcript ask-person runs the command",
		verbs.AnswerPerson.Name:  "its argument is different each time; the transcript ask-person runs the command",
		verbs.CDP.Name:           "npx would download the program; the transcript cdp-endpoint and others run the command",
		verbs.Tabs.Name:          "it shows the commands that were reported until then; the transcript tabs-table runs the command",
		verbs.Events.Name:        "it tells what the other commands did; the transcript events-stream runs the command",
		verbs.SessionLog.Name:    "it tells how long commands took; the transcript session-log runs the command",
		verbs.SessionExport.Name: "its files depend on what the session has shown; the transcript session-log runs the command",
		verbs.RequestDetail.Name: "its argument is different each time; the transcript network-requests runs the command",
		verbs.Install.Name:       "--with-deps changes the machine; TestTamperedArchiveIsRefused and others run install",
		verbs.Doctor.Name:        "its exit status depends on the machine; TestDoctorMendsTheDriver and others run it",
	}
}

const saveLogin = "auth save shop --url https://example.com --username me --password-file password.txt"

// before returns the commands that must run before a verb's example.
func before() map[string][]string {
	return map[string][]string{
		verbs.Back.Name:             {"open https://example.com/second"},
		verbs.Forward.Name:          {"open https://example.com/second", "back"},
		verbs.TabSwitch.Name:        {"tab new https://example.com", "tab t1"},
		verbs.KeyboardInsert.Name:   {"focus #name"},
		verbs.TabClose.Name:         {"tab new"},
		verbs.HandBack.Name:         {"take-over"},
		verbs.PolicyAnswer.Name:     {"policy permission ask-human geolocation", "eval navigator.geolocation.getCurrentPosition(()=>{});1"},
		verbs.PolicyRespond.Name:    {"policy file-picker allow"},
		verbs.DiffSnapshot.Name:     {"snapshot"},
		verbs.DiffScreenshot.Name:   {"screenshot before.png"},
		verbs.SetReset.Name:         {"set viewport 800 600"},
		verbs.ClipboardCopy.Name:    {"fill #name Ada", "press Control+a"},
		verbs.ClipboardPaste.Name:   {"clipboard write Hello", "focus #name"},
		verbs.StateLoad.Name:        {"state save login"},
		verbs.StateShow.Name:        {"state save login"},
		verbs.StateClear.Name:       {"state save login"},
		verbs.StateRename.Name:      {"state save login"},
		verbs.AuthLogin.Name:        {saveLogin},
		verbs.AuthShow.Name:         {saveLogin},
		verbs.AuthDelete.Name:       {saveLogin},
		verbs.HARStop.Name:          {"network har start trace.har"},
		verbs.TraceStop.Name:        {"trace start"},
		verbs.RecordRestart.Name:    {"record start film.webm"},
		verbs.RecordStop.Name:       {"record start film.webm"},
		verbs.ProfilerStop.Name:     {"profiler start"},
		verbs.ReactRendersStop.Name: {"react renders start"},
		verbs.RemoveInitScript.Name: {"addinitscript window.test=true"},
	}
}

// after returns the commands that must run after a verb's example. They restore the state that the
// examples of other verbs need.
func after() map[string][]string {
	return map[string][]string{
		verbs.TakeOver.Name:    {"hand-back"},
		verbs.StateRename.Name: {"state clear admin"},
	}
}

// failing has, for each verb that can fail in a way of its own, a command line that fails. The
// other verbs are given a flag that they do not have, or no argument.
const failing = `
open http://localhost:1/
pushstate https://example.org/
snapshot --selector #missing
get text #missing
get innertext #missing
get html #missing
get value #missing
get attr #missing href
get attributes #missing
get title --tab t9
get url --tab t9
get box #missing
get styles #missing
is visible :::
is enabled #missing
is checked #missing
eval 'throw new Error("no")'
screenshot missing/page.png
pdf missing/page.pdf
read ftp://example.com
diff snapshot --baseline missing.txt
diff screenshot --baseline missing.png
diff url https://example.com ftp://example.com
a11y --selector #missing --timeout 10000
click #missing
dblclick #missing
fill #missing Ada
type #missing Ada
hover #missing
focus #missing
select #colour Blue
check #missing
uncheck #name
scroll sideways
scrollintoview #missing
drag #card #missing
upload #file missing.pdf
tap #missing
swipe sideways
highlight #missing
find role button click --name Zed
download #missing report.csv
press NoSuchKey
keydown NoSuchKey
keyup NoSuchKey
keyboard type
keyboard inserttext
mouse move here there
mouse down third
mouse up third
mouse wheel far
wait --text Nothing
tab new ftp://example.com
tab t9
tab close t99
tab prune --older-than soon
tab keep t9
frame #missing
policy dialog maybe
policy permission allow moon
policy notification maybe
policy file-picker maybe
policy respond showOpenFilePicker missing.pdf
policy answer q9 allow
cookies set theme dark --domain example.org --url https://example.com
network requests --status 7xx
network request 999
network route **/data.json
network unroute **/none
network har start missing/trace.har
network har stop
trace stop trace.zip
record start missing/film.webm
record restart missing/film.webm
record stop
react tree
react inspect r3
react renders stop
react suspense
profiler stop slow.cpuprofile
state save ../
state load missing
state show missing
state clear missing
state clean --older-than -1
state rename missing admin
clipboard write
auth save shop --username me
auth login missing
auth show missing
auth delete missing
set viewport 0 0
set device Nokia
set geo 100 200
set offline perhaps
set headers {
set credentials me
set media pink
confirm c-0
deny c-0
answer p9
hand-back
review t9
tab show task_9/t2
login ftp://example.com
addinitscript --file missing.js
removeinitscript s9
batch fly
session info nobody
session close
session done --status perhaps
session log nobody
session export .
session id --scope moon
events --limit many
connect 1
mcp --tools moon
mcp install nobody
skills get nobody
skills install nobody
`
