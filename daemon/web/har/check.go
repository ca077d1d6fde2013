package har

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// Check returns an error if a file is neither a HAR nor a ZIP archive with a HAR in it. Playwright
// takes these two, and does not notice a JSON file of another kind until it is asked for a response.
func Check(path string) error {
	if filepath.Ext(path) == ".zip" {
		return checkArchive(path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var file struct {
		Log struct {
			Entries *[]json.RawMessage `json:"entries"`
		} `json:"log"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return err
	}
	if file.Log.Entries == nil {
		return errors.New("it has no log.entries")
	}
	return nil
}

func checkArchive(path string) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	for _, file := range archive.File {
		if filepath.Ext(file.Name) == ".har" {
			return archive.Close()
		}
	}
	return errors.Join(errors.New("it contains no .har file"), archive.Close())
}
