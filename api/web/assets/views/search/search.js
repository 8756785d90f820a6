// The search in a project: in transcripts, quotes, hypotheses, and the names of interviews and speakers.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { rpc } from '../../client/api.js';
import { hitsIn, wordsOf } from '../transcript/highlight.js';
import { go } from '../../page/router.js';
import { atLeast, count } from '../../page/words.js';
import { clock } from '../shared/interviewwords.js';
import { Dialog } from '../../page/dialog.js';
import { Problem } from '../../page/ui.js';
import { Collect } from './collect.js';

const SOON_MS = 150; // after the last key
const EXCERPT = 400; // letters of a longer text

const kinds = { interview: 'Interview', speaker: 'Speaker', quote: 'Quote', hypothesis: 'Hypothesis' };

// The last search of each project, so that the results are there when the search is opened again.
const last = new Map();

const keyOf = (hit) => [hit.kind, hit.import_id, hit.ordinal, hit.id].join(' ');
const selectable = (hit) => hit.kind === 'utterance' || hit.kind === 'quote';

function addressOf(hit, project, query) {
  if (hit.kind === 'hypothesis') return `/projects/${project.id}/evidence?h=${hit.id}`;
  if (!hit.import_id) return `/projects/${project.id}/evidence`;
  const place = { utterance: { u: hit.ordinal, q: query }, quote: { e: hit.id } }[hit.kind];
  return `/imports/${hit.import_id}${place ? `?${new URLSearchParams(place)}` : ''}`;
}

// groupsOf groups hits by interview, in their order: [{id, title, found, hits}]. Hypotheses are the first
// group.
function groupsOf(hits) {
  const groups = new Map();
  for (const hit of hits) {
    const id = hit.kind === 'hypothesis' ? 'hypotheses' : (hit.import_id ?? 'elsewhere');
    const title = { hypotheses: 'Hypotheses', elsewhere: 'Quotes without an interview' }[id] ?? hit.title;
    if (!groups.has(id)) groups.set(id, { id, title, found: 0, hits: [] });
    const group = groups.get(id);
    group.found = Math.max(group.found, hit.found ?? 0);
    group.hits.push(hit);
  }
  return [...groups.values()];
}

function Marked({ text, query }) {
  const parts = [];
  let at = 0;
  for (const { from, to } of hitsIn(text, query)) {
    parts.push(text.slice(at, from));
    parts.push(html`
      <mark class="hit">${text.slice(from, to)}</mark>
    `);
    at = to;
  }
  return [...parts, text.slice(at)];
}

