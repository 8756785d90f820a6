// The findings of a hypothesis: choosing and ordering quotes, and showing them to others.
import { html, useMemo, useState } from '../../page/html.js';
import { remove, rpc, upsert } from '../../client/api.js';
import { documentOfFindings } from '../export/document.js';
import { useLoad } from '../../page/load.js';
import { Empty, Loading, Problem, Title } from '../../page/ui.js';
import { problem, say } from '../../page/messages.js';
import { Icon } from '../../page/icons.js';
import { later } from '../../page/later.js';
import { AllFindings } from './all.js';
import { eachEquals } from './chosen.js';
import { ALL, FindingsTools } from './tools.js';
import { Report } from './report.js';

const Sharing = later(async () => (await import('./sharing.js')).Sharing);

export function Findings({ context, query }) {
  const withNames = query.get('names') !== 'no';
  if (query.get('h') === ALL && context.hypotheses.length > 1)
    return html`
      <${AllFindings} context=${context} withNames=${withNames} />
    `;
  return html`
    <${One} context=${context} query=${query} withNames=${withNames} />
  `;
}

function One({ context, query, withNames }) {
  const { hypotheses, canEdit } = context;
  const hypothesis = hypotheses.find((h) => h.id === query.get('h')) ?? hypotheses[0];
  const [sharing, setSharing] = useState(false);
  const loaded = useLoad(
    (signal) =>
      hypothesis
        ? rpc('hypothesis_findings', { hypothesis: hypothesis.id, names: withNames }, { signal })
        : null,
    [hypothesis?.id, withNames],
  );
  const f = loaded.data;
  const groups = useMemo(() => {
    const of = new Map();
    for (const q of f?.quotes ?? []) of.set(q.stance, [...(of.get(q.stance) ?? []), q]);
    return of;
  }, [f]);
  if (hypotheses.length === 0)
    return html`
      <main id="main" class="page">
        <header class="head"><${Title}>Findings<//></header>
        <${Empty} title="No hypotheses yet">
          <p>
            Findings say what became of a hypothesis.${' '}
            <a href=${`/projects/${context.id}`}>Write your first hypothesis</a>
            .
          </p>
        <//>
      </main>
    `;

  const link = (q) => ({ hypothesis_id: hypothesis.id, evidence_id: q.evidence_id });
  async function write(change, text) {
    try {
      await change();
      say(text);
    } catch (error) {
      problem(error);
    }
    loaded.reload();
  }
  // move numbers the quotes of one side anew, with a quote one place further up or down.
  function move(q, by) {
    const order = [...groups.get(q.stance)];
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
  }
  const takeOut = (q) =>
    write(() => remove('finding_quotes', eachEquals(link(q))), 'Taken out of the findings.');
  const actions = (q) => {
    const side = groups.get(q.stance) ?? [];
    return html`
      <div class="do">
        <button
          class="small icon"
          aria-label="Move up"
          disabled=${side[0] === q}
          onClick=${() => move(q, -1)}
        >
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
  };
  const board = `/projects/${context.id}/evidence?h=${hypothesis.id}`;
  return html`
    <main id="main" class="findings-page">
      <${FindingsTools}
        context=${context}
        value=${hypothesis.id}
        withNames=${withNames}
        ready=${!!f}
        shown=${() => ({
          title: hypothesis.statement,
          quotes: f.quotes.length,
          doc: documentOfFindings(f),
        })}
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
      ${
        loaded.error &&
        html`
          <${Problem} error=${loaded.error} retry=${loaded.reload} />
        `
      }
      ${
        !f && !loaded.error
          ? html`
              <${Loading} />
            `
          : f &&
            html`
              <${Report} key=${hypothesis.id} f=${f} actions=${canEdit ? actions : undefined} />
              ${
                f.quotes.length === 0 &&
                canEdit &&
                html`
                  <p class="note">
                    Choose the best quotes of both sides on${' '}
                    <a href=${board}>the board</a>
                    : press
                    <kbd>f</kbd>
                    or ★ on a quote.
                  </p>
                `
              }
            `
      }
      ${
        sharing &&
        html`
          <${Sharing} hypothesis=${hypothesis} onClose=${() => setSharing(false)} />
        `
      }
    </main>
  `;
}
