package args

// elsewhere returns what to do instead of using a flag of agent-browser or Chromium that abrowser does
// not have, or "" for other names. A browser that many sessions share cannot have what these flags set
// for one of them, or a command does it for the session alone.
func elsewhere(flag string) string {
	const ownBrowser = "a browser of its own can have it: abrowser --profile NAME --args "
	switch flag {
	case "proxy":
		return ownBrowser + "--proxy-server=http://HOST:PORT open"
	case "proxy-bypass":
		return ownBrowser + "--proxy-bypass-list=HOSTS open"
	case "user-agent":
		return ownBrowser + "--user-agent=TEXT open; or abrowser set device"
	case "ignore-https-errors":
		return ownBrowser + "--ignore-certificate-errors open"
	case "extension", "extensions":
		return ownBrowser + "--load-extension=DIR open"
	case "allow-file-access":
		return ownBrowser + "--allow-file-access-from-files open"
	case "hide-scrollbars":
		return ownBrowser + "--hide-scrollbars open"
	case "webgpu":
		return ownBrowser + "--enable-unsafe-webgpu open"
	case "incognito":
		return "abrowser --mode incognito open URL"
	case "headers":
		return "abrowser set headers JSON, for the session's pages"
	case "color-scheme":
		return "abrowser set media dark"
	case "device":
		return "abrowser set device NAME"
	case "init-script":
		return "abrowser addinitscript --file PATH"
	case "enable":
		return "abrowser react tree needs no flag"
	case "download-path":
		return "abrowser download SELECTOR PATH, or abrowser wait --download PATH"
	case "state":
		return "abrowser state load PATH"
	case "restore", "restore-save", "session-name":
		return "logins stay in the browser; abrowser state save NAME and state load NAME keep them in a file"
	case "auto-connect":
		return "abrowser connect PORT"
	case "pin-tab", "no-pin-tab":
		return "leave it out: each session has a page of its own"
	case "namespace":
		return "ABROWSER_HOME=DIR has sessions and browsers of its own"
	case "no-auto-dialog":
		return "abrowser policy dialog decides how dialogs are answered"
	case "confirm-interactive":
		return "abrowser confirm ID runs a command that was held back"
	case "debug":
		return "ABROWSER_DEBUG=1"
	}
	return ""
}
