package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// writeBill writes the bill of materials of a binary in CycloneDX: the modules that the compiler recorded in
// it, and Go's standard library.
func (b build) writeBill(w io.Writer, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("read the modules of the binary: %w", err)
	}
	components := []cyclonedx.Component{component("std", info.GoVersion)}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		components = append(components, component(module.Path, module.Version))
	}
	bill := cyclonedx.NewBOM()
	bill.Metadata = &cyclonedx.Metadata{
		Timestamp: b.date.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: b.name(), Type: cyclonedx.ComponentTypeApplication, Name: "research", Version: b.version,
		},
	}
	bill.Components = &components
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bill)
}

func component(module, version string) cyclonedx.Component {
	url := "pkg:golang/" + module + "@" + version
	return cyclonedx.Component{
		BOMRef: url, PackageURL: url, Type: cyclonedx.ComponentTypeLibrary, Name: module, Version: version,
	}
}
