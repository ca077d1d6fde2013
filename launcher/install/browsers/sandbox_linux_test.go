package browsers

import (
	"os"
	"testing"
)

func TestAppArmorProfileAllows(t *testing.T) {
	dir := t.TempDir()
	browser := dir + "/chrome"
	writeScript(t, browser, browserScript)
	must(t, os.Mkdir(dir+"/profiles", 0o700))
	if appArmorAllows(dir+"/profiles", browser) {
		t.Error("appArmorAllows = true without a profile")
	}
	must(t, os.WriteFile(dir+"/profiles/chrome", []byte("profile chrome "+browser+" flags=(unconfined) {\n  userns,\n}\n"), 0o600))
	if !appArmorAllows(dir+"/profiles", browser) {
		t.Error("appArmorAllows = false with a profile")
	}
}
