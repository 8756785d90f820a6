// The data behind the view of an interview: its state, its transcript, its speakers and its evidence.
import { useCallback, useMemo, useRef, useState } from '../../page/html.js';
import { cancel, list, mirror, one, parse } from '../../client/api.js';
import { asJudged, moment } from '../judging/unsaved.js';
import { useLoad, usePoll } from '../../page/load.js';
import { speakers as loadSpeakers } from '../../client/people.js';
import { atLeast } from '../../page/words.js';
import { interviewSentence, running, startable } from '../shared/interviewwords.js';
import { stanceMarks, stanceVerbs } from '../shared/evidencewords.js';
import { problem, say, toast } from '../../page/messages.js';
import { evidenceColumns } from '../shared/card.js';
import { interviewColumns, overviewsOf } from './facts.js';

// useInterview loads what the view of an interview shows, and follows the analysis of the interview. initial
// is its row.
export function useInterview(context, initial) {
  const { id } = initial;
  const [row, setRow] = useState(initial);
  const [workflowUrl, setWorkflowUrl] = useState(null);
  const [nudge, setNudge] = useState(0);
  const [cancelling, setCancelling] = useState(false);
  const status = useRef(initial.status);
  const progress = useRef(initial.progress_done);

  const overview = useLoad((signal) => overviewsOf([id], signal), [id]);
  const text = useLoad(
    (signal) =>
      list(
        'utterances',
        {
          import_id: `eq.${id}`,
          select: 'ordinal,speaker,start_ms,text,byte_start,byte_end',
          order: 'ordinal',
        },
        { signal },
      ),
    [id],
  );
  const speakers = useLoad((signal) => loadSpeakers({ import_id: `eq.${id}` }, signal), [id]);
  const found = useLoad(
    async (signal) => {
      const since = moment();
      const [evidence, answers] = await Promise.all([
        list(
          'evidence',
          {
            import_id: `eq.${id}`,
            select: `${evidenceColumns},evidence_hypotheses(hypothesis_id,stance,strength)`,
            order: 'byte_start,id',
          },
          { signal },
        ),
        list(
          'import_hypotheses',
          {
            import_id: `eq.${id}`,
            select:
              'hypothesis_id,statement,result,coverage,' + 'supports_count,contradicts_count,neutral_count',
            order: 'created_at,hypothesis_id',
          },
          { signal },
        ),
      ]);
      const order = new Map(context.hypotheses.map((h, i) => [h.id, i]));
      return {
        evidence: evidence.map((e) => asJudged(e, undefined, since)),
        answers: answers.sort(
          (a, b) => (order.get(a.hypothesis_id) ?? Infinity) - (order.get(b.hypothesis_id) ?? Infinity),
        ),
      };
    },
    [id],
  );

  async function ask(signal) {
    const now = await one(
      'imports',
      { id: `eq.${id}`, select: `project_id,${interviewColumns}` },
      { signal },
    );
    if (!now) return initial;
    setRow(now);
    if (now.workflow_id && atLeast(context.workspace.role, 'admin'))
      setWorkflowUrl((await mirror(id, { signal })).workflowUrl ?? null);
    if (running(status.current) && !running(now.status)) {
      say(`${now.title}: ${interviewSentence[now.status]}`);
      setCancelling(false);
      found.reload();
    } else if (running(now.status) && now.progress_done !== progress.current) {
      found.reload(); // quotes appear as the interview is read
    }
    status.current = now.status;
    progress.current = now.progress_done;
    return now;
  }
  const lost = usePoll(
    ask,
    (now) => (running(now.status) ? 1000 : startable(now.status) ? 20_000 : 0),
    [id, nudge],
    { path: `/api/import/${id}/events`, about: (event) => event.type.startsWith('import.') },
  );

  const start = async (hypothesisIds, refresh) => {
    await parse(id, hypothesisIds, refresh);
    status.current = 'queued';
    setRow((r) => ({
      ...r,
      status: 'queued',
      progress_done: 0,
      progress_total: 0,
      waiting_reason: 'worker',
    }));
    setNudge((n) => n + 1);
  };
  function edited(values) {
    setRow((r) => ({ ...r, ...values }));
    setNudge((n) => n + 1); // an answer that is under way may have the row as it was before
  }
  async function stop() {
    setCancelling(true);
    try {
      await cancel(id);
      toast('Cancelling.');
    } catch (e) {
      setCancelling(false);
      problem(e);
    }
    setNudge((n) => n + 1);
  }

  const named = useMemo(() => {
    const names = new Map(speakers.data?.map((s) => [s.speaker, s.name]));
    const rename = (one) => ({ ...one, speaker: names.get(one.speaker) ?? one.speaker });
    return { utterances: text.data?.map(rename), evidence: found.data?.evidence.map(rename) };
  }, [speakers.data, text.data, found.data]);
  return { row, edited, workflowUrl, lost, cancelling, overview, text, speakers, found, named, start, stop };
}

// useLabels returns the labels and colours of the hypotheses, and of evidence in the transcript. If only is
// the id of a hypothesis, evidence is labelled for that one.
export function useLabels(context, only) {
  // Hypotheses get their colours in the order of the project.
  const hues = useMemo(
    () => new Map(context.hypotheses.map((h, i) => [h.id, `hue-${i % 8}`])),
    [context.hypotheses],
  );
  const numbers = useMemo(
    () => new Map(context.hypotheses.map((h, i) => [h.id, i + 1])),
    [context.hypotheses],
  );
  const labelOf = (e) => {
    const links = e.evidence_hypotheses.filter((l) => !only || l.hypothesis_id === only);
    const number = (l) => numbers.get(l.hypothesis_id) ?? '';
    return {
      short: links.map((l) => `${stanceMarks[l.stance]}${number(l)}`).join(' '),
      long: links.map((l) => `${stanceVerbs[l.stance]}: hypothesis ${number(l)}`).join(', '),
    };
  };
  const hueOf = useCallback(
    (e) =>
      hues.get(
        (e.evidence_hypotheses.find((l) => l.hypothesis_id === only) ?? e.evidence_hypotheses[0])
          ?.hypothesis_id,
      ) ?? 'hue-none',
    [hues, only],
  );
  const stanceOf = (e) =>
    (e.evidence_hypotheses.find((l) => l.hypothesis_id === only) ?? e.evidence_hypotheses[0])?.stance;
  return { hues, numbers, labelOf, hueOf, stanceOf };
}
