// The search in a project: in transcripts, quotes, hypotheses, and the names of interviews and speakers.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { go } from '../../page/router.js';
import { atLeast, count } from '../../page/words.js';
import { Dialog } from '../../page/dialog.js';
import { Problem } from '../../page/ui.js';
import { Collect } from './collect.js';
import { Filters, isLimited, kinds, noteWanted, wantedIn } from './filters.js';
import { isSame, lastWanted, useFound } from './found.js';
import { groupsOf, keyOf, selectable } from './hits.js';
import { Results } from './results.js';
import { useTheming } from './theming.js';

/** @typedef {import('./filters.js').Wanted} Wanted */
/** @typedef {import('./hits.js').Selectable} Selectable */

const LEAST = 3; // characters of a question

/** @param {import('./hits.js').Group[]} groups */
const placesIn = (groups) => groups.reduce((sum, g) => sum + Math.max(g.found, g.hits.length), 0);

/** @param {Hit[]} hits @param {string} kind */
const ofKind = (hits, kind) => (kind ? hits.filter((hit) => kinds[kind].of.includes(hit.kind)) : hits);

/** @param {Hit[]} hits @returns {Record<string, number>} */
const countsOf = (hits) =>
  Object.fromEntries(Object.keys(kinds).map((kind) => [kind, placesIn(groupsOf(ofKind(hits, kind)))]));

// summaryOf says how much was found.
/** @param {string} query @param {import('./hits.js').Group[]} groups */
function summaryOf(query, groups) {
  if (query.trim() === '') return '';
  const places = placesIn(groups);
  if (places === 0) return 'Nothing found.';
  const interviews = groups.filter(
    ({ found, hits }) => found > 0 || hits.some((hit) => hit.kind === 'quote' && hit.import_id),
  );
  const where = interviews.length > 0 ? ` in ${count(interviews.length, 'interview')}` : '';
  return `${count(places, 'place')}${where}.`;
}

// keysOf returns the handler of the keys in the search: they move between the field and the hits of a list,
// open the first hit once it is that of the query, select a hit, give it a theme, and close the search.
/**
 * @param {object} of
 * @param {Ref<HTMLInputElement>} of.input
 * @param {Ref<HTMLElement>} of.box
 * @param {boolean} of.ready
 * @param {false | ((row: HTMLElement) => void)} of.onTheme
 * @param {() => void} of.onClose
 */
const keysOf =
  ({ input, box, ready, onTheme, onClose }) =>
  (/** @type {KeyboardEvent} */ event) => {
    const links = [
      .../** @type {NodeListOf<HTMLAnchorElement>} */ (box.current.querySelectorAll('[data-hit]')),
    ];
    const inField = document.activeElement === input.current;
    const at = links.findIndex((link) => link === document.activeElement);
    const move = event.key === 'ArrowDown' ? at + 1 : event.key === 'ArrowUp' ? at - 1 : undefined;
    if (move !== undefined && (at >= 0 || inField)) {
      event.preventDefault();
      if (move < 0) input.current.focus();
      else links.at(Math.min(move, links.length - 1))?.focus();
    } else if (event.key === 'Enter' && inField) {
      event.preventDefault();
      if (ready) links.at(0)?.click();
    } else if (event.key === ' ' && at >= 0) {
      event.preventDefault();
      links[at].closest('li')?.querySelector('input')?.click();
    } else if (event.key.toLowerCase() === 't' && at >= 0 && onTheme && !event.ctrlKey && !event.metaKey) {
      const row = links[at].closest('li');
      event.preventDefault();
      if (row) onTheme(row);
    } else if (event.key === 'Escape') {
      event.preventDefault(); // browsers would only clear the field
      onClose();
    }
  };

// withThemes returns a function that shows the themes that a hit has now.
/** @param {Hit} hit @param {QuoteTheme[]} links @returns {(hits: Hit[]) => Hit[]} */
const withThemes = (hit, links) => (hits) =>
  hits.map((one) =>
    keyOf(one) === keyOf(hit) && one.coded
      ? { ...one, coded: { ...one.coded, evidence_themes: links } }
      : one,
  );

