// The transcript with the evidence marked. Selected words can be added as evidence.
import { html, useEffect, useMemo, useRef, useState } from '../html.js';
import { byteLength, piecesOf, spanOf, utteranceAt } from '../bytes.js';
import { clock, count, stances } from '../words.js';
import { Virtual } from '../virtual.js';

// pointIn converts a position in the document to one in the transcript, or null if it is outside.
function pointIn(node, offset) {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
  const row = element?.closest('.utterance');
  const text = row?.querySelector('.text');
  if (!text) return null;
  const at = Number(row.dataset.at);
  const range = document.createRange();
  range.selectNodeContents(text);
  const side = range.comparePoint(node, offset);
  if (side < 0) return { at, index: 0 };
  if (side > 0) return { at, index: text.textContent.length };
  range.setEnd(node, offset);
  return { at, index: range.toString().length };
}

// marksOf returns the evidence within each utterance, by list index.
function marksOf(utterances, evidence) {
  const of = new Map();
  for (const e of evidence) {
    if (e.byte_start === null) continue;
    for (let i = utteranceAt(utterances, e.byte_start); i < utterances.length && utterances[i].byte_start < e.byte_end; i++) {
      if (of.has(i)) of.get(i).push(e);
      else of.set(i, [e]);
    }
  }
  return of;
}

