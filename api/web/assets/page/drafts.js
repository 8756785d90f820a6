// What was typed into forms when the session ended. It is kept in memory, for the same user only.
import { session } from '../client/session.js';

let kept = { user: null, forms: new Map() };
let last = null; // the user of the session that ended

const others = []; // functions that report whether another module keeps something
export const alsoKept = (keeps) => others.push(keeps);
export const keptAny = () => kept.forms.size > 0 || others.some((keeps) => keeps());

// remember notes the user while there is a session.
export function remember() {
  const { user } = session.get();
  if (user) last = user.id;
}

// keepDraft keeps the values of a form that is removed because the session ended.
export function keepDraft(name, form) {
  if (session.get().phase !== 'out' || !last) return;
  const values = [...new FormData(form)].filter(([, value]) => typeof value === 'string' && value);
  const secret = form.querySelector('input[type=password]');
  if (values.length === 0 || secret) return;
  if (kept.user !== last) kept = { user: last, forms: new Map() };
  kept.forms.set(name, values);
}

// takeDraft fills a form with what was kept for it, and reports whether there was something.
export function takeDraft(name, form) {
  if (kept.user !== session.get().user?.id || !kept.forms.has(name)) return false;
  for (const [field, value] of kept.forms.get(name)) {
    const control = form.elements[field];
    if (control) control.value = value;
  }
  kept.forms.delete(name);
  return true;
}