// useSelected returns the hits that are selected, by their keys, and functions that select one and none.
function useSelected() {
  const [chosen, setChosen] = useState(/** @type {Map<string, Selectable>} */ (new Map()));
  return {
    chosen,
    clear: () => setChosen(new Map()),
    /** @param {Selectable} hit */
    toggle: (hit) =>
      setChosen((now) => {
        const next = new Map(now);
        if (!next.delete(keyOf(hit))) next.set(keyOf(hit), hit);
        return next;
      }),
  };
}

// Search begins with what was typed while it was opened, with what the address asks for, or with the last
// search.
/**
 * @param {object} props
 * @param {Workspace} props.workspace
 * @param {Project} props.project
 * @param {() => string} props.typed
 * @param {() => void} props.onClose
 */
export function Search({ workspace, project, typed, onClose }) {
  const [wanted, setWanted] = useState(
    () => wantedIn(new URLSearchParams(location.search)) ?? lastWanted(project.id),
  );
  const { found, error, retry, showAll, change } = useFound(project.id, wanted);
  const { chosen, toggle, clear } = useSelected();
  const [collecting, setCollecting] = useState(false);
  const theming = useTheming({ projectId: project.id, query: found.wanted.query, change, onDone: clear });
  /** @type {Ref<HTMLInputElement>} */
  const input = useRef();
  /** @type {Ref<HTMLElement>} */
  const box = useRef();
  const canEdit = atLeast(workspace.role, 'editor');
  const groups = groupsOf(ofKind(found.hits, wanted.kind));
  const { query } = found.wanted;
  /** @param {Partial<typeof wanted>} change */
  const want = (change) => setWanted((now) => ({ ...now, ...change }));
  const close = () => {
    noteWanted(null);
    onClose();
  };

  useEffect(() => {
    const text = typed();
    if (!text) return input.current.select();
    input.current.value = text;
    want({ query: text });
    return undefined;
  }, []);
  useEffect(() => noteWanted(wanted), [wanted]);

  /** @param {MouseEvent} event @param {string} href */
  function open(event, href) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return; // in a new tab
    event.preventDefault();
    onClose();
    go(href);
  }

  // give asks for a theme of the selected hits or, without any, of the one that has the focus.
  /** @param {HTMLElement} row */
  function give(row) {
    const hit = found.hits.find((one) => keyOf(one) === row.dataset.key);
    if (chosen.size > 0) theming.ask([...chosen.values()], row);
    else if (hit && selectable(hit)) theming.ask([hit], row);
  }

  if (collecting)
    return html`
      <${Collect}
        project=${project}
        hits=${[...chosen.values()]}
        query=${query}
        onClose=${() => setCollecting(false)}
        onAdded=${() => {
          clear();
          setCollecting(false);
        }}
      />
    `;
  return html`
    <${Dialog} title=${`Search ${project.name}`} onClose=${close} wide>
      <div
        class="search"
        role="search"
        ref=${box}
        onKeyDown=${keysOf({
          input,
          box,
          ready: isSame(wanted, found.wanted),
          onTheme: canEdit && give,
          onClose: close,
        })}
      >
        <input
          ref=${input}
          type="search"
          value=${wanted.query}
          maxlength="200"
          aria-label="Search transcripts, quotes, hypotheses and interviews"
          placeholder="Words in transcripts, quotes, hypotheses, names"
          autocomplete="off"
          onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget: { value } }) =>
            want({ query: value })}
        />
        <${Filters}
          projectId=${project.id}
          wanted=${wanted}
          counts=${countsOf(found.hits)}
          onChange=${want}
        />
        <${Summary} text=${summaryOf(query, groups)} wanted=${wanted} onChange=${want} />
        ${
          error &&
          html`
            <${Problem} error=${error} retry=${retry} />
          `
        }
        <${Hits}
          ...${{ project, groups, query, chosen, canEdit, toggle, open, showAll, change }}
          more=${found.hits[0]?.more}
          question=${canEdit && wanted.query.trim().length >= LEAST ? wanted.query : ''}
        />
        <${Foot}
          selected=${chosen.size}
          canEdit=${canEdit}
          onClear=${clear}
          onCollect=${() => setCollecting(true)}
          onTheme=${(/** @type {Element} */ anchor) => theming.ask([...chosen.values()], anchor)}
        />
        ${theming.popup}
      </div>
    <//>
  `;
}

