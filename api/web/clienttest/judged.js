// Analysed interviews with quotes to review, and members who review them.
import { readFileSync } from 'node:fs';
import { person } from './harness.js';

const read = (name) => readFileSync(new URL(`scene/${name}`, import.meta.url), 'utf8');
export const statements = [
  'Chasing missing receipts is the biggest time sink of the close.',
  'Companies of 20 to 100 people will pay per seat and month.',
];

// judged returns a person with two analysed interviews.
export async function judged(name) {
  const one = await person(name);
  const project = await one.project(...statements);
  const ids = [];
  for (const file of ['priya.srt', 'ines.vtt']) {
    ids.push(await one.upload(project, file, read(file)));
    await one.parse(project, ids.at(-1));
  }
  return { one, project, ids };
}

// joined makes a person a member, and returns a function that changes the role.
export async function joined(one, project, member, role) {
  await one.call('POST', '/rest/v1/workspace_invitations', {
    workspace_id: project.workspace.id,
    email: member.email,
    role,
  });
  const [invitation] = await member.call('POST', '/rest/v1/rpc/my_invitations', {});
  await member.call('POST', '/rest/v1/rpc/accept_invitation', { invitation: invitation.id });
  const { user } = await member.signIn();
  return (to) =>
    one.call(
      'PATCH',
      `/rest/v1/workspace_members?workspace_id=eq.${project.workspace.id}&user_id=eq.${user.id}`,
      { role: to },
    );
}

// quoteOf returns the first words of the quote of a card.
export const quoteOf = async (card) => (await card.locator('blockquote').textContent()).slice(0, 20);

// reviews returns the reviews of the quotes of a project, by their first words.
export const reviews = async (one, project) =>
  Object.fromEntries(
    (await one.call('GET', `/rest/v1/evidence?project_id=eq.${project.id}&select=quote,review`)).map((e) => [
      e.quote.slice(0, 20),
      e.review,
    ]),
  );
