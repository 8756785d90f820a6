// A project: the data that its views share, and the view that is shown.
import { html, useEffect } from '../../page/html.js';
import { useStore } from '../../page/store.js';
import { list } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { later } from '../../page/later.js';
import { findProject, here, places } from '../../page/places.js';
import { atLeast } from '../../page/words.js';
import { Waiting } from '../../page/ui.js';
import { go } from '../../page/router.js';
import { useKeys } from '../../page/keys.js';
import { NotFound } from './notfound.js';
import { Hypotheses } from '../hypotheses/hypotheses.js';
import { hypothesisColumns } from '../hypotheses/verdict.js';

const Board = later(async () => (await import('../board/board.js')).Evidence);
const Interviews = later(async () => (await import('../interview/list.js')).Interviews);
const Themes = later(async () => (await import('../themes/themes.js')).Themes);
const Ask = later(async () => (await import('../ask/ask.js')).Ask);
const Questions = later(async () => (await import('../project/questions.js')).Questions);
const Guide = later(async () => (await import('../guide/guide.js')).Guide);
const Personas = later(async () => (await import('../project/personas.js')).Personas);
const Findings = later(async () => (await import('../findings/findings.js')).Findings);
const StudyReport = later(async () => (await import('../report/view.js')).StudyReport);
const Review = later(async () => (await import('../review/review.js')).Review);

/** @type {Record<string, Component<{ context: Context, query: URLSearchParams }>>} */
const views = {
  hypotheses: Hypotheses,
  evidence: Board,
  themes: Themes,
  interviews: Interviews,
  ask: Ask,
  questions: Questions,
  guide: Guide,
  personas: Personas,
  review: Review,
  findings: Findings,
  report: StudyReport,
};

// useContextOf loads the data that the views of a project share. reload loads it again.
/** @param {string} projectId */
export function useContextOf(projectId) {
  const all = useStore(places);
  const found = findProject(all, projectId);
  const rows = useLoad(
    async (signal) => {
      if (!found) return null;
      const of = { project_id: `eq.${projectId}`, order: 'created_at,id' };
      const [hypotheses, personas] = await Promise.all([
        list(
          'hypotheses',
          {
            ...of,
            select: hypothesisColumns,
          },
          { signal },
        ),
        list('personas', { ...of, select: 'id,name,description,segment,goals,pains' }, { signal }),
      ]);
      return { hypotheses, personas };
    },
    [projectId, !!found],
  );
  useEffect(() => {
    if (found) here.set(projectId);
  }, [projectId, !!found]);
  return {
    found,
    error: rows.error,
    reload: rows.reload,
    /** @type {Context | null | undefined} */
    context: found &&
      rows.data && {
        ...found,
        ...rows.data,
        id: projectId,
        canEdit: atLeast(found.workspace.role, 'editor'),
        reload: rows.reload,
        set: (change) => rows.set((d) => d && change(d)),
      },
  };
}

/** @param {{ id: string, view?: string, query: URLSearchParams }} props */
export function Project({ id, view = 'hypotheses', query }) {
  const { found, context, error, reload } = useContextOf(id);
  const View = views[view];
  useKeys(view === 'ask' || view === 'themes' ? {} : { '/': () => go(`/projects/${id}/ask`) });
  if (!View)
    return html`
      <${NotFound} />
    `;
  if (!found)
    return html`
      <${NotFound} what="project" />
    `;
  if (!context)
    return html`
      <main class="alone">
        <${Waiting} for=${{ data: context, error, reload }} />
      </main>
    `;
  return html`
    <${View} key=${id + view} context=${context} query=${query} />
  `;
}