// Hits shows what was found, and offers to ask the interviews the same question, unless it is ''.
/**
 * @param {object} props
 * @param {Project} props.project
 * @param {import('./hits.js').Group[]} props.groups
 * @param {string} props.query
 * @param {ReadonlyMap<string, unknown>} props.chosen
 * @param {boolean} props.canEdit
 * @param {(hit: Selectable) => void} props.toggle
 * @param {(event: MouseEvent, href: string) => void} props.open
 * @param {(importId: string) => void} props.showAll
 * @param {(next: (hits: Hit[]) => Hit[]) => void} props.change
 * @param {boolean | undefined} props.more
 * @param {string} props.question
 */
const Hits = ({
  project,
  groups,
  query,
  chosen,
  canEdit,
  toggle,
  open,
  showAll,
  change,
  more,
  question,
}) => html`
  <div class="hits">
    <${Results}
      groups=${groups}
      projectId=${project.id}
      query=${query}
      chosen=${chosen}
      onToggle=${canEdit && toggle}
      onOpen=${open}
      onAll=${showAll}
      onThemes=${
        canEdit &&
        ((/** @type {Hit} */ hit, /** @type {QuoteTheme[]} */ links) => change(withThemes(hit, links)))
      }
    />
    ${
      more &&
      html`
        <p class="faint">Older interviews may have more. Add a word to narrow the search.</p>
      `
    }
    ${
      question &&
      html`
        <${AskInstead} projectId=${project.id} question=${question} onOpen=${open} />
      `
    }
  </div>
`;

// AskInstead asks the interviews what is searched. It is the last row, also where nothing was found.
/**
 * @param {object} props
 * @param {string} props.projectId
 * @param {string} props.question
 * @param {(event: MouseEvent, href: string) => void} props.onOpen
 */
function AskInstead({ projectId, question, onOpen }) {
  const href = `/projects/${projectId}/ask?${new URLSearchParams({ q: question })}`;
  return html`
    <ul aria-label="Ask the interviews">
      <li>
        <a data-hit href=${href} onClick=${(/** @type {MouseEvent} */ event) => onOpen(event, href)}>
          <span class="faint">Ask:</span>
          ${' '}
          <span class="said" dir="auto">${question}</span>
        </a>
      </li>
    </ul>
  `;
}

// Summary says how much was found, and lifts the limits.
/**
 * @param {object} props
 * @param {string} props.text
 * @param {Wanted} props.wanted
 * @param {(change: Partial<Wanted>) => void} props.onChange
 */
const Summary = ({ text, wanted, onChange }) => html`
  <p class="faint">
    <span role="status">${text}</span>
    ${
      isLimited(wanted) &&
      html`
        ${' '}
        <button class="link" onClick=${() => onChange({ kind: '', persona: '', speaker: '' })}>
          Search everything
        </button>
      `
    }
  </p>
`;

// Foot has what can be done with the selected hits or, without any, the keys.
/**
 * @param {object} props
 * @param {number} props.selected
 * @param {boolean} props.canEdit
 * @param {() => void} props.onClear
 * @param {() => void} props.onCollect
 * @param {(button: Element) => void} props.onTheme
 */
const Foot = ({ selected, canEdit, onClear, onCollect, onTheme }) => html`
  <p class="foot">
    ${
      selected > 0
        ? html`
            <span>${count(selected, 'place')} selected</span>
            <span class="grow"></span>
            <button onClick=${onClear}>Clear</button>
            <button
              aria-haspopup="dialog"
              onClick=${(/** @type {{ currentTarget: Element }} */ e) => onTheme(e.currentTarget)}
            >
              Theme
            </button>
            <button class="primary" onClick=${onCollect}>Add as evidence</button>
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
                  ${' select as evidence, '}
                  <kbd>t</kbd>
                  ${' theme'}
                `
              }
            </span>
          `
    }
  </p>
`;
