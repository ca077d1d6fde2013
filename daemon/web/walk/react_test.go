package walk_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e/apps"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The commands about React find the same in each version and build of React.
func TestReact(t *testing.T) {
	t.Parallel()
	at, err := url.Parse(apps.Start(t)[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range []string{"version=16&build=production", "version=18&build=production", "version=18&build=development", "version=19&build=production", "version=19&build=development"} {
		t.Run(given, func(t *testing.T) {
			t.Parallel()
			s := home.Start(t)
			page := *at
			page.Path, page.RawQuery = "/react/components.html", given
			do(t, s, verbs.Open, verbs.OpenIn{URL: page.String()})

			var tree []string
			ids := map[string]string{}
			for _, c := range do(t, s, verbs.ReactTree, verbs.ReactTreeIn{}).Components {
				tree = append(tree, strings.Repeat(" ", c.Depth)+c.Name+c.Key)
				ids[c.Name] = c.ID
			}
			if got, want := strings.Join(tree, "\n"), "App\n Panel\n  Counterc1\n  Quiet\n  Suspense\n  Suspense"; got != want {
				t.Errorf("the components are\n%s\nwant\n%s", got, want)
			}
			if got := do(t, s, verbs.ReactTree, verbs.ReactTreeIn{Depth: 2}).Components; len(got) != 2 || got[1].ID != ids["Panel"] {
				t.Errorf("the upper two levels are %+v", got)
			}
			do(t, s, verbs.Click, verbs.ClickIn{Element: verbs.Element{Selector: "#more"}})
			c := do(t, s, verbs.ReactInspect, verbs.ReactInspectIn{ID: ids["Counter"]})
			if c.Name != "Counter" || c.Key != "c1" || string(c.Props) != `{"label":"Clicks"}` || len(c.Hooks) == 0 || string(c.Hooks[0].Value) != "4" ||
				len(c.Contexts) != 1 || string(c.Contexts[0].Value) != `"dark"` || strings.Join(c.Parents, " ") != "Panel App" {
				t.Errorf("Counter is %+v", c)
			}
			p := do(t, s, verbs.ReactInspect, verbs.ReactInspectIn{ID: ids["Panel"]})
			if len(p.Hooks) != 1 || string(p.Hooks[0].Value) != `{"open":true}` || len(p.Props) > 2000 || !strings.Contains(string(p.Props), `"danger":"(getter)"`) || !strings.Contains(string(p.Props), `"self":"(again)"`) {
				t.Errorf("Panel is %+v", p)
			}
			if got := do(t, s, verbs.Eval, verbs.EvalIn{Script: "window.sprung"}); string(got.Result) == "true" {
				t.Error("a getter of the page was called")
			}

			waiting := do(t, s, verbs.ReactSuspense, verbs.ReactSuspenseIn{OnlyDynamic: true}).Boundaries
			if len(waiting) != 1 || waiting[0].State != "fallback" || waiting[0].Parent != "Panel" {
				t.Errorf("the boundaries that wait are %+v", waiting)
			}
			do(t, s, verbs.Eval, verbs.EvalIn{Script: "showLate()"})
			do(t, s, verbs.Wait, verbs.WaitIn{What: "#late"})
			if all := do(t, s, verbs.ReactSuspense, verbs.ReactSuspenseIn{}).Boundaries; len(all) != 2 || all[0].State != "shown" || all[0].ID != waiting[0].ID {
				t.Errorf("afterwards the boundaries are %+v", all)
			}

			_, warnings, err := ask(t, s, verbs.ReactRendersStart, verbs.ReactRendersIn{})
			if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "abrowser reload") {
				t.Errorf("react renders start warns %q (%v)", warnings, err)
			}
			do(t, s, verbs.Reload, verbs.StepIn{})
			for range 2 {
				do(t, s, verbs.Click, verbs.ClickIn{Element: verbs.Element{Selector: "#more"}})
			}
			counted := map[string]verbs.ReactRenders{}
			for _, c := range do(t, s, verbs.ReactRendersStop, verbs.ReactRendersIn{}).Components {
				counted[c.Name] = c
			}
			if c := counted["Counter"]; c.Mounts != 1 || c.Renders != 3 {
				t.Errorf("Counter: %+v, want 3 renders", c)
			}
			if c := counted["Panel"]; c.Mounts != 1 || c.Renders != 1 {
				t.Errorf("Panel: %+v, want 1 render", c)
			}
			if _, _, err := ask(t, s, verbs.ReactInspect, verbs.ReactInspectIn{ID: ids["Counter"] + "0"}); wire.AsError(err).Code != wire.CodeNotFound {
				t.Errorf("an unknown component: %v", err)
			}
		})
	}
}
