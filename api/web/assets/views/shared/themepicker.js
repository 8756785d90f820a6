// Chooses a theme: who types finds one, or makes a new one.
import { html, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from '../../page/html.js';
import { fold, landing } from '../../client/themes.js';
import { count } from '../../page/words.js';

const SHOWN = 50; // options at once; who types sees others
const NAME = 120; // characters that a name has at most

/** @type {Map<string, string>} */
const last = new Map(); // names, by project

/**
 * @typedef {object} Option
 * @property {string} key
 * @property {Theme | null} theme null for a new one
 * @property {string} name
 * @property {string} note
 * @property {boolean} chosen
 */

// rankOf says how well a name fits what was typed, the best first, or null if it does not.
/** @param {string} name @param {string} typed both folded */
function rankOf(name, typed) {
  if (name === typed) return 0;
  if (name.startsWith(typed)) return 1;
  const words = typed.split(/\s+/);
  if (words.every((word) => ` ${name}`.includes(` ${word}`))) return 2;
  return words.every((word) => name.includes(word)) ? 3 : null;
}

// optionsOf returns the themes that fit what was typed, and a new one if none has that name. Without any
// words they are all themes in use: first the one that was chosen last, and at the end those of the quote.
/**
 * @param {Theme[]} themes
 * @param {Set<string>} chosen
 * @param {string} typed
 * @param {string} lastName
 * @returns {Option[]}
 */
function optionsOf(themes, chosen, typed, lastName) {
  const names = new Map(themes.map((t) => [t.id, t.name]));
  /** @param {Theme} t */
  const option = (t) => {
    const to = landing(t, themes);
    const parent = t.parent_id && names.get(t.parent_id);
    const note =
      to !== t
        ? `merged into ${to.name}`
        : t.status === 'archived'
          ? 'archived'
          : t.status === 'proposed'
            ? 'proposed'
            : parent
              ? `in ${parent}`
              : '';
    return { key: t.id, theme: to, name: t.name, note, chosen: chosen.has(to.id) };
  };
  const wanted = fold(typed);
  if (!wanted) {
    const used = themes.filter((t) => t.status !== 'archived');
    /** @param {Theme} t */
    const isLast = (t) => fold(t.name) === lastName && !chosen.has(t.id);
    /** @param {Theme} t */
    const rank = (t) => (chosen.has(t.id) ? 2 : isLast(t) ? 0 : 1);
    return used
      .toSorted((a, b) => rank(a) - rank(b))
      .slice(0, SHOWN)
      .map(option);
  }
  const found = themes
    .map((theme) => ({ theme, rank: rankOf(fold(theme.name), wanted) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => weight(a) - weight(b))
    .slice(0, SHOWN)
    .map(({ theme }) => option(theme));
  if (themes.some((t) => fold(t.name) === wanted)) return found;
  const note = found.length > 0 ? 'new: Shift Enter' : 'new';
  return [...found, { key: 'new', theme: null, name: typed.trim(), note, chosen: false }];
}

/** @param {{ theme: Theme, rank: number | null }} found themes that are archived come last */
const weight = ({ theme, rank }) => (rank ?? 0) + (theme.status === 'archived' ? 10 : 0);

// ThemePicker asks for a theme. chosen has the ids of those that the quote has: choosing one of them again
// takes the quote out of it. Enter alone chooses the theme that was chosen last. Until it is ready, what is
// typed is kept, and Enter waits.
/**
 * @param {object} props
 * @param {string} props.project
 * @param {Theme[]} props.themes
 * @param {Set<string>} props.chosen
 * @param {(theme: Theme) => void} props.onChoose
 * @param {(name: string) => void} props.onNew
 * @param {() => void} props.onClose
 * @param {boolean} [props.ready] whether the themes are all there
 * @param {boolean} [props.calm] does not take the focus, and shows no list before it has it
 */
export function ThemePicker({
  project,
  themes,
  chosen,
  ready = true,
  calm = false,
  onChoose,
  onNew,
  onClose,
}) {
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState(!calm);
  const [at, setAt] = useState(/** @type {number | null} */ (null));
  const [entered, setEntered] = useState(false); // before it was ready
  const id = useId();
  /** @type {Ref<HTMLInputElement>} */
  const input = useRef();
  /** @type {Ref<HTMLUListElement>} */
  const list = useRef();
  const options = useMemo(
    () => (ready ? optionsOf(themes, chosen, typed, last.get(project) ?? '') : []),
    [themes, chosen, typed, project, ready],
  );
  // Enter alone takes no theme away.
  const least = typed.trim() === '' && options[0]?.chosen ? -1 : 0;
  const now = Math.min(at ?? least, options.length - 1);
  const shown = open && options.length > 0;
  const placeholder = themes.length > 0 ? 'Find a theme, or name a new one' : 'Name a theme';
  useLayoutEffect(() => {
    if (!calm) input.current.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (ready && entered) choose(options[now]);
  }, [ready]);
  useEffect(() => {
    list.current?.children[now]?.scrollIntoView({ block: 'nearest' });
  }, [now, options]);

  /** @param {Option | undefined} option */
  function choose(option) {
    if (!option) return;
    if (option.theme && !option.chosen) last.set(project, fold(option.theme.name));
    if (option.theme) return onChoose(option.theme);
    last.set(project, fold(option.name));
    onNew(option.name);
  }
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    event.stopPropagation(); // the keys of the view
    if (event.isComposing) return;
    const length = Math.max(1, options.length);
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowDown: () => setAt((now + 1) % length),
      ArrowUp: () => setAt((Math.max(now, 0) - 1 + length) % length),
      Enter: () =>
        ready ? choose((event.shiftKey && options.find((o) => !o.theme)) || options[now]) : setEntered(true),
      Escape: onClose,
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }
  return html`
    <div
      class="theme-picker"
      onKeyDown=${onKeyDown}
      onFocusIn=${() => setOpen(true)}
      onFocusOut=${() => calm && setOpen(false)}
    >
      <input
        ref=${input}
        type="text"
        role="combobox"
        aria-label="Theme"
        aria-expanded=${shown}
        aria-controls=${`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant=${shown && now >= 0 ? `${id}-${now}` : undefined}
        autocomplete="off"
        spellcheck=${false}
        placeholder=${placeholder + (calm ? ' (t)' : '')}
        maxlength=${NAME}
        value=${typed}
        onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget: { value } }) => {
          setTyped(value);
          setAt(null);
          setEntered(false);
        }}
      />
      <ul id=${`${id}-list`} ref=${list} role="listbox" aria-label="Themes" hidden=${!shown}>
        ${options.map(
          (option, i) => html`
            <li
              key=${option.key}
              id=${`${id}-${i}`}
              role="option"
              class=${i === now ? 'now' : ''}
              aria-selected=${i === now}
              aria-checked=${option.theme ? option.chosen : undefined}
              onPointerDown=${(/** @type {Event} */ e) => e.preventDefault()}
              onClick=${() => choose(option)}
            >
              <span
                class="theme-dot"
                style=${{ '--theme': option.theme?.color ?? 'transparent' }}
                aria-hidden="true"
              ></span>
              <span class="name" dir="auto">${option.theme ? option.name : `Create “${option.name}”`}</span>
              ${
                option.note &&
                html`
                  <span class="faint" dir="auto">${option.note}</span>
                `
              }
              ${
                option.chosen &&
                html`
                  <span class="tick" title="This quote has it: choosing it takes it away">✓</span>
                `
              }
            </li>
          `,
        )}
      </ul>
      <p class="unseen" role="status">${typed && count(options.filter((o) => o.theme).length, 'theme')}</p>
    </div>
  `;
}
