// Projects whose quotes have themes, created through the APIs.
import assert from 'node:assert/strict';
import { eventually } from './harness.js';

const STORE_MS = 30_000;

// What each person says: a quote for each sentence.
export const said = {
  Ada: ['The tips are split by whoever closes.', 'My boss favours his cousins.', 'I plan on paper.'],
  Ben: ['Nobody knows how tips are counted.', 'My sister covers for me.'],
  Cleo: ['Tips go into a jar.', 'I feel guilty when I call in sick.'],
};

// interviewed returns a project with an interview of each person and their quotes, which have no theme and no
// hypothesis, by their words.
export async function interviewed(one, people = said) {
  const project = await one.project('Receipts take long.');
  const quotes = {};
  for (const [name, sentences] of Object.entries(people)) {
    const text = `Interviewer: And at yours?\n${name}: ${sentences.join(' ')}\n`;
    const id = await one.upload(project, `${name}.txt`, text);
    for (const quote of sentences) {
      const of = { project_id: project.id, import_id: id, quote };
      const [evidence] = await one.call('POST', '/rest/v1/evidence', of);
      quotes[quote] = evidence.id;
    }
  }
  return { ...project, quotes };
}

// themed adds a theme with quotes, which are given by their words.
export async function themed(one, project, name, words = [], values = {}) {
  const [theme] = await one.call('POST', '/rest/v1/themes', { project_id: project.id, name, ...values });
  if (words.length > 0)
    await one.call(
      'POST',
      '/rest/v1/evidence_themes',
      words.map((quote) => ({ evidence_id: project.quotes[quote], theme_id: theme.id })),
    );
  return theme;
}

// column finds a theme on the board by its name.
export const column = (page, name) =>
  page.locator('.theme-column').filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) });

// stored waits until the themes of a project have these quotes: words by the name of the theme.
export async function stored(one, project, wanted) {
  const sorted = (of) =>
    JSON.stringify(
      Object.entries(of)
        .map(([name, quotes]) => [name, [...quotes].sort()])
        .sort(),
    );
  let now;
  try {
    await eventually(async () => {
      const rows = await one.call(
        'GET',
        `/rest/v1/themes?project_id=eq.${project.id}&status=eq.active` +
          '&select=name,evidence_themes(review,evidence(quote))',
      );
      now = Object.fromEntries(
        rows.map(({ name, evidence_themes: links }) => [
          name,
          links.filter(({ review }) => review !== 'rejected').map(({ evidence }) => evidence.quote),
        ]),
      );
      return sorted(now) === sorted(wanted);
    }, STORE_MS);
  } catch {
    assert.equal(sorted(now), sorted(wanted));
  }
}