// Search begins with what was typed while it was opened, or with the last search.
export function Search({ workspace, project, typed, onClose }) {
  const [query, setQuery] = useState(last.get(project.id)?.query ?? '');
  const [found, setFound] = useState(last.get(project.id) ?? { query: '', hits: [] });
  const [error, setError] = useState(null);
  const [chosen, setChosen] = useState(new Map());
  const [collecting, setCollecting] = useState(false);
  const [again, setAgain] = useState(0);
  const input = useRef();
  const box = useRef();
  const canEdit = atLeast(workspace.role, 'editor');

  useEffect(() => {
    const text = typed();
    if (!text) return input.current.select();
    input.current.value = text;
    setQuery(text);
  }, []);
  useEffect(() => {
    if (query === found.query && !error) return undefined;
    const control = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const hits =
          wordsOf(query).length === 0
            ? []
            : await rpc('search_project', { project: project.id, query }, { signal: control.signal });
        const answer = { query, hits };
        last.set(project.id, answer);
        setFound(answer);
        setError(null);
      } catch (e) {
        if (!control.signal.aborted) setError(e);
      }
    }, SOON_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [query, again]);

  // all shows the other utterances of an interview.
  async function all(group) {
    try {
      const more = await rpc('search_project', { project: project.id, query: found.query, import: group.id });
      const others = found.hits.filter((hit) => hit.import_id !== group.id || !selectable(hit));
      const at = found.hits.findIndex((hit) => hit.import_id === group.id);
      const before = others.filter((hit) => found.hits.indexOf(hit) < at);
      const named = others.filter((hit) => hit.import_id === group.id);
      const after = others.filter((hit) => !before.includes(hit) && !named.includes(hit));
      setFound({ ...found, hits: [...before, ...named, ...more, ...after] });
    } catch (e) {
      setError(e);
    }
  }

  const toggle = (hit) =>
    setChosen((now) => {
      const next = new Map(now);
      if (!next.delete(keyOf(hit))) next.set(keyOf(hit), hit);
      return next;
    });

  function open(event, hit) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return; // in a new tab
    event.preventDefault();
    onClose();
    go(addressOf(hit, project, found.query));
  }

  function onKeyDown(event) {
    const links = [...box.current.querySelectorAll('[data-hit]')];
    const at = links.indexOf(document.activeElement);
    const move = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (move !== undefined && (at >= 0 || document.activeElement === input.current)) {
      event.preventDefault();
      if (move < 0) input.current.focus();
      else links[Math.min(move, links.length - 1)]?.focus();
    } else if (event.key === 'Enter' && document.activeElement === input.current) {
      event.preventDefault();
      if (query === found.query) links[0]?.click();
    } else if (event.key === ' ' && at >= 0) {
      event.preventDefault();
      links[at].closest('li').querySelector('input')?.click();
    } else if (event.key === 'Escape') {
      event.preventDefault(); // browsers would only clear the field
      onClose();
    }
  }

  const groups = groupsOf(found.hits);
  const interviews = groups.filter((group) => group.found > 0);
  const places = groups.reduce((sum, g) => sum + Math.max(g.found, g.hits.length), 0);
  const summary =
    found.query.trim() === ''
      ? ''
      : places === 0
        ? 'Nothing found.'
        : `${count(places, 'place')} in ${count(interviews.length, 'interview')}.`;
  if (collecting)
    return html`
      <${Collect}
        project=${project}
        hits=${[...chosen.values()]}
        query=${found.query}
        onClose=${() => setCollecting(false)}
        onAdded=${() => {
          setChosen(new Map());
          setCollecting(false);
        }}
      />
    `;
  return html`
    <${Dialog} title=${`Search ${project.name}`} onClose=${onClose} wide>
      <div class="search" role="search" ref=${box} onKeyDown=${onKeyDown}>
        <input
          ref=${input}
          type="search"
          value=${query}
          maxlength="200"
          aria-label="Search transcripts, quotes, hypotheses and interviews"
          placeholder="Words in transcripts, quotes, hypotheses, names"
          autocomplete="off"
          onInput=${(e) => setQuery(e.currentTarget.value)}
        />
        <p class="faint" role="status">${summary}</p>
        ${
          error &&
          html`
            <${Problem} error=${error} retry=${() => setAgain((n) => n + 1)} />
          `
        }
        <div class="hits">
          ${groups.map(
            (group) => html`
              <section key=${group.id} aria-label=${group.title}>
                <h3 dir="auto">${group.title}</h3>
                <ul>
                  ${group.hits.map(
                    (hit) => html`
                      <li key=${keyOf(hit)} class=${hit.kind}>
                        ${
                          canEdit &&
                          selectable(hit) &&
                          html`
                            <input
                              type="checkbox"
                              tabindex="-1"
                              checked=${chosen.has(keyOf(hit))}
                              aria-label=${`Select “${hit.text.slice(0, 80)}”`}
                              onChange=${() => toggle(hit)}
                            />
                          `
                        }
                        <a
                          data-hit
                          href=${addressOf(hit, project, found.query)}
                          onClick=${(e) => open(e, hit)}
                        >
                          <span class="faint">
                            ${
                              hit.kind === 'utterance'
                                ? [hit.speaker, clock(hit.start_ms)].filter(Boolean).join(' · ')
                                : kinds[hit.kind]
                            }
                          </span>
                          ${' '}
                          <span class="said" dir="auto">
                            <${Marked} text=${hit.text} query=${found.query} />
                            ${hit.text.length >= EXCERPT && '…'}
                          </span>
                        </a>
                      </li>
                    `,
                  )}
                </ul>
                ${
                  group.found > group.hits.filter((hit) => hit.kind === 'utterance').length &&
                  html`
                    <button class="link" onClick=${() => all(group)}>
                      Show all ${count(group.found, 'turn')}
                    </button>
                  `
                }
              </section>
            `,
          )}
          ${
            found.hits[0]?.more &&
            html`
              <p class="faint">Older interviews may have more. Add a word to narrow the search.</p>
            `
          }
        </div>
        <p class="foot">
          ${
            chosen.size > 0
              ? html`
                  <span>${count(chosen.size, 'place')} selected</span>
                  <span class="grow"></span>
                  <button onClick=${() => setChosen(new Map())}>Clear</button>
                  <button class="primary" onClick=${() => setCollecting(true)}>Add as evidence</button>
                `
              : html`
                  <span class="faint">
                    <kbd>↑</kbd>
                    ${' '}
                    <kbd>↓</kbd>
                    ${' move, '}
                    <kbd>Enter</kbd>
                    ${' open'}${
                      canEdit &&
                      html`
                        ${', '}
                        <kbd>Space</kbd>
                        ${' select as evidence'}
                      `
                    }
                  </span>
                `
          }
        </p>
      </div>
    <//>
  `;
}
