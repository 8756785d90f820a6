// An interview: its analysis, its evidence, and the transcript with the quotes marked.
import { html, useEffect, useMemo, useRef, useState } from '../../page/html.js';
import { one } from '../../client/api.js';
import { useLoad } from '../../page/load.js';
import { go, setQuery } from '../../page/router.js';
import { running } from '../shared/interviewwords.js';
import { focusOn, useKeys } from '../shared/keys.js';
import { Loading, Problem } from '../../page/ui.js';
import { toast } from '../../page/messages.js';
import { Analyse } from './analyse.js';
import { interviewColumns, nameIn } from './facts.js';
import { useInterview } from './data.js';
import { useLabels } from './labels.js';
import { byPlace, Listed } from './evidencelist.js';
import { Answers, Head } from './head.js';
import { Manage } from './manage.js';
import { LastAnalysis } from './lastanalysis.js';
import { AddEvidence } from '../shared/evidencedialogs.js';
import { useJudging } from '../judging/judging.js';
import { useContextOf } from '../frame/project.js';
import { NotFound } from '../frame/notfound.js';
import { Popover } from '../transcript/popover.js';
import { Transcript } from '../transcript/transcript.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function Import({ id, query }) {
  const first = useLoad(
    (signal) =>
      uuid.test(id)
        ? one('imports', { id: `eq.${id}`, select: `project_id,${interviewColumns}` }, { signal })
        : null,
    [id],
  );
  if (first.error)
    return html`
      <main class="alone"><${Problem} error=${first.error} retry=${first.reload} /></main>
    `;
  if (first.data === undefined)
    return html`
      <main class="alone"><${Loading} /></main>
    `;
  if (first.data === null)
    return html`
      <${NotFound} what="interview" />
    `;
  return html`
    <${Read} key=${id} initial=${first.data} query=${query} />
  `;
}

function Read({ initial, query }) {
  const { found, context, error, reload } = useContextOf(initial.project_id);
  if (!found)
    return html`
      <${NotFound} what="interview" />
    `;
  if (!context)
    return html`
      <main class="alone">
        ${
          error
            ? html`
                <${Problem} error=${error} retry=${reload} />
              `
            : html`
                <${Loading} />
              `
        }
      </main>
    `;
  return html`
    <${Interview} context=${context} initial=${initial} query=${query} />
  `;
}

