package web

import (
	"cmp"
	"context"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cookies"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// signIn is an auth login command, and the page in which it logs in.
type signIn struct {
	*pageCall
	in verbs.AuthLoginIn
}

// passwordField is the selector of the password field of a login form. It leaves out fields for a
// new password, because they belong to registration forms.
const passwordField = `css=input[type=password]:not([autocomplete=new-password]):visible >> nth=0`

// usernameFields returns selectors of the field for the user's name, the most likely one first. The
// first ones match only in the form that has the password field, and the others match anywhere on
// the page.
func usernameFields() []string {
	const (
		form   = `form:has(input[type=password]:visible) `
		likely = `:is(input[autocomplete~=username], input[autocomplete~=email], input[type=email], input[name*=user i], input[id*=user i], input[name*=email i], input[id*=email i], input[name*=login i], input[name=identifier])`
		text   = `:is(input[type=text], input[type=tel], input:not([type]))`
	)
	var all []string
	for _, css := range []string{form + likely, form + text, likely, text} {
		all = append(all, "css="+css+":visible >> nth=0")
	}
	return all
}

const (
	stepTime = 5 * time.Second        // for the password field, after the user's name was sent
	formTime = 5 * time.Second        // for the login form to appear, and to go away
	lookTime = 100 * time.Millisecond // between two checks of the page
)

// login opens the page of a saved login, fills its form and submits it.
func (c *call) login(ctx context.Context, in verbs.AuthLoginIn) (verbs.AuthLoginOut, error) {
	if err := in.CheckComplete(); err != nil {
		return verbs.AuthLoginOut{}, err
	}
	for _, given := range []string{in.Profile.UsernameSelector, in.Profile.PasswordSelector, in.Profile.SubmitSelector} {
		if err := checkOptional(given); err != nil {
			return verbs.AuthLoginOut{}, err
		}
	}
	opened, err := c.open(ctx, verbs.OpenIn{URL: in.Profile.URL, TimeoutIn: in.TimeoutIn})
	if err != nil {
		return verbs.AuthLoginOut{}, err
	}
	out := verbs.AuthLoginOut{Name: in.Name, Effects: opened.Effects}
	ctx, cancel, err := c.limit(ctx, in, waitTime)
	if err != nil {
		return out, err
	}
	defer cancel()
	p, err := c.currentPage(ctx)
	if err != nil {
		return out, err
	}
	s := signIn{c.on(p), in}
	if err := s.fillForm(ctx); err != nil {
		return out, err
	}
	if err := s.awaitEnd(ctx); err != nil {
		return out, err
	}
	out.LoggedIn, out.URL = true, p.URL()
	if out.Title, err = s.title(ctx); err != nil {
		c.Log.Warn("reading the title", "error", err)
	}
	later := c.effects(ctx)
	out.Opened, out.Dialogs, out.Downloads = append(out.Opened, later.Opened...), append(out.Dialogs, later.Dialogs...), append(out.Downloads, later.Downloads...)
	return out, nil
}

func (s signIn) passwordField() string { return cmp.Or(s.in.Profile.PasswordSelector, passwordField) }

// fillForm fills the form and submits it. If there is no password field yet, it submits the user's
// name alone first.
func (s signIn) fillForm(ctx context.Context) error {
	username := ""
	found := s.until(ctx, formTime, func() bool {
		username = s.usernameField(ctx)
		return username != "" || s.isShown(ctx, s.passwordField())
	})
	if !found {
		return wire.Errorf(wire.CodeNotFound, "%.200s has no login form", s.page.URL()).
			WithHint("save the login again with --username-selector and --password-selector")
	}
	if username != "" {
		if err := s.put(ctx, username, s.in.Profile.Username); err != nil {
			return err
		}
	}
	if !s.isShown(ctx, s.passwordField()) {
		if err := s.send(ctx, username); err != nil {
			return err
		}
		if !s.until(ctx, stepTime, func() bool { return s.isShown(ctx, s.passwordField()) }) {
			return wire.Errorf(wire.CodeNotFound, "no password field appears after the user's name was sent").WithHint(daemon.HintSnapshot)
		}
	}
	if err := s.put(ctx, s.passwordField(), s.in.Password); err != nil {
		return err
	}
	return s.send(ctx, s.passwordField())
}

// put fills a field with a text. It returns an error, and fills nothing, if the page does not
// belong to the site of the saved login.
func (s signIn) put(ctx context.Context, field, text string) error {
	if at := s.page.URL(); !cookies.SameSite(at, s.in.Profile.URL) {
		return wire.Errorf(wire.CodeNavigation, "the page went to %.200s, which is another site than that of the saved login; nothing was typed", at).
			WithHint("if that is where to log in, save the login with this --url")
	}
	_, err := s.performOn(ctx, field, filling(text))
	return err
}

// send submits the form. It clicks the submit button of the saved login or, if that has none,
// presses Enter in the given field.
func (s signIn) send(ctx context.Context, field string) error {
	if s.in.Profile.SubmitSelector != "" {
		_, err := s.performOn(ctx, s.in.Profile.SubmitSelector, clicking("left", 1))
		return err
	}
	_, err := s.performOn(ctx, field, action{name: "focus", verb: "focus"})
	if err != nil {
		return err
	}
	_, err = devices{s.pageCall}.press(ctx, verbs.PressIn{Key: "Enter"})
	return err
}

// usernameField returns the selector of the field for the user's name, or "" if none is visible.
func (s signIn) usernameField(ctx context.Context) string {
	fields := usernameFields()
	if named := s.in.Profile.UsernameSelector; named != "" {
		fields = []string{named}
	}
	for _, field := range fields {
		if s.isShown(ctx, field) {
			return field
		}
	}
	return ""
}

func (s signIn) isShown(ctx context.Context, field string) bool {
	at, err := s.target(ctx, field)
	if err != nil {
		return false
	}
	visible, err := readFor(s.call, readTime, func() (bool, error) { return at.find.IsVisible() })
	return err == nil && visible
}

// until calls condition() repeatedly, and reports whether it has returned true in time.
func (s signIn) until(ctx context.Context, within time.Duration, condition func() bool) bool {
	for end := time.Now().Add(within); ; {
		if condition() {
			return true
		}
		if time.Now().After(end) || !daemon.Sleep(ctx, lookTime) {
			return false
		}
	}
}

// awaitEnd waits until the password field is gone, which means that the site has accepted the login
// or asks for something else.
func (s signIn) awaitEnd(ctx context.Context) error {
	s.settle(daemon.TimeLeft(ctx, formTime))
	if s.until(ctx, formTime, func() bool { return !s.isShown(ctx, s.passwordField()) }) {
		return s.awaitDocument(ctx)
	}
	return wire.Errorf(wire.CodeNotActionable, "the form was sent, and the password field is still there: the site may have refused the login").WithHint(daemon.HintSnapshot)
}
