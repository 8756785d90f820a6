-- +goose Up
-- The data API shows these comments as descriptions of tables and columns.

comment on column public.hypotheses.importance is 'high, medium or low: how much depends on the hypothesis.';
comment on column public.hypotheses.falsified_if is 'The observation that would refute the hypothesis.';
comment on column public.hypotheses.decision_reason is 'The reason for the verdict.';

comment on table public.imports is
  'An uploaded transcript and the state of the workflow that parses it. Read only for clients.';
comment on column public.imports.format is 'The detected format: webvtt, srt, text, ….';
comment on column public.imports.language is 'A BCP 47 tag; empty if unknown.';
comment on column public.imports.status is
  'uploaded → queued → parsing → parsed, failed, canceled, terminated or timed_out. An import with one '
  'of the last '
  'four statuses can be parsed again.';
comment on column public.imports.error_code is 'Why the latest run ended without success, for programs.';
comment on column public.imports.error_message is 'Why the latest run ended without success, for people.';
comment on column public.imports.extractor is
  'openai (a language model) or keyword (matches keywords, without AI).';
comment on column public.imports.prompt_version is 'The version of the instructions to the model.';
comment on column public.imports.input_tokens is
  'Tokens of the requests of all runs, as counted by the model.';
comment on column public.imports.output_tokens is
  'Tokens of the responses to all runs, as counted by the model.';
comment on column public.imports.evidence_count is 'Pieces of evidence whose quotes are proven.';
comment on column public.imports.rejected_count is
  'Quotes of the extractor that the transcript does not contain. They are not evidence.';
comment on column public.imports.claim_id is
  'The latest request to parse. Writes of an earlier request change nothing.';
comment on column public.imports.coverage is 'The part of the transcript that was read, from 0 to 1.';
comment on column public.imports.unread is
  'Ranges that could not be read: [{"from", "to", "reason"}], ordinals of utterances, both included.';

comment on table public.utterances is
  'The turns of a transcript with speaker, time and position. The texts joined by line feeds are the '
  'transcript. '
  'Read only for clients.';
comment on column public.utterances.start_ms is
  'Milliseconds from the start of the recording; null if unknown.';
comment on column public.utterances.end_ms is
  'Milliseconds from the start of the recording; null if unknown.';
comment on column public.utterances.byte_start is 'First byte of the text in the transcript, in UTF-8.';
comment on column public.utterances.byte_end is 'The byte after the last byte of the text.';

comment on table public.import_hypotheses is
  'The result of one import for one chosen hypothesis. Read only for clients.';
comment on column public.import_hypotheses.supports_count is
  'Evidence that supports it and that nobody rejected.';
comment on column public.import_hypotheses.contradicts_count is
  'Evidence that contradicts it and that nobody rejected.';
comment on column public.import_hypotheses.neutral_count is
  'Evidence that concerns it, neither supports nor contradicts it, and that nobody rejected.';

comment on table public.evidence is 'A quote that supports or contradicts hypotheses.';
comment on column public.evidence.speaker is
  'The speaker. Looked up by the database if the quote has offsets.';
comment on column public.evidence.byte_start is
  'First byte of the quote in the transcript, in UTF-8. Searched for by the database if a client leaves '
  'it out.';
comment on column public.evidence.byte_end is 'The byte after the last byte of the quote.';
comment on column public.evidence.rationale is 'Why it supports or contradicts the hypotheses.';
comment on column public.evidence.confidence is
  'From 0 to 1, as judged by the extractor; 1 for what a person entered.';
comment on column public.evidence.review is 'suggested until a person accepts or rejects it.';
comment on column public.evidence.prompt_version is 'The version of the instructions to the model.';
comment on column public.evidence.edited_at is
  'When a person last changed quote, summary, rationale or a link. Later runs do not change it.';
comment on column public.evidence.quote is
  'If byte_start and byte_end are set, exactly these bytes of the transcript; the database rejects '
  'anything else.';
comment on column public.evidence.match is
  'verbatim: as quoted; repaired: corrected to the wording of the transcript; manual: entered by a person.';
comment on column public.evidence.origin is 'human, ai, or keyword (matches keywords, without AI).';

comment on table public.evidence_hypotheses is
  'Which hypothesis a piece of evidence supports or contradicts, and how strongly.';

comment on function public.hypothesis_balances is
  'Counts the evidence for and against each hypothesis of a project. A hypothesis without evidence has '
  'no row.';
