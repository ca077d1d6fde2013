package apps

import "github.com/abrowser/abrowser/launcher/install/npm"

// source is an npm package whose files the pages load. The files are served below /npm/ALIAS/. If
// the field files is empty, the whole package is unpacked.
type source struct {
	alias, name, version, integrity string
	files                           []string
}

func sources() []source {
	return []source{
		{"todomvc", "todomvc-react", "1.0.4", "sha512-+HwXdn5P5R5264QlVACjXXBovFzW/reyGlHAY6tsbzTijHN8VehoI7KOESNFDXl2iTw2q5VLfGVce36dYqWQ+g==", []string{"dist/todomvc.js", "dist/todomvc.css"}},
		{"jquery", "jquery", "3.7.1", "sha512-m4avr8yL8kmFN8psrbFFFmB/If14iN5o9nw/NgnnM+kybDJpRsAynV2BsfpTYrTRysYUdADVD7CkUUizgkpLfg==", []string{"dist/jquery.min.js"}},
		{"bootstrap4", "bootstrap", "4.6.2", "sha512-51Bbp/Uxr9aTuy6ca/8FbFloBUJZLHwnhTcnjIeRn2suQWsWzcuJhGjKDB5eppVte/8oCdOL3VuwxvZDUggwGQ==", []string{"dist/css/bootstrap.min.css", "dist/js/bootstrap.bundle.min.js"}},
		{"bootstrap5", "bootstrap", "5.3.8", "sha512-HP1SZDqaLDPwsNiqRqi5NcP0SSXciX2s9E+RyqJIIqGo+vJeN5AJVM98CXmW/Wux0nQ5L7jeWUdplCEf0Ee+tg==", []string{"dist/css/bootstrap.min.css", "dist/js/bootstrap.bundle.min.js"}},
		{"adminlte", "admin-lte", "3.2.0", "sha512-IDUfoU8jo9DVlB59lDEASAJXTesAEXDZ68DOHI3qg93r5ehVTkMl2x0ixgIyff8NiHeNYXpcOZh3tr6oGbvu9g==", nil},
		{"fontawesome", "@fortawesome/fontawesome-free", "5.15.4", "sha512-eYm8vijH/hpzr/6/1CJ/V/Eb1xQFW2nnUKArb3z+yUWv7HTwj6M7SP957oMjfZjAHU6qpoNc2wQvIxBLWYa/Jg==", nil},
		{"swagger", "swagger-ui-dist", "5.30.2", "sha512-HWCg1DTNE/Nmapt+0m2EPXFwNKNeKK4PwMjkwveN/zn1cV2Kxi9SURd+m0SpdcSgWEK/O64sf8bzXdtUhigtHA==", []string{"swagger-ui.css", "swagger-ui-bundle.js"}},
		{"aggrid", "ag-grid-community", "34.3.1", "sha512-PwlrPudsFOzGumphi2y9ihWeaUlIwKhOra/MXu2LjeV2U8DgLLcYS8CartE5Hszhn1poJHawwI9HWrxlKliwdw==", []string{"dist/ag-grid-community.min.js"}},
		{"tabulator", "tabulator-tables", "6.3.1", "sha512-qFW7kfadtcaISQIibKAIy0f3eeIXUVi8242Vly1iJfMD79kfEGzfczNuPBN/80hDxHzQJXYbmJ8VipI40hQtfA==", []string{"dist/css/tabulator.min.css", "dist/js/tabulator.min.js"}},
		{"quill", "quill", "2.0.3", "sha512-xEYQBqfYx/sfb33VJiKnSJp8ehloavImQ2A6564GAbqG55PGw1dAWUn1MUbQB62t0azawUS2CZZhWCjO8gRvTw==", []string{"dist/quill.js", "dist/quill.snow.css"}},
		{"tinymce", "tinymce", "6.8.6", "sha512-++XYEs8lKWvZxDCjrr8Baiw7KiikraZ5JkLMg6EdnUVNKJui0IsrAADj5MsyUeFkcEryfn2jd3p09H7REvewyg==", nil},
		{"monaco", "monaco-editor", "0.55.1", "sha512-jz4x+TJNFHwHtwuV9vA9rMujcZRb0CEilTEwG2rRSpe/A7Jdkuj8xPKttCgOh+v/lkHy7HsZ64oj+q3xoAFl9A==", nil},
		{"shoelace", "@shoelace-style/shoelace", "2.20.1", "sha512-FSghU95jZPGbwr/mybVvk66qRZYpx5FkXL+vLNpy1Vp8UsdwSxXjIHE3fsvMbKWTKi9UFfewHTkc5e7jAqRYoQ==", nil},
		{"mui", "@mui/material", "5.18.0", "sha512-bbH/HaJZpFtXGvWg3TsBWG4eyt3gah3E7nCNU8GLyRjVoWcA91Vm/T+sjHfUcwgJSw9iLtucfHBoq+qW/T30aA==", []string{"umd/material-ui.production.min.js"}},
		{"antd", "antd", "5.27.6", "sha512-70HrjVbzDXvtiUQ5MP1XdNudr/wGAk9Ivaemk6f36yrAeJurJSmZ8KngOIilolLRHdGuNc6/Vk+4T1OZpSjpag==", []string{"dist/antd.min.js", "dist/reset.css"}},
		{"react", "react", "18.3.1", "sha512-wS+hAgJShR0KhEvPJArfuPVN1+Hz1t0Y6n5jLrGQbkb4urgPE/0Rve+1kMB1v/oWgHgm4WIcV+i7F2pTVj+2iQ==", []string{"umd/react.production.min.js", "cjs/react.production.min.js", "cjs/react.development.js"}},
		{"react-dom", "react-dom", "18.3.1", "sha512-5m4nQKp+rZRb09LNH59GM4BxTh9251/ylbKIbpe7TpGxfJ+9kv6BLkLBXIjjspbgbnIBNqlI23tRnTWT0snUIw==", []string{"umd/react-dom.production.min.js", "cjs/react-dom.production.min.js", "cjs/react-dom.development.js"}},
		{"scheduler", "scheduler", "0.23.2", "sha512-UOShsPwz7NrMUqhR6t0hWjFduvOzbtv7toDH1/hIrfRNIDBnnBWd0CwJTGvTpngVlmwGCdP9/Zl/tVrDqcuYzQ==", []string{"cjs/scheduler.production.min.js", "cjs/scheduler.development.js"}},
		{"react16", "react", "16.14.0", "sha512-0X2CImDkJGApiAlcf0ODKIneSwBPhqJawOa5wCtKbu7ZECrmS26NvtSILynQ66cgkT/RJ4LidJOc3bUESwmU8g==", []string{"cjs/react.production.min.js"}},
		{"react-dom16", "react-dom", "16.14.0", "sha512-1gCeQXDLoIqMgqD3IO2Ah9bnf0w9kzhwN5q4FGnHZ67hBm9yePzB5JJAIQCc8x3pFnNlwFq4RidZggNAAkzWWw==", []string{"cjs/react-dom.production.min.js"}},
		{"scheduler16", "scheduler", "0.19.1", "sha512-n/zwRWRYSUj0/3g/otKDRPMh6qv2SYMWNq85IEa8iZyAv8od9zDYpGSnpBEjNgcMNq6Scbu5KfIPxNF72R/2EA==", []string{"cjs/scheduler.production.min.js"}},
		{"object-assign", "object-assign", "4.1.1", "sha512-rJgTQnkUnH1sFw8yT6VSU3zD3sWmu6sZhIseY8VX+GRu3P6F7Fu+JNDoXfklElbLJSnc3FUQHVe4cU5hj+BcUg==", []string{"index.js"}},
		{"react19", "react", "19.3.1", "sha512-QNhWdt7nrgVWWQG58QuGsAR3jv3Hbe4mb4vz7w2csnHavciZJgda1CPNaldF6eVxv90ud3jUXpKlHL69gO38yw==", []string{"cjs/react.production.js", "cjs/react.development.js"}},
		{"react-dom19", "react-dom", "19.3.1", "sha512-Y0bARz53lhEC1NMCASs0/j+faB/zqt3R8hpvg1e8+61ZVJ4UL0UdC4cBbXfZMcIuhrfgeILTLe+ZeBCavQPtKQ==", []string{"cjs/react-dom.production.js", "cjs/react-dom.development.js", "cjs/react-dom-client.production.js", "cjs/react-dom-client.development.js"}},
		{"scheduler19", "scheduler", "0.28.0", "sha512-juorfCmIkIw8tT+p5BXSm6PJjQF/ycEYmKyzURCIt/RaZIhL+PulbQ9Yu2z1HdOJDdqDTlxA1+xKBmHXJsczAw==", []string{"cjs/scheduler.production.js", "cjs/scheduler.development.js"}},
		{"leaflet", "leaflet", "1.9.4", "sha512-nxS1ynzJOmOlHp+iL3FyWqK89GtNL8U8rvlMOsQdTTssxZwCXh8N2NB3GDQOL+YR3XnWyZAxwQixURb+FA74PA==", nil},
		{"jquery-ui", "jquery-ui-dist", "1.13.3", "sha512-qeTR3SOSQ0jgxaNXSFU6+JtxdzNUSJKgp8LCzVrVKntM25+2YBJW1Ea8B2AwjmmSHfPLy2dSlZxJQN06OfVFhg==", nil},
		{"select2", "select2", "4.0.13", "sha512-1JeB87s6oN/TDxQQYCvS5EFoQyvV6eYMZZ0AeA4tdFDYWN3BAGZ8npr17UBFddU0lgAt3H0yjX3X6/ekOj1yjw==", []string{"dist/css/select2.min.css", "dist/js/select2.full.min.js"}},
		{"icheck", "icheck", "1.0.2", "sha512-1oDqj9ikiH4csFWKZnfbD1S9IY/MqzEt4cir6PIfkT84D/8QYaAZFrplXoyz5eaATmaoawY3KMTkMAO+fP4wGg==", nil},
		{"icheck-bootstrap", "icheck-bootstrap", "3.0.1", "sha512-Rj3SybdcMcayhsP4IJ+hmCNgCKclaFcs/5zwCuLXH1WMo468NegjhZVxbSNKhEjJjnwc4gKETogUmPYSQ9lEZQ==", []string{"icheck-bootstrap.min.css"}},
		{"dayjs", "dayjs", "1.11.18", "sha512-zFBQ7WFRvVRhKcWoUh+ZA1g2HVgUbsZm9sbddh8EC5iv93sui8DVVz1Npvz+r6meo9VKfa8NyLWBsQK1VvIKPA==", []string{"dayjs.min.js"}},
		{"excalidraw", "@excalidraw/excalidraw", "0.17.6", "sha512-fyCl+zG/Z5yhHDh5Fq2ZGmphcrALmuOdtITm8gN4d8w4ntnaopTXcTfnAAaU3VleDC6LhTkoLOTG6P5kgREiIg==", nil},
		{"bs-custom-file-input", "bs-custom-file-input", "1.3.4", "sha512-NBsQzTnef3OW1MvdKBbMHAYHssCd613MSeJV7z2McXznWtVMnJCy7Ckyc+PwxV6Pk16cu6YBcYWh/ZE0XWNKCA==", []string{"dist/bs-custom-file-input.min.js"}},
	}
}

// pack returns the package as package npm installs it.
func (s source) pack() npm.Package {
	p := npm.Package{
		What: "the app package " + s.name, Name: s.name, Version: s.version, Integrity: s.integrity,
		Dir: s.alias + "-" + s.version, MaxPacked: 32 << 20, MaxUnpacked: 128 << 20,
		Key: []string{"package/package.json"}, KeyOnly: len(s.files) > 0,
	}
	for _, file := range s.files {
		p.Key = append(p.Key, "package/"+file)
	}
	return p
}
