package mcp

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/abrowser/abrowser/sockets/wire"
)

// property is one argument of a tool.
type property struct {
	name, help string
	kind       string // the JSON schema type: string, boolean, integer, number, array, object
	required   bool
	enum       []string // the values that it takes; nil means any
}

// schema returns the JSON schema of the tool's arguments, made from the verb's fields.
func (t tool) schema() map[string]any {
	properties := map[string]any{
		"session":   map[string]any{"type": "string", "description": "the task's session; without it the current one"},
		"sessionId": map[string]any{"type": "string", "description": "the same as session"},
	}
	required := []string{}
	for _, f := range t.verb.Fields() {
		if _, fixed := t.fixed[f.Name]; fixed || f.Person || f.Flag == "" && f.Arg < 0 {
			continue
		}
		name := t.argumentName(f.Name)
		properties[name] = schemaOf(f)
		if f.Required {
			required = append(required, name)
		}
	}
	for _, p := range slices.Concat(t.hiddenFields, t.extraArgs) {
		described := map[string]any{"type": p.kind, "description": p.help}
		if p.enum != nil {
			described["enum"] = p.enum
		}
		properties[p.name] = described
		if p.required {
			required = append(required, p.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// argumentName returns the name of the tool's argument for a verb's field.
func (t tool) argumentName(field string) string {
	if name, ok := t.fields[field]; ok {
		return name
	}
	return field
}

func schemaOf(f wire.Field) map[string]any {
	s := typeOf(f.Type)
	s["description"] = f.Help
	if len(f.Enum) > 0 {
		holder := s
		if items, ok := s["items"].(map[string]any); ok {
			holder = items
		}
		holder["enum"] = f.Enum
	}
	if f.Default != "" {
		s["default"] = defaultOf(f)
	}
	if least, err := strconv.Atoi(f.Min); err == nil && s["type"] != "string" {
		s["minimum"] = least
	}
	return s
}

func typeOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeOf(t.Elem())}
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	}
	return map[string]any{"type": "object"}
}

func defaultOf(f wire.Field) any {
	switch f.Type.Kind() {
	case reflect.Bool:
		return f.Default == "true"
	case reflect.Int, reflect.Int64, reflect.Float64:
		if n, err := strconv.ParseFloat(f.Default, 64); err == nil {
			return n
		}
	}
	return f.Default
}
