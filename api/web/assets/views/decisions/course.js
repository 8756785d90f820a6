// The saturation of a hypothesis on its board, and the way to its line of time.
import { html, useEffect, useRef, useState } from '../../page/html.js';
import { list } from '../../client/api.js';
import { later } from '../../page/later.js';
import { useLoad } from '../../page/load.js';
import { Saturation } from '../shared/saturation.js';

const LineOfTime = later(async () => (await import('./lineoftime.js')).LineOfTime);

// Course shows nothing until it is loaded, or if that fails: the board is of use without it. It is loaded
// again whenever news is another value.
/** @param {{ context: Context, hypothesis: Hypothesis, news: unknown, children: Children }} props */
export function Course({ context, hypothesis, news, children }) {
  const [open, setOpen] = useState(false);
  const loaded = useLoad(
    (signal) =>
      list(
        'rpc/hypothesis_timeline',
        {
          project_id: context.id,
          hypothesis_id: `eq.${hypothesis.id}`,
          select:
            'import_id,title,interviewed_on,supporting,contradicting,mixed,silent,changed,' +
            'coverage,model_coverage',
          order: 'position',
        },
        { signal },
      ),
    [hypothesis.id],
  );
  const seen = useRef(news);
  useEffect(() => {
    if (seen.current !== news) loaded.reload();
    seen.current = news;
  }, [news]);
  return html`
    <${Saturation}
      steps=${loaded.data ?? []}
      hrefOf=${(/** @type {CourseStep} */ { import_id: id }) => `/imports/${id}`}
    >
      ${children}
      <button class="link" onClick=${() => setOpen(true)}>History</button>
    <//>
    ${
      open &&
      html`
        <${LineOfTime} context=${context} hypothesis=${hypothesis} onClose=${() => setOpen(false)} />
      `
    }
  `;
}
