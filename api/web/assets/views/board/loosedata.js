// The quotes of a project that belong to no hypothesis and no theme.
import { useEffect } from '../../page/html.js';
import { call, list } from '../../client/api.js';
import { everyone } from '../../client/people.js';
import { follow } from '../../client/subscriptions.js';
import { useLoad } from '../../page/load.js';
import { asJudged, moment } from '../judging/unsaved.js';
import { evidenceColumns } from '../shared/evidencecolumns.js';
import { isAbout } from '../shared/themes.js';

const SOON_MS = 400; // after what somebody does with themes

// looseIn selects them. Those of an analysis under way do not count yet, and rejected ones never.
/** @param {string} projectId */
const looseIn = (projectId) => ({
  project_id: `eq.${projectId}`,
  review: 'neq.rejected',
  in_progress: 'is.false',
  evidence_hypotheses: 'is.null',
  'coded.review': 'neq.rejected',
  coded: 'is.null',
});
const without = 'evidence_hypotheses(),coded:evidence_themes()';

/** @param {string} projectId @param {AbortSignal} signal */
async function countLoose(projectId, signal) {
  const query = new URLSearchParams({ ...looseIn(projectId), select: `id,${without}`, limit: '1' });
  const { headers } = await call(`/rest/v1/evidence?${query}`, {
    signal,
    headers: { Prefer: 'count=exact' },
  });
  return Number(headers.get('Content-Range')?.split('/').at(1) ?? 0);
}

// useLooseCount returns how many there are: undefined until that is known. It follows what others do.
/** @param {string} projectId */
export function useLooseCount(projectId) {
  const loaded = useLoad((signal) => countLoose(projectId, signal), [projectId]);
  useEffect(() => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const stop = follow('/api/events', {
      onEvent(event) {
        if (!isAbout(event, projectId)) return;
        clearTimeout(timer);
        timer = setTimeout(loaded.reload, SOON_MS);
      },
      onState() {},
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [projectId]);
  return loaded.data;
}

// useLoose loads them, by interview and place, with the names of the speakers and the titles of the
// interviews.
/** @param {string} projectId */
export function useLoose(projectId) {
  return useLoad(
    async (signal) => {
      const since = moment();
      const [rows, imports, { nameOf }] = await Promise.all([
        list(
          'evidence',
          { ...looseIn(projectId), select: `${evidenceColumns},${without}`, order: 'created_at,id' },
          { signal },
        ),
        list(
          'imports',
          { project_id: `eq.${projectId}`, select: 'id,title', order: 'created_at,id' },
          { signal },
        ),
        everyone(projectId, signal),
      ]);
      const order = new Map(imports.map(({ id }, i) => [id, i]));
      /** @param {EvidenceRow} e */
      const place = (e) => order.get(e.import_id ?? '') ?? imports.length;
      return {
        titles: new Map(imports.map(({ id, title }) => [id, title])),
        rows: rows
          .map((e) => asJudged({ ...e, speaker: nameOf(e) }, undefined, since))
          .sort((a, b) => place(a) - place(b) || (a.byte_start ?? 0) - (b.byte_start ?? 0)),
      };
    },
    [projectId],
  );
}
