package home

import "errors"

func mountReadOnly(string) error { return errors.ErrUnsupported }
