package verbs

import (
	"slices"

	"github.com/abrowser/abrowser/sockets/wire"
)

// All returns all verbs in the order of the help.
func All() []wire.AnyVerb {
	// The elements are pointers, since copies would be most of the memory that a command allocates.
	return []wire.AnyVerb{
		&Open, &Back, &Forward, &Reload, &PushState,
		&Snapshot, &GetText, &GetInnerText, &GetHTML, &GetValue, &GetAttr, &GetAttributes, &GetTitle, &GetURL, &GetCount, &GetBox, &GetStyles, &GetCDPURL,
		&IsVisible, &IsEnabled, &IsChecked, &PageState, &Eval, &Screenshot, &PDF, &Read, &DiffSnapshot, &DiffScreenshot, &DiffURL, &A11y, &Vitals,
		&Click, &Dblclick, &Fill, &Type, &Hover, &Focus, &Select, &Check, &Uncheck, &Scroll, &ScrollIntoView, &Drag, &Upload, &Tap, &Swipe, &Highlight, &FindElement, &SaveDownload,
		&Press, &Keydown, &Keyup, &KeyboardType, &KeyboardInsert, &MouseMove, &MouseDown, &MouseUp, &MouseWheel,
		&Wait,
		&Tabs, &TabList, &TabNew, &WindowNew, &TabSwitch, &TabClose, &TabPrune, &TabKeep, &FrameSelect, &FrameMain, &DialogStatus, &DialogAccept, &DialogDismiss,
		&PolicyDialog, &PolicyPermission, &PolicyNotification, &PolicyFilePicker, &PolicyRespond, &PolicyAnswer, &PolicyStatus,
		&CookiesGet, &CookiesSet, &CookiesClear,
		&LocalStorageGet, &LocalStorageSet, &LocalStorageClear, &SessionStorageGet, &SessionStorageSet, &SessionStorageClear,
		&Console, &Errors, &Requests, &RequestDetail, &Route, &Unroute, &HARStart, &HARStop, &TraceStart, &TraceStop, &RecordStart, &RecordRestart, &RecordStop,
		&ReactTree, &ReactInspect, &ReactRendersStart, &ReactRendersStop, &ReactSuspense, &ProfilerStart, &ProfilerStop,
		&StateSave, &StateLoad, &StateList, &StateShow, &StateClear, &StateClean, &StateRename,
		&ClipboardRead, &ClipboardWrite, &ClipboardCopy, &ClipboardPaste,
		&AuthSave, &AuthLogin, &AuthList, &AuthShow, &AuthDelete,
		&SetViewport, &SetDevice, &SetGeo, &SetOffline, &SetHeaders, &SetCredentials, &SetMedia, &SetReset,
		&Confirm, &Deny, &AskPerson, &Questions, &AnswerPerson, &TakeOver, &HandBack, &Review, &TabShow, &Login,
		&AddInitScript, &RemoveInitScript,
		&PoolRequest, &PoolGrant, &PoolRequests,
		&Batch, &REPL, &Close, &Kill, &Status, &Session, &SessionList, &SessionInfo, &SessionClose, &SessionDone, &SessionLog, &SessionExport, &SessionID, &Events,
		&BrowserStatus, &BrowserStop, &Connect, &Install, &Doctor, &MCP, &MCPInstall, &CDP, &Inspect,
		&SkillsList, &SkillsGet, &SkillsInstall, &Man, &Upgrade, &Profiles,
		&BrokerTabs, &BrokerNote, &BrokerRelease, &BrokerDepart, &BrokerIncognito, &BrokerSessions, &BrokerNotices, &BrokerDownloads, &BrokerClaim, &BrokerEndAgent, &BrokerDone, &BrokerKeep, &BrokerEvents, &BrokerReport, &BrokerAsk, &BrokerQuestions, &BrokerAnswer, &BrokerView, &BrokerInput, &BrokerCloseTab,
	}
}

// Find returns the verb with this name or alias. If several verbs have it, Find returns the first
// of them in the order of [All].
func Find(name string) (wire.AnyVerb, bool) {
	for _, v := range All() {
		doc := v.Describe()
		if doc.Name == name || slices.Contains(doc.Aliases, name) {
			return v, true
		}
	}
	return nil, false
}