function Interview({ context, initial, query }) {
  const { id } = initial;
  const { canEdit } = context;
  const { row, edited, workflowUrl, lost, cancelling, overview, text, speakers, found, named, start, stop } =
    useInterview(context, initial);
  const [dialog, setDialog] = useState(null); // 'parse', or {span}
  const [only, setOnly] = useState(''); // a hypothesis
  const [selected, setSelected] = useState({ id: query.get('e') });
  // The address that a search leads to has a quote, or an utterance and the words to mark.
  const [wanted, place] = [query.get('e'), query.get('u')];
  useEffect(() => {
    if (wanted) setSelected((s) => (s.id === wanted ? s : { id: wanted }));
  }, [wanted]);
  const search = useRef();
  const panel = useRef();
  const { hues, numbers, labelOf, hueOf, stanceOf } = useLabels(context, only);
  const all = named.evidence;
  const evidence = useMemo(
    () =>
      (all ?? []).filter(
        (e) =>
          (!only || e.evidence_hypotheses.some((l) => l.hypothesis_id === only)) &&
          (e.review !== 'rejected' || e.id === selected.id),
      ),
    [all, only, selected.id],
  );
  const listed = (all ?? []).filter(
    (e) => !only || e.evidence_hypotheses.some((l) => l.hypothesis_id === only),
  );
  const statement = new Map([
    ...(found.data?.answers ?? []).map((a) => [a.hypothesis_id, a.statement]),
    ...context.hypotheses.map((h) => [h.id, h.statement]),
  ]);
  const current = listed.find((e) => e.id === selected.id) ?? null;

  const choose = (e, { scroll = true } = {}) => {
    if (!e) return;
    if (scroll) setSelected({ id: e.id });
    else setSelected((s) => (s.id === e.id ? s : { id: e.id }));
    setQuery({ e: e.id });
  };
  const cardOf = (eid) => panel.current?.querySelector(`[data-evidence-card="${CSS.escape(eid)}"]`);
  const showCard = (e) => {
    choose(e);
    requestAnimationFrame(() => {
      cardOf(e.id)?.scrollIntoView({ block: 'nearest' });
      focusOn(cardOf(e.id));
    });
  };
  // On a phone the panel is below the transcript, so selecting a quote scrolls to its words.
  const beside = () => panel.current && getComputedStyle(panel.current).overflowY === 'auto';
  useEffect(() => {
    if (selected.id && beside()) cardOf(selected.id)?.scrollIntoView({ block: 'nearest' });
  }, [!!all]);
  const showWords = (e) => {
    choose(e);
    if (!beside()) panel.current.previousElementSibling.scrollIntoView({ block: 'start' });
  };
  const setEvidence = (update) => found.set((d) => ({ ...d, evidence: update(d.evidence) }));
  const added = (e) => {
    setEvidence((all) => [...all, e].sort(byPlace));
    setSelected({ id: e.id });
    toast('Evidence added, word for word from the transcript.');
  };
  const change = (eid, values) =>
    setEvidence((all) => all.map((e) => (e.id === eid ? { ...e, ...values } : e)));
  const { review, undo, judged } = useJudging({ rows: all ?? [], apply: change });
  const step = (by) => {
    const at = listed.indexOf(current);
    const next = current ? listed[Math.max(0, Math.min(listed.length - 1, at + by))] : listed[0];
    if (next) showCard(next);
  };
  function judge(verdict) {
    if (!current || !canEdit) return;
    const next = listed[listed.indexOf(current) + 1];
    review(current, { review: verdict });
    if (next) showCard(next);
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    a: () => judge('accepted'),
    r: () => judge('rejected'),
    u: undo,
    '/': () => search.current?.focus(),
    Enter: () => current && showWords(current),
  });

  const loaded = text.data && found.data;
  return html`
    <div class="interview">
      <main id="main" class="reading">
        <${Head}
          row=${row}
          overview=${overview.data?.get(id)}
          nameOf=${nameIn(speakers.data)}
          lost=${lost}
          workflowUrl=${workflowUrl}
          canEdit=${canEdit}
          mayAnalyse=${canEdit && found.data}
          cancelling=${cancelling}
          onStop=${stop}
          onParse=${() => setDialog('parse')}
        >
          ${
            canEdit &&
            html`
              <${Manage}
                context=${context}
                row=${row}
                onSaved=${edited}
                onAnalyse=${start}
                onSpeakers=${() => {
                  speakers.reload();
                  found.reload();
                }}
                onDeleted=${() => go(`/projects/${context.id}/interviews`, { replace: true })}
              />
            `
          }
        <//>
        ${
          (text.error || found.error) &&
          html`
            <${Problem}
              error=${text.error ?? found.error}
              retry=${() => {
                text.reload();
                found.reload();
              }}
            />
          `
        }
        ${
          !loaded &&
          !text.error &&
          !found.error &&
          html`
            <${Loading} what="Loading the transcript" />
          `
        }
        ${
          loaded &&
          html`
            <div class="panes">
              <${Transcript}
                utterances=${named.utterances}
                evidence=${evidence}
                unread=${row.unread}
                hueOf=${hueOf}
                stanceOf=${stanceOf}
                labelOf=${labelOf}
                place=${place === null ? null : { ordinal: Number(place), words: query.get('q') ?? '' }}
                selected=${selected}
                canEdit=${canEdit}
                search=${search}
                onMark=${showCard}
                popover=${({ span, box, close }) => html`
                  <${Popover}
                    key=${`${span.byteStart} ${span.byteEnd}`}
                    context=${context}
                    importId=${id}
                    span=${span}
                    box=${box}
                    only=${only}
                    onMore=${() => {
                      close();
                      setDialog({ span });
                    }}
                    onAdded=${(e) => {
                      close();
                      added(e);
                    }}
                    onClose=${close}
                  />
                `}
              />
              <aside class="findings" aria-label="Evidence" ref=${panel}>
                <${Answers}
                  answers=${found.data.answers}
                  row=${row}
                  hues=${hues}
                  numbers=${numbers}
                  only=${only}
                  setOnly=${setOnly}
                />
                ${
                  !running(row.status) &&
                  html`
                    <${LastAnalysis} id=${id} finishedAt=${row.finished_at} statement=${statement} />
                  `
                }
                <${Listed}
                  context=${context}
                  status=${row.status}
                  all=${all}
                  listed=${listed}
                  current=${current}
                  judged=${judged}
                  hues=${hues}
                  numbers=${numbers}
                  statement=${statement}
                  onSelect=${(e) => choose(e, { scroll: false })}
                  onOpen=${showWords}
                  onReview=${(e, v) => review(e, { review: v })}
                  onChange=${change}
                  setEvidence=${setEvidence}
                />
              </aside>
            </div>
          `
        }
        ${
          dialog === 'parse' &&
          html`
            <${Analyse} context=${context} row=${row} onStart=${start} onClose=${() => setDialog(null)} />
          `
        }
        ${
          dialog?.span &&
          html`
            <${AddEvidence}
              context=${context}
              importId=${id}
              span=${dialog.span}
              hypothesisId=${only}
              onClose=${() => setDialog(null)}
              onAdded=${added}
            />
          `
        }
      </main>
    </div>
  `;
}
