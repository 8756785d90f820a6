// Beside selected words: the themes that they belong to, for and against which hypotheses they are evidence,
// or the new theme or hypothesis that they suggest.
import { html, useLayoutEffect, useRef, useState } from '../../page/html.js';
import { insert, remove } from '../../client/api.js';
import { count, entriesOf } from '../../page/words.js';
import { stanceMarks, stances, unconfirmed } from '../shared/evidencewords.js';
import { isNew, suggest } from '../shared/suggesting.js';
import { problem } from '../../page/messages.js';
import { placeBeside } from '../shared/beside.js';
import { evidenceColumns } from '../shared/evidencecolumns.js';
import { ThemePicker } from '../shared/themepicker.js';

const NAME = 60; // characters that a name has at most
const MANY = 8; // hypotheses, from which on they can be filtered

// store stores a quote and its links. Either all of it is stored or nothing.
/**
 * @param {string} projectId
 * @param {string} importId
 * @param {Span} span
 * @param {EvidenceLink[]} links
 * @returns {Promise<LinkedEvidence>}
 */
async function store(projectId, importId, span, links) {
  const saved = await insert(
    'evidence',
    {
      project_id: projectId,
      import_id: importId,
      quote: span.quote,
      byte_start: span.byteStart,
      byte_end: span.byteEnd,
      review: 'accepted',
    },
    evidenceColumns,
  );
  try {
    await insert(
      'evidence_hypotheses',
      links.map((link) => ({ ...link, evidence_id: saved.id, project_id: projectId })),
      'evidence_id',
    );
  } catch (error) {
    await remove('evidence', { id: `eq.${saved.id}` }).catch(() => {});
    throw error;
  }
  return { ...saved, evidence_hypotheses: links };
}

// Popover is below the box of the words, or above it where there is no room, and moves with it. It takes the
// focus if the words were chosen by a button, or are to get a theme. H moves the focus to the hypotheses, and
// T to the themes. chosen are the ids of the themes that the words have.
/**
 * @param {object} props
 * @param {Context} props.context
 * @param {string} props.importId
 * @param {ChosenSpan} props.span
 * @param {string} props.only a hypothesis that is offered although it is parked
 * @param {boolean} props.doubtful who speaks is not certain
 * @param {import('../shared/coding.js').Themes} props.themes
 * @param {Set<string>} props.chosen
 * @param {(wanted: import('../shared/coding.js').Wanted) => void} props.onTheme
 * @param {(e: LinkedEvidence) => void} props.onAdded
 * @param {null | (() => void)} props.onRedact
 * @param {() => void} props.onMore
 * @param {() => void} props.onClose
 */
export function Popover({ context, importId, span, only, doubtful, ...props }) {
  const { themes, chosen: ofThemes, onTheme, onRedact, onAdded, onMore, onClose } = props;
  const [chosen, setChosen] = useState(/** @type {Map<string, Stance>} */ (new Map()));
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const ref = usePlaced(span, onClose);
  const alive = context.hypotheses.filter((h) => h.status !== 'parked' || h.id === only);
  const idea = typed.trim();
  // Who types is told about parked hypotheses too, rather than to write them again.
  const found = (idea ? context.hypotheses : alive).filter((h) =>
    h.statement.toLowerCase().includes(idea.toLowerCase()),
  );
  const shown = context.hypotheses.filter((h) => chosen.has(h.id) || found.includes(h));
  const many = alive.length > MANY;
  const choose = (/** @type {string} */ id, /** @type {Stance} */ stance) =>
    setChosen((now) => {
      const next = new Map(now);
      if (next.get(id) === stance) next.delete(id);
      else next.set(id, stance);
      return next;
    });
  /** @param {Map<string, Stance>} chosen */
  const stored = (chosen) =>
    store(
      context.id,
      importId,
      span,
      [...chosen].map(([id, stance]) => ({ hypothesis_id: id, stance, strength: 'medium' })),
    );
  /** @param {() => Promise<LinkedEvidence>} write */
  async function add(write) {
    if (busy) return;
    setBusy(true);
    try {
      onAdded(await write());
    } catch (e) {
      problem(e);
      setBusy(false);
    }
  }
  const create = () =>
    add(() => suggest(context, idea, (h) => stored(new Map([...chosen, [h.id, 'supports']]))));
  const writing = html`
    <${Writing}
      key="writing"
      label=${labelFor(alive.length)}
      typed=${typed}
      matches=${found.length > 0}
      create=${!busy && isNew(context, idea) && create}
      onInput=${setTyped}
    />
  `;
  return html`
    <div
      class="popover"
      role="dialog"
      aria-label="Add as evidence"
      ref=${ref}
      onKeyDown=${(/** @type {KeyboardEvent} */ e) => {
        if (e.key !== 'Escape') e.stopPropagation();
        if (isTheme(e)) focusIn(ref.current, themeField, e);
      }}
    >
      <p class="words" dir="auto">${span.quote.length > 90 ? `${span.quote.slice(0, 90)}…` : span.quote}</p>
      ${
        doubtful &&
        html`
          <p class="warn" title=${unconfirmed.long}>${unconfirmed.short}</p>
        `
      }
      <${ThemePicker}
        calm
        project=${context.id}
        themes=${themes.themes}
        chosen=${ofThemes}
        onChoose=${(/** @type {Theme} */ theme) => onTheme({ theme })}
        onNew=${(/** @type {string} */ name) => onTheme({ name })}
        onClose=${onClose}
      />
      ${many && writing}
      <ul class="offers" hidden=${shown.length === 0}>
        ${shown.map(
          (h) => html`
            <${Offer}
              key=${h.id}
              hypothesis=${h}
              stance=${chosen.get(h.id)}
              onChoose=${(/** @type {Stance} */ stance) => choose(h.id, stance)}
            />
          `,
        )}
      </ul>
      ${!many && writing}
      <div class="actions">
        ${
          onRedact &&
          span.quote.length <= NAME &&
          !span.quote.includes('\n') &&
          html`
            <button class="quiet" onClick=${onRedact}>Redact…</button>
          `
        }
        <button class="quiet" onClick=${onMore}>With a note…</button>
        ${
          context.hypotheses.length > 0 &&
          html`
            <button
              class="primary"
              disabled=${busy || chosen.size === 0}
              onClick=${() => add(() => stored(chosen))}
            >
              ${chosen.size > 1 ? `Add to ${count(chosen.size, 'hypothesis', 'hypotheses')}` : 'Add'}
            </button>
          `
        }
      </div>
    </div>
  `;
}

