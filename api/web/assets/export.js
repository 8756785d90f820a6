// Writes evidence as CSV, Markdown and JSON. The CSV is safe to open in a spreadsheet.
import { clock, matches, reviews, stances, strengths } from './words.js';

// The columns of the CSV in order: the name, and the function that reads the value from a link.
const columns = [
  ['hypothesis', (l) => l.hypothesis], ['stance', (l) => l.stance], ['strength', (l) => l.strength], ['review', (l) => l.review], ['quote', (l) => l.quote], ['summary', (l) => l.summary],
  ['speaker', (l) => l.speaker], ['time', (l) => clock(l.start_ms)], ['start_ms', (l) => l.start_ms], ['end_ms', (l) => l.end_ms], ['interview', (l) => l.interview], ['file', (l) => l.file],
  ['byte_start', (l) => l.byte_start], ['byte_end', (l) => l.byte_end], ['transcript_sha256', (l) => l.sha256], ['match', (l) => l.match], ['origin', (l) => l.origin], ['model', (l) => l.model],
  ['prompt_version', (l) => l.prompt_version], ['confidence', (l) => l.confidence], ['rationale', (l) => l.rationale], ['created_at', (l) => l.created_at], ['evidence_id', (l) => l.evidence_id], ['hypothesis_id', (l) => l.hypothesis_id],
];

// cell quotes a value (RFC 4180). If a spreadsheet would take a text for a formula, an apostrophe is put
// before it (OWASP, CSV injection).
export function cell(value) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[\s\u0000]*[=+\-@\t\r\n|]|^[\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// linksOf flattens evidence to one entry per linked hypothesis. Evidence without a hypothesis has one entry.
export function linksOf(evidence, statements) {
  return evidence.flatMap((e) => {
    const { evidence_hypotheses: links, imports: from, id, ...rest } = e;
    const base = { ...rest, evidence_id: id, interview: from?.title ?? null, file: from?.filename ?? null, sha256: from?.sha256 ?? null };
    return (links.length > 0 ? links : [{ hypothesis_id: null, stance: null, strength: null }]).map((l) => ({ ...base, ...l, hypothesis: statements.get(l.hypothesis_id) ?? null }));
  });
}

// toCSV begins with a byte order mark, which tells spreadsheets that the file is UTF-8.
export const toCSV = (links) => '\ufeff' + [columns.map(([name]) => name), ...links.map((l) => columns.map(([, get]) => cell(get(l))))].map((row) => row.join(',')).join('\r\n') + '\r\n';

// plain escapes the characters that have a meaning in Markdown or HTML.
export const plain = (text) => String(text).replace(/[\\`*_{}[\]<>()#+\-!|~&]/g, '\\$&');

export function toMarkdown(project, hypotheses, links, at) {
  const lines = [`# Evidence: ${plain(project.name)}`, '', `Exported on ${at}. Every quote matches the transcript word for word, unless noted otherwise.`, ''];
  const section = (title, all) => {
    lines.push(`## ${title}`, '');
    if (all.length === 0) lines.push('No evidence.', '');
    for (const stance of ['supports', 'contradicts', 'neutral', null]) {
      const some = all.filter((l) => l.stance === stance);
      if (some.length === 0) continue;
      if (stance) lines.push(`### ${stances[stance]} (${some.length})`, '');
      for (const l of some) {
        lines.push(...l.quote.split('\n').map((line) => `> ${plain(line)}`), '');
        const source = [l.speaker && plain(l.speaker), l.interview && plain(l.interview), clock(l.start_ms)].filter(Boolean).join(', ');
        const facts = [l.strength && `${strengths[l.strength]} evidence`, reviews[l.review], l.origin === 'ai' ? `AI${l.model ? ` (${plain(l.model)})` : ''}` : l.origin === 'keyword' ? 'keyword match, no AI' : 'added by a person', matches[l.match].short];
        lines.push(`${source ? `— ${source}; ` : ''}${facts.filter(Boolean).join(', ')}`, '');
        if (l.summary) lines.push(plain(l.summary).replaceAll('\n', ' '), '');
      }
    }
  };
  for (const h of hypotheses) section(plain(h.statement).replaceAll('\n', ' '), links.filter((l) => l.hypothesis_id === h.id));
  const rest = links.filter((l) => l.hypothesis_id === null);
  if (rest.length > 0) section('Without a hypothesis', rest);
  return lines.join('\n');
}

export const toJSON = (project, hypotheses, evidence, at) =>
  JSON.stringify({ exported_at: at, project, hypotheses, evidence: evidence.map(({ imports: from, ...e }) => ({ ...e, import: from })) }, null, 2) + '\n';

// save lets the browser download a file.
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
