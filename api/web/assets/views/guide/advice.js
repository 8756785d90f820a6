// What would be better about a question, said while it is typed.
import { html, useEffect, useState } from '../../page/html.js';
import { call } from '../../client/api.js';

const PAUSE_MS = 500; // after the last key

// Advice says how a question could ask better. It is silent about one that is good, in a language without
// word lists, and without a connection: nothing depends on it. What was said of another text is not shown.
/** @param {{ projectId: string, text: string }} props */
export function Advice({ projectId, text }) {
  const [given, setGiven] = useState({ text: '', advice: '' });
  const asked = text.trim();
  useEffect(() => {
    if (!asked) return;
    const control = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const path = `/api/project/${projectId}/guide/check`;
        const { body } = await call(path, {
          method: 'POST',
          json: { text: asked },
          signal: control.signal,
        });
        if (!control.signal.aborted) setGiven({ text: asked, advice: body.advice });
      } catch {
        // it stays silent
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [projectId, asked]);
  return html`
    <p class="hint warn" role="status">${given.text === asked ? given.advice : ''}</p>
  `;
}
