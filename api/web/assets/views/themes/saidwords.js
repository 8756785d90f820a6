// Words that many people say and no hypothesis has: what can be looked at for themes without a model.
import { html, useState } from '../../page/html.js';
import { call } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { Waiting } from '../../page/ui.js';
import { count } from '../../page/words.js';
import { clock } from '../shared/interviewwords.js';
import { piecesOf } from '../transcript/bytes.js';

// SaidWords asks for the words when it is opened.
/** @param {{ context: Context }} props */
export function SaidWords({ context }) {
  const [opened, setOpened] = useState(false);
  return html`
    <details
      class="said-words"
      onToggle=${(/** @type {Event & { currentTarget: HTMLDetailsElement }} */ event) =>
        event.currentTarget.open && setOpened(true)}
    >
      <summary><h2>Words that many say and no hypothesis has</h2></summary>
      <p class="hint">
        There is no AI model on this server, so nothing proposes themes. These words are only counted: read
        what people mean by them, and put quotes into themes yourself.
      </p>
      ${
        opened &&
        html`
          <${Words} context=${context} />
        `
      }
    </details>
  `;
}

/** @param {{ context: Context }} props */
function Words({ context }) {
  const loaded = useLoad(
    async (signal) =>
      /** @type {UnforeseenWords} */ ((await call(`/api/project/${context.id}/words`, { signal })).body),
    [context.id],
  );
  const { data } = loaded;
  return html`
    <${Waiting} for=${loaded} />
    ${
      data &&
      (data.words.length > 0
        ? html`
            <ul>
              ${data.words.map(
                (word) => html`
                  <li key=${word.word}><${Word} context=${context} word=${word} total=${data.people} /></li>
                `,
              )}
            </ul>
          `
        : html`
            <p class="faint">
              ${
                data.interviews === 0
                  ? 'There are no interviews yet.'
                  : `No word is said by enough of ${count(data.people, 'person', 'people')}.`
              }
            </p>
          `)
    }
    ${
      data?.truncated &&
      html`
        <p class="hint">Only ${count(data.readTurns, 'turn')} were counted: the project is larger.</p>
      `
    }
  `;
}

// Word opens the places of a word.
/** @param {{ context: Context, word: UnforeseenWord, total: number }} props */
function Word({ context, word, total }) {
  const [open, setOpen] = useState(false);
  /** @param {UnforeseenWord['places'][number]} place */
  const address = ({ importId, ordinal }) =>
    `/imports/${importId}?${new URLSearchParams({
      u: String(ordinal),
      q: word.word,
      ...(word.forms.length > 0 && { f: word.forms.join(' ') }),
    })}`;
  return html`
    <button class="quiet" aria-expanded=${open} onClick=${() => setOpen(!open)}>
      <b dir="auto">${word.word}</b>
      <span class="faint">
        ${`${word.people} of ${count(total, 'person', 'people')} · ${count(word.interviews, 'interview')}`}
      </span>
    </button>
    ${
      open &&
      html`
        <ul class="word-places">
          ${word.places.map(
            (place) => html`
              <li key=${`${place.importId} ${place.ordinal}`}>
                <blockquote dir="auto">
                  ${piecesOf({ text: place.text, byte_start: 0 }, [
                    { byte_start: place.at[0], byte_end: place.at[1] },
                  ]).map(
                    ({ text, marks }) => html`
                      <${marks.length > 0 ? 'mark' : 'span'}>${text}<//>
                    `,
                  )}
                </blockquote>
                <p class="meta">
                  <b dir="auto">${place.speaker}</b>
                  <a href=${address(place)} dir="auto">
                    ${[place.importTitle, clock(place.startMs)].filter(Boolean).join(' · ')}
                  </a>
                </p>
              </li>
            `,
          )}
          <li>
            <a href=${`/projects/${context.id}/themes?${new URLSearchParams({ search: word.word })}`}>
              All places
            </a>
          </li>
        </ul>
      `
    }
  `;
}
