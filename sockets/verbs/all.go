package verbs

import "github.com/abrowser/abrowser/sockets/wire"

// All returns every verb, in the order of help and README.
func All() []wire.AnyVerb {
	return []wire.AnyVerb{ // pointers: a copy of each would be most of what a command allocates
		&Open, &Back, &Forward, &Reload,
		&Snapshot, &GetText, &GetHTML, &GetValue, &GetAttr, &GetTitle, &GetURL, &GetCount, &GetBox, &GetStyles, &GetCDPURL,
		&IsVisible, &IsEnabled, &IsChecked, &PageState, &Eval, &Screenshot,
		&Click, &Dblclick, &Fill, &Type, &Press, &Hover, &Focus, &Select, &Check, &Uncheck, &Scroll, &SaveDownload,
		&Wait,
		&TabList, &TabNew, &TabSwitch, &TabClose, &TabPrune, &DialogStatus, &DialogAccept, &DialogDismiss,
		&PolicyDialog, &PolicyPermission, &PolicyNotification, &PolicyFilePicker, &PolicyRespond, &PolicyAnswer, &PolicyStatus,
		&HARStart, &HARStop,
		&SetViewport, &SetDevice, &SetGeo, &SetOffline, &SetHeaders, &SetMedia, &SetReset,
		&PoolRequest, &PoolGrant, &PoolRequests,
		&Batch, &Close, &Kill, &Status, &Session, &SessionList, &SessionInfo, &SessionClose, &SessionLog,
		&BrowserStatus, &BrowserStop, &Install, &Doctor, &MCP, &MCPInstall,
		&BrokerTabs, &BrokerNote, &BrokerRelease, &BrokerDepart, &BrokerIncognito, &BrokerSessions, &BrokerNotices, &BrokerDownloads, &BrokerClaim, &BrokerEndAgent,
	}
}

// Find returns the verb with this name, aliases included.
func Find(name string) (wire.AnyVerb, bool) {
	for _, v := range All() {
		doc := v.Describe()
		if doc.Name == name {
			return v, true
		}
		for _, alias := range doc.Aliases {
			if alias == name {
				return v, true
			}
		}
	}
	return nil, false
}
