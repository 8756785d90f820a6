// Package service reads the JSON of transcription services, meeting tools and chats.
//
// Each service has a function that returns the turns of its documents, and a row of the table of readers.
package service

import (
	"research/transcript/internal/format"
	"research/transcript/internal/language"
	"research/transcript/internal/turn"
)

// A Reading is what a service's JSON says.
type Reading struct {
	Format   format.Format
	Language string // ISO 639-1 code, or ""
	List     turn.List
}

// Read reads the JSON of the first service whose it can be.
func Read(doc Document) (Reading, error) {
	for _, r := range readers {
		if list, declared, ok := r.read(doc); ok {
			return Reading{r.format, language.Code(declared), list}, nil
		}
	}
	return Reading{}, format.Unsupported("It is JSON without a list of turns that have words, and a " +
		"speaker or a time. Please upload the transcript as VTT, SRT, TXT or DOCX, or the JSON of a " +
		"transcription service.")
}

// A reader is the JSON of one service. Its function returns false for the JSON of others.
type reader struct {
	format format.Format
	read   func(doc Document) (list turn.List, language string, ok bool)
}

// readers are in order of precedence, since they overlap: Deepgram's is the most specific, Whisper's the
// least.
var readers = []reader{
	{format.Deepgram, readDeepgram},
	{format.RevAI, readMember("monologues")},
	{format.AWS, readMember("results", "audio_segments")},
	{format.AWS, readAWSItems},
	{format.AWS, readAWSCalls},
	{format.Speechmatics, readSpeechmatics},
	{format.ServiceJSON, readWatson},
	{format.Google, readGoogle},
	{format.Azure, readMember("recognizedPhrases")},
	{format.Azure, readMember("phrases")},
	{format.Gladia, readMember("result", "transcription", "utterances")},
	{format.Gladia, readMember("transcription", "utterances")},
	{format.Gong, readGong},
	{format.HuggingFace, readSpeakersOfChunks},
	{format.HuggingFace, readMember("chunks")},
	{format.ElevenLabs, readElevenLabs},
	{format.Amberscript, readAmberscript},
	{format.ServiceJSON, readMember("output", "turnLevelTranscription")},
	{format.ServiceJSON, readMember("transcript", "speaker_blocks")},
	{format.ServiceJSON, readTimedParagraphs},
	{format.ServiceJSON, readSegmentation},
	{format.AssemblyAI, readAssemblyAI},
	{format.FirefliesJSON, readFireflies},
	{format.SlackJSON, readSlack},
	{format.ServiceJSON, readChat},
	{format.ServiceJSON, readSections},
	{format.ServiceJSON, readNamedList},
	{format.Whisper, readWhisper},
	{format.ServiceJSON, readAnyList},
	{format.ServiceJSON, readSimple}, // any keys, so that it sees what no other reader takes
}
