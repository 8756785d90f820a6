package transcript

import (
	"strings"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
)

// minXMLEnds is how many end tags a text without a declaration has, at least, if it is XML. Others are texts
// that somebody has put into an element, such as a prompt for a model.
const minXMLEnds = 3

// xmlKinds say what XML is, by the first element that is not a namespace's: the name of it, or a word of its
// namespace.
var xmlKinds = []struct{ word, reason string }{
	{"rss", feedReason},
	{"atom", feedReason},
	{"opml", "It is a list of podcasts or of headings (OPML) rather than a transcript. " + format.UploadInstead},
	{"gpx", "It is a track of places (GPX) rather than a transcript. " + format.UploadInstead},
	{"kml", "It is a list of places (KML) rather than a transcript. " + format.UploadInstead},
	{"svg", "It is a picture. " + format.UploadInstead},
	{"schemas.microsoft.com/office", officeReason},
	{"schemas.openxmlformats.org", officeReason},
	{"oasis:names:tc:opendocument", officeReason},
	{"qda-xml", "It is a project of a program for qualitative analysis. Please export the transcript from it " +
		"as TXT or DOCX, and upload that."},
	{"fcpxml", editReason},
	{"xmeml", editReason},
}

const (
	feedReason = "It is a feed, which only links to episodes and transcripts. Please upload the transcript " +
		"that it links to, as VTT, SRT or JSON."
	officeReason = "It is an Office document as XML. Please save it as DOCX or XLSX, and upload that."
	editReason   = "It is the project of a program for editing videos. Please export the captions from it as " +
		"SRT or VTT, and upload these."
)

// rejectXML rejects XML that no reader knows, since its tags would be read as words. Web pages, and texts
// that begin with a tag of captions or with a name in such brackets, are none.
func rejectXML(f *file) error {
	text := strings.TrimSpace(strings.TrimPrefix(f.text, plain.ByteOrderMark))
	if !strings.HasPrefix(text, "<") || isHTML(text) {
		return nil
	}
	root, declared := xmlRoot(text)
	if root == "" || !declared && !isWithinElement(text, root) {
		return nil
	}
	name, attributes, _ := strings.Cut(strings.ToLower(root), " ")
	_, local, isQualified := strings.Cut(name, ":")
	if !isQualified {
		local = name
	}
	for _, kind := range xmlKinds {
		if local == kind.word || strings.Contains(attributes, kind.word) && len(kind.word) > 3 {
			return format.Unsupported(kind.reason)
		}
	}
	return format.Unsupported(reasons[kindXML])
}

// xmlRoot returns the name of the first element and its attributes, without brackets, and whether a text
// declares to be XML.
func xmlRoot(text string) (root string, declared bool) {
	for strings.HasPrefix(text, "<") {
		end := ">"
		lower := strings.ToLower(text[:min(len(text), 16)])
		switch {
		case strings.HasPrefix(lower, "<?"):
			end, declared = "?>", declared || strings.HasPrefix(lower, "<?xml")
		case strings.HasPrefix(lower, "<!--"):
			end = "-->"
		case strings.HasPrefix(lower, "<!doctype"):
			declared = true
			if before, _, ok := strings.Cut(text, ">"); ok && strings.Contains(before, "[") {
				end = "]>"
			}
		default:
			root, _, _ = strings.Cut(text[1:min(len(text), maxTag)], ">")
			return strings.Join(strings.Fields(strings.TrimSuffix(root, "/")), " "), declared
		}
		_, rest, ok := strings.Cut(text, end)
		if !ok {
			break
		}
		text = strings.TrimSpace(rest)
	}
	if declared {
		return "?", true
	}
	return "", false
}

// isWithinElement reports whether a text with several elements ends with the one that it begins with.
func isWithinElement(text, root string) bool {
	name, _, _ := strings.Cut(root, " ")
	return strings.HasSuffix(text, "</"+name+">") && strings.Count(text, "</") >= minXMLEnds
}
