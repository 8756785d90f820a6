// The findings of a hypothesis: choosing and ordering quotes, and showing them to others.
import { html, useMemo, useState } from '../../page/html.js';
import { remove, rpc, upsert } from '../../client/api.js';
import { documentOfFindings } from '../export/document.js';
import { useLoad } from '../../page/load.js';
import { Empty, Title, Waiting } from '../../page/ui.js';
import { problem, say } from '../../page/messages.js';
import { Icon } from '../../page/icons.js';
import { later } from '../../page/later.js';
import { eachEquals } from './chosen.js';
import { FindingsTools } from './tools.js';
import { Report } from './report.js';
import { WriteFirst } from '../shared/nohypotheses.js';

const Sharing = later(async () => (await import('./sharing.js')).Sharing);

/** @param {{ context: Context, query: URLSearchParams }} props */
export function Findings({ context, query }) {
  const withNames = query.get('names') !== 'no';
  const { hypotheses } = context;
  const hypothesis = hypotheses.find((h) => h.id === query.get('h')) ?? hypotheses.at(0);
  if (!hypothesis)
    return html`
      <main id="main" class="page">
        <header class="head"><${Title}>Findings<//></header>
        <${Empty} title="No hypotheses yet">
          <p>
            Findings say what became of a hypothesis.${' '}
            <${WriteFirst} context=${context} />
          </p>
        <//>
      </main>
    `;
  return html`
    <${OfHypothesis} context=${context} hypothesis=${hypothesis} withNames=${withNames} />
  `;
}

// useQuotes returns functions that order the quotes of the findings, and take them out.
/** @param {Hypothesis} hypothesis @param {Loaded<Findings>} loaded */
function useQuotes(hypothesis, loaded) {
  const quotes = loaded.data?.quotes;
  const sides = useMemo(() => {
    /** @type {Map<Stance, FoundQuote[]>} */
    const of = new Map();
    for (const q of quotes ?? []) of.set(q.stance, [...(of.get(q.stance) ?? []), q]);
    return of;
  }, [quotes]);
  /** @param {FoundQuote} q */
  const link = (q) => ({ hypothesis_id: hypothesis.id, evidence_id: q.evidence_id ?? '' });
  /** @param {() => Promise<unknown>} change @param {string} text */
  async function write(change, text) {
    try {
      await change();
      say(text);
    } catch (error) {
      problem(error);
    }
    loaded.reload();
  }
  return {
    sides,
    // move numbers the quotes of one side again, with a quote one place further up or down.
    /** @param {FoundQuote} q @param {number} by */
    move(q, by) {
      const order = [...(sides.get(q.stance) ?? [])];
      const at = order.indexOf(q);
      order.splice(at, 1);
      order.splice(at + by, 0, q);
      loaded.set((d) => ({ ...d, quotes: [...d.quotes.filter((o) => o.stance !== q.stance), ...order] }));
      write(
        () =>
          upsert(
            'finding_quotes',
            order.map((one, i) => ({ ...link(one), position: i + 1 })),
          ),
        'Moved.',
      );
    },
    /** @param {FoundQuote} q */
    takeOut: (q) => write(() => remove('finding_quotes', eachEquals(link(q))), 'Taken out of the findings.'),
  };
}

/** @param {{ context: Context, hypothesis: Hypothesis, withNames: boolean }} props */
function OfHypothesis({ context, hypothesis, withNames }) {
  const { canEdit } = context;
  const [sharing, setSharing] = useState(false);
  const loaded = useLoad(
    (signal) => rpc('hypothesis_findings', { hypothesis: hypothesis.id, names: withNames }, { signal }),
    [hypothesis.id, withNames],
  );
  const f = loaded.data;
  const { sides, move, takeOut } = useQuotes(hypothesis, loaded);
  /** @param {FoundQuote} q */
  const actions = (q) => html`
    <${Actions} q=${q} side=${sides.get(q.stance) ?? []} move=${move} takeOut=${takeOut} />
  `;
  const board = `/projects/${context.id}/evidence?h=${hypothesis.id}`;
  return html`
    <main id="main" class="findings-page">
      <${FindingsTools}
        context=${context}
        value=${hypothesis.id}
        withNames=${withNames}
        ready=${!!f}
        shown=${() =>
          f && {
            file: ['findings', hypothesis.statement],
            quotes: f.quotes.length,
            doc: documentOfFindings(f),
          }}
      >
        <a class="button quiet" href=${board}>
          <${Icon} name="scales" />
          ${canEdit ? 'Choose quotes' : 'Evidence'}
        </a>
        ${
          canEdit &&
          html`
            <button class="primary" onClick=${() => setSharing(true)}>Share</button>
          `
        }
      <//>
      <${Waiting} for=${loaded} />
      ${
        f &&
        html`
          <${Report} key=${hypothesis.id} f=${f} actions=${canEdit ? actions : undefined} />
        `
      }
      ${
        f &&
        f.quotes.length === 0 &&
        canEdit &&
        html`
          <p class="note">
            Choose the best quotes of both sides on${' '}
            <a href=${board}>the board</a>
            : press${' '}
            <kbd>f</kbd>
            ${' '}or ★ on a quote.
          </p>
        `
      }
      ${
        sharing &&
        html`
          <${Sharing} hypothesis=${hypothesis.id} onClose=${() => setSharing(false)} />
        `
      }
    </main>
  `;
}

/**
 * @param {object} props
 * @param {FoundQuote} props.q
 * @param {FoundQuote[]} props.side
 * @param {(q: FoundQuote, by: number) => void} props.move
 * @param {(q: FoundQuote) => void} props.takeOut
 */
const Actions = ({ q, side, move, takeOut }) => html`
  <div class="do">
    <button class="small icon" aria-label="Move up" disabled=${side[0] === q} onClick=${() => move(q, -1)}>
      ↑
    </button>
    <button
      class="small icon"
      aria-label="Move down"
      disabled=${side.at(-1) === q}
      onClick=${() => move(q, 1)}
    >
      ↓
    </button>
    ${
      q.import_id &&
      html`
        <a class="button small" href=${`/imports/${q.import_id}?e=${q.evidence_id}`}>Open</a>
      `
    }
    <button class="small" onClick=${() => takeOut(q)}>Take out</button>
  </div>
`;