// finding returns the occurrences of a text: [{at, byte_start, byte_end}].
function finding(utterances, text) {
  if (text.trim().length < 2) return [];
  const pattern = new RegExp(text.trim().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+'), 'giu');
  const found = [];
  for (let at = 0; at < utterances.length && found.length < 1000; at++) {
    const u = utterances[at];
    for (const hit of u.text.matchAll(pattern)) {
      const byteStart = u.byte_start + byteLength(u.text, 0, hit.index);
      found.push({ at, id: `find-${found.length}`, find: true, byte_start: byteStart, byte_end: byteStart + byteLength(hit[0]) });
    }
  }
  return found;
}

const speakerHue = (speakers, name) => `voice-${speakers.indexOf(name) % 6}`;

// Transcript shows utterances and evidence. hueOf(evidence) returns the colour class of its hypothesis;
// selected.id is the id of the quote to scroll to.
export function Transcript({ utterances, evidence, unread, hueOf, stanceOf, selected, canEdit, onMark, onQuote, search }) {
  const control = useRef();
  const box = useRef();
  const [span, setSpan] = useState(null);
  const [wanted, setWanted] = useState('');
  const [hit, setHit] = useState(0);
  const marks = useMemo(() => marksOf(utterances, evidence), [utterances, evidence]);
  const speakers = useMemo(() => [...new Set(utterances.map((u) => u.speaker))], [utterances]);
  const found = useMemo(() => finding(utterances, wanted), [utterances, wanted]);
  const now = found[Math.min(hit, found.length - 1)];
  const skipped = useMemo(() => (unread ?? []).filter((u) => Number.isInteger(u.from)), [unread]);
  const isSkipped = (ordinal) => skipped.find((u) => u.from <= ordinal && ordinal <= u.to);
  const wide = useRef(80); // characters per line, to estimate heights

  const scrollTo = (at, id) => control.current?.show(at, (row) => row.querySelector(`[data-marks~="${id}"]`));
  useEffect(() => {
    const e = evidence.find((one) => one.id === selected.id);
    if (e && e.byte_start !== null) scrollTo(utteranceAt(utterances, e.byte_start), e.id);
  }, [selected, utterances]);
  useEffect(() => {
    if (now) scrollTo(now.at, now.id);
  }, [now?.id, wanted]);

  useEffect(() => {
    if (!canEdit) return undefined;
    function onSelection() {
      const selection = document.getSelection();
      if (!selection || selection.isCollapsed || !box.current?.contains(selection.anchorNode)) {
        if (selection?.isCollapsed && box.current?.contains(selection.anchorNode)) setSpan(null);
        return;
      }
      const from = pointIn(selection.anchorNode, selection.anchorOffset);
      const to = pointIn(selection.focusNode, selection.focusOffset);
      setSpan(from && to ? spanOf(utterances, from, to) : null);
    }
    document.addEventListener('selectionchange', onSelection);
    return () => document.removeEventListener('selectionchange', onSelection);
  }, [utterances, canEdit]);

  const wholeTurn = (at) => spanOf(utterances, { at, index: 0 }, { at, index: utterances[at].text.length });

  function row(at) {
    const u = utterances[at];
    const inside = [...(marks.get(at) ?? [])];
    if (now?.at === at) inside.push(now);
    const first = at === 0 || utterances[at - 1].speaker !== u.speaker;
    const reason = isSkipped(u.ordinal);
    return html`<div class=${'turn' + (first ? ' first' : '') + (reason ? ' unread' : '')}>
      <div class="who">${first && u.speaker && html`<b class=${speakerHue(speakers, u.speaker)} dir="auto">${u.speaker}</b>`}${u.start_ms !== null && html`<span class="time">${clock(u.start_ms)}</span>`}</div>
      <p class="text" dir="auto">${inside.length === 0 ? u.text : piecesOf(u, inside).map((piece, i) => {
        if (piece.marks.length === 0) return piece.text;
        const of = piece.marks.filter((m) => !m.find);
        const top = of.find((m) => m.id === selected.id) ?? of[0];
        const ids = piece.marks.map((m) => m.id).join(' ');
        if (!top) return html`<mark key=${i} class="find" data-marks=${ids}>${piece.text}</mark>`;
        return html`<mark key=${i} class=${`${hueOf(top)} ${top.review}${top.id === selected.id ? ' selected' : ''}${of.length > 1 ? ' several' : ''}${of.length < piece.marks.length ? ' find' : ''}`} data-marks=${ids}
          title=${`${stances[stanceOf(top)] ?? ''}${of.length > 1 ? `, and ${of.length - 1} more` : ''}`} onClick=${() => document.getSelection()?.isCollapsed && onMark(top)}>${piece.text}</mark>`;
      })}</p>
      ${reason && html`<p class="reason"><span>not analysed</span></p>`}
      ${canEdit && u.text && html`<button class="small quiet quote-turn" aria-label=${`Quote this turn${u.speaker ? ` by ${u.speaker}` : ''}`} onClick=${() => onQuote(wholeTurn(at))}>Quote</button>`}
    </div>`;
  }
  const estimate = (i) => 14 + 24 * Math.max(1, Math.ceil(utterances[i].text.length / wide.current));
  return html`<section class="transcript" ref=${box} aria-label="Transcript">
    <div class="tools" role="search">
      <input ref=${search} type="search" placeholder="Find in the transcript" aria-label="Find in the transcript" value=${wanted}
        onInput=${(e) => { setWanted(e.currentTarget.value); setHit(0); }}
        onKeyDown=${(e) => { if (e.key === 'Enter' && found.length) { e.preventDefault(); setHit((n) => (n + (e.shiftKey ? found.length - 1 : 1)) % found.length); } if (e.key === 'Escape') { setWanted(''); e.currentTarget.blur(); } }} />
      ${wanted.trim().length > 1 && html`<span class="faint" role="status">${found.length === 0 ? 'not found' : `${hit + 1} of ${found.length === 1000 ? '1000+' : found.length}`}</span>
        <button class="quiet icon" aria-label="Previous" disabled=${!found.length} onClick=${() => setHit((hit + found.length - 1) % found.length)}>↑</button>
        <button class="quiet icon" aria-label="Next" disabled=${!found.length} onClick=${() => setHit((hit + 1) % found.length)}>↓</button>`}
      <span class="grow"></span><span class="faint">${count(utterances.length, 'turn')}</span>
    </div>
    <${Virtual} count=${utterances.length} estimate=${estimate} row=${row} label="Transcript, scrollable" control=${control} />
    ${span && html`<div class="selection" role="status">
      <span class="words" dir="auto">${span.quote.length > 140 ? `${span.quote.slice(0, 140)}…` : span.quote}</span>
      <button class="primary" onMouseDown=${(e) => e.preventDefault()} onClick=${() => onQuote(span)}>Add as evidence</button>
    </div>`}
  </section>`;
}
