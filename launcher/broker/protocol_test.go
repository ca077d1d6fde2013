package broker

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/keeper"
)

// protocol is the browser's description of CDP.
type protocol struct {
	Domains []struct {
		Domain   string
		Types    []kind
		Commands []struct {
			Name       string
			Parameters []kind
		}
	}
}

// kind is a type of the protocol, a member of a type, or a parameter of a command.
type kind struct {
	ID, Name, Type, Ref string
	Optional            bool
	Enum                []string
	Properties          []kind
}

// UnmarshalJSON also reads the member "$ref" into Ref.
func (k *kind) UnmarshalJSON(raw []byte) error {
	type plain kind
	v := struct {
		*plain
		Ref string `json:"$ref"`
	}{plain: (*plain)(k)}
	err := json.Unmarshal(raw, &v)
	k.Ref = v.Ref
	return err
}

// startPlain starts a browser with a debugging port and without abrowser. It returns the URL of the
// browser's WebSocket. The browser runs until the test ends.
func startPlain(t *testing.T, o keeper.Options) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), testTime)
	profile := t.TempDir()
	args := []string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--no-first-run"}
	if o.NoSandbox != "" {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.CommandContext(ctx, o.Browser, args...)
	cmd.WaitDelay = time.Second
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_, _ = io.Copy(io.Discard, stderr)
		_ = cmd.Wait() // the error is that it was killed
		if socket, err := os.Readlink(filepath.Join(profile, "SingletonSocket")); err == nil {
			_ = os.RemoveAll(filepath.Dir(socket)) // a killed browser leaves this directory in /tmp
		}
	})
	address := ""
	for lines := bufio.NewScanner(stderr); address == "" && lines.Scan(); {
		address = regexp.MustCompile(`ws://\S+`).FindString(lines.Text())
	}
	if address == "" {
		t.Fatal("the browser does not listen")
	}
	return address
}

// readProtocol returns the description of CDP of the browser that startPlain has started. A browser
// without a debugging port does not serve the description.
func readProtocol(t *testing.T, browser string) protocol {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	at, err := url.Parse(browser)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at.Host+"/json/protocol", nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var p protocol
	if err := json.NewDecoder(reply.Body).Decode(&p); err != nil || len(p.Domains) == 0 {
		t.Fatalf("reading the protocol: %d domains, %v", len(p.Domains), err)
	}
	return p
}

// check checks that testdata/methods.txt of package patches has every method of the browser.
func (p protocol) check(t *testing.T) {
	t.Helper()
	list, err := os.ReadFile("../../patches/testdata/methods.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(string(list))
	for _, d := range p.Domains {
		for _, c := range d.Commands {
			if method := d.Domain + "." + c.Name; !slices.Contains(known, method) {
				t.Errorf("%s is not in patches/testdata/methods.txt; see patches/README.md", method)
			}
		}
	}
}

// types returns the protocol's types by their full names.
func (p protocol) types() map[string]kind {
	all := map[string]kind{}
	for _, d := range p.Domains {
		for _, k := range d.Types {
			all[d.Domain+"."+k.ID] = k
		}
	}
	return all
}

// refer returns the full name of the type that a member refers to.
func refer(domain, ref string) string {
	if ref == "" || strings.Contains(ref, ".") {
		return ref
	}
	return domain + "." + ref
}

// filler returns a valid value of a type.
func filler(types map[string]kind, domain string, k kind) any {
	if name := refer(domain, k.Ref); name != "" {
		owner, _, _ := strings.Cut(name, ".")
		return filler(types, owner, types[name])
	}
	switch {
	case len(k.Enum) > 0:
		return k.Enum[0]
	case k.Type == "integer", k.Type == "number":
		return 1
	case k.Type == "boolean":
		return false
	case k.Type == "array":
		return []any{}
	case k.Type == "object":
		v := map[string]any{}
		for _, member := range k.Properties {
			if !member.Optional {
				v[member.Name] = filler(types, domain, member)
			}
		}
		return v
	default:
		return "x"
	}
}

// namingCall is a call with a parameter that names an object, such as a target or a CDP session.
// The field member is the name of this parameter, and kind is its type.
type namingCall struct {
	method, member, kind string
	params               map[string]any // all required parameters, with placeholder values
}

// every returns two calls of every command. The first has the required parameters only. The second
// has all parameters, and its flags are true. member and kind are empty.
func (p protocol) every() (all []namingCall) {
	types := p.types()
	for _, d := range p.Domains {
		for _, c := range d.Commands {
			few, many := map[string]any{}, map[string]any{}
			for _, k := range c.Parameters {
				value := filler(types, d.Domain, k)
				if !k.Optional {
					few[k.Name] = value
				}
				if many[k.Name] = value; value == false {
					many[k.Name] = true
				}
			}
			all = append(all, namingCall{method: d.Domain + "." + c.Name, params: few}, namingCall{method: d.Domain + "." + c.Name, params: many})
		}
	}
	return all
}

// naming returns the calls with a parameter of one of the types in kinds.
func (p protocol) naming(kinds map[string]bool) []namingCall {
	types := p.types()
	var all []namingCall
	for _, d := range p.Domains {
		for _, c := range d.Commands {
			params := map[string]any{}
			for _, k := range c.Parameters {
				if !k.Optional {
					params[k.Name] = filler(types, d.Domain, k)
				}
			}
			for _, k := range c.Parameters {
				if name := refer(d.Domain, k.Ref); kinds[name] {
					rest := maps.Clone(params)
					all = append(all, namingCall{d.Domain + "." + c.Name, k.Name, name, rest})
				}
			}
		}
	}
	return all
}