/** @param {number} n the hypotheses that can be chosen */
const labelFor = (n) =>
  n > MANY ? 'Find or write a hypothesis' : n > 0 ? 'Write another hypothesis' : 'Write a hypothesis';

const themeField = '.theme-picker input';
const hypothesisFields = '.offers button, input:not([role])';

/** @param {KeyboardEvent} e */
const isPlain = (e) => !e.ctrlKey && !e.metaKey && !e.altKey;
/** @param {KeyboardEvent} e whether T was pressed, and not typed */
const isTheme = (e) =>
  (e.key === 't' || e.key === 'T') &&
  isPlain(e) &&
  !(/** @type {Element} */ (e.target).closest('input, select, textarea'));

/** @param {HTMLElement} box @param {string} selector @param {Event} [event] */
function focusIn(box, selector, event) {
  /** @type {HTMLElement | null} */
  const first = box.querySelector(selector) ?? box.querySelector('button, input');
  event?.preventDefault();
  first?.focus();
}

// usePlaced returns the reference of the popover, and places it beside the words. `h` leads into it, and
// Escape closes it.
/** @param {ChosenSpan} span @param {() => void} onClose */
function usePlaced(span, onClose) {
  /** @type {Ref<HTMLElement>} */
  const ref = useRef();
  const box = useRef(span.box);
  box.current = span.box;
  useLayoutEffect(() => {
    placeBeside(ref.current, span.box);
  });
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(() => placeBeside(ref.current, box.current)); // lists open
    sizes.observe(ref.current);
    return () => sizes.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (span.theme) focusIn(ref.current, themeField);
  }, [span.theme]);
  useLayoutEffect(() => {
    if (span.focus && !span.theme) focusIn(ref.current, hypothesisFields);
    /** @param {KeyboardEvent} event */
    const onKey = (event) => {
      if (event.key === 'Escape') onClose();
      else if (event.key === 'h' && isPlain(event)) {
        if (/** @type {Element} */ (event.target).closest?.('input, select, textarea, dialog')) return;
        focusIn(ref.current, hypothesisFields, event);
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [span.byteStart, span.byteEnd, span.focus]);
  return ref;
}

// Offer is a hypothesis with the stances that the words can have on it.
/**
 * @param {object} props
 * @param {Hypothesis} props.hypothesis
 * @param {Stance | undefined} props.stance
 * @param {(stance: Stance) => void} props.onChoose
 */
const Offer = ({ hypothesis: h, stance, onChoose }) => html`
  <li>
    <div role="group" aria-label=${h.statement}>
      <span class="statement" dir="auto">${h.statement}</span>
      ${entriesOf(stances).map(
        ([key, text]) => html`
          <button
            key=${key}
            class=${'small ' + key}
            aria-pressed=${stance === key}
            title=${text}
            aria-label=${text}
            onClick=${() => onChoose(key)}
          >
            ${stanceMarks[key]}
          </button>
        `,
      )}
    </div>
  </li>
`;

// Writing finds a hypothesis, or creates one: with Enter, if none matches what is typed.
/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.typed
 * @param {boolean} props.matches hypotheses contain what is typed
 * @param {false | (() => void)} props.create false if what is typed is no new hypothesis
 * @param {(typed: string) => void} props.onInput
 */
const Writing = ({ label, typed, matches, create, onInput }) => html`
  <input
    type="text"
    aria-label=${label}
    placeholder=${label}
    maxlength="2000"
    value=${typed}
    onInput=${(e) => onInput(e.currentTarget.value)}
    onKeyDown=${(e) => {
      if (e.key !== 'Enter' || e.isComposing || matches || !create) return;
      e.preventDefault();
      create();
    }}
  />
  ${
    create &&
    html`
      <p class="idea" role="status">
        ${!matches && 'No hypothesis matches.'}${' '}
        <button class="link" dir="auto" onClick=${create}>
          ${`Create “${typed.trim()}” with this quote for it`}
        </button>
      </p>
    `
  }
`;
