// What was typed into forms when the session ended. It is kept in memory, for the same user only, and carried
// over a sign-in with a provider.
import { carried } from '../client/carried.js';
import { session } from '../client/session.js';

/** @type {{ user: string | null, forms: Map<string, [string, string][]> }} */
let kept = { user: null, forms: new Map() };
/** @type {string | null} */
let last = null; // the user of the session that ended

carried.set('drafts', {
  pack: () => (kept.forms.size > 0 ? { user: kept.user, forms: [...kept.forms] } : null),
  unpack: ({ user, forms }) => {
    kept = { user, forms: new Map(forms) };
  },
});

/** @type {(() => boolean)[]} */
const others = []; // functions that report whether another module keeps something
/** @param {() => boolean} keeps */
export const alsoKept = (keeps) => others.push(keeps);
// keptHere reports whether something is kept that leaving the page loses: a file cannot be carried.
export const keptHere = () => others.some((keeps) => keeps());
export const keptAny = () => kept.forms.size > 0 || keptHere();

// remember notes the user while there is a session.
export function remember() {
  const { user } = session.get();
  if (user) last = user.id;
}

/** @param {string} field @param {string} value @returns {[string, string]} */
const pair = (field, value) => [field, value];

// keepDraft keeps the values of a form that is removed because the session ended.
/** @param {string} name @param {HTMLFormElement} form */
export function keepDraft(name, form) {
  if (session.get().phase !== 'out' || !last) return;
  const values = [...new FormData(form)].flatMap(([field, value]) =>
    typeof value === 'string' && value ? [pair(field, value)] : [],
  );
  const secret = form.querySelector('input[type=password]');
  if (values.length === 0 || secret) return;
  if (kept.user !== last) kept = { user: last, forms: new Map() };
  kept.forms.set(name, values);
}

// takeDraft fills a form with what was kept for it, and reports whether there was something.
/** @param {string} name @param {HTMLFormElement} form */
export function takeDraft(name, form) {
  if (kept.user !== session.get().user?.id || !kept.forms.has(name)) return false;
  for (const [field, value] of kept.forms.get(name) ?? []) {
    const control = form.elements.namedItem(field);
    if (control && 'value' in control) control.value = value;
  }
  kept.forms.delete(name);
  return true;
}
