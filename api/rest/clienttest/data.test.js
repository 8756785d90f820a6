// What @supabase/supabase-js, unchanged from npm, sees of our data API. Started by clients_test.go, which
// says where the service is and who uses it.
import { after, before, test } from 'node:test';
import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict';
import { createClient } from '@supabase/supabase-js';
import { Validator } from '@seriousme/openapi-schema-validator';

const { API_URL, ANON_KEY, SERVICE_ROLE_KEY, USERS, PASSWORD, RIVAL_MARKER } = process.env;
const settings = { API_URL, ANON_KEY, SERVICE_ROLE_KEY, USERS, PASSWORD, RIVAL_MARKER };
for (const [name, value] of Object.entries(settings)) ok(value, `${name} is not set: run make test-clients`);
// The owner and a viewer of our workspace, and the owner of another, whose rows all hold the marker.
const people = JSON.parse(USERS);

// supabase-js wants a WebSocket for its realtime part, which Node has from version 22 on. None is opened
// here.
class NoSocket {}
const client = (options = {}, key = ANON_KEY) =>
  createClient(API_URL, key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: globalThis.WebSocket ?? NoSocket },
    ...options,
  });
async function signedIn(email, options) {
  const c = client(options);
  const { error } = await c.auth.signInWithPassword({ email, password: PASSWORD });
  equal(error, null);
  return c;
}

let us, viewer, rival, anon, admin;
let workspace, project, persona, hypotheses, question;
// A query that has to succeed.
async function good(query) {
  const answer = await query;
  equal(answer.error, null, JSON.stringify(answer.error));
  return answer;
}
// The data of a query that has to succeed.
const dataOf = async (query) => (await good(query)).data;
// A query that has to fail with a status and a code.
async function bad(query, status, code) {
  const answer = await query;
  equal(answer.status, status, JSON.stringify(answer));
  equal(answer.error.code, code);
  equal(answer.data, null);
  return answer.error;
}
const ids = (rows) => rows.map((r) => r.id);

before(async () => {
  [us, viewer, rival] = await Promise.all(
    [people.owner, people.viewer, people.rival].map((email) => signedIn(email)),
  );
  anon = client();
  admin = client({}, SERVICE_ROLE_KEY);
  workspace = await dataOf(us.from('workspaces').insert({ name: 'Tests of clients' }).select().single());
  project = await dataOf(
    us
      .from('projects')
      .insert({ workspace_id: workspace.id, name: 'Coffee', description: 'for offices' })
      .select()
      .single(),
  );
  persona = await dataOf(
    us
      .from('personas')
      .insert({
        project_id: project.id,
        name: 'Ada',
        segment: 'founder',
        goals: ['sleep', 'ship'],
        attributes: { home: { city: 'London' }, n: 5 },
      })
      .select()
      .single(),
  );
  hypotheses = await dataOf(
    us
      .from('hypotheses')
      .insert([
        {
          project_id: project.id,
          statement: 'Offices pay monthly',
          importance: 'high',
          category: 'pricing',
          persona_id: persona.id,
        },
        {
          project_id: project.id,
          statement: 'People walk to the kitchen',
          importance: 'low',
          category: 'problem',
          persona_id: persona.id,
        },
        {
          project_id: project.id,
          statement: 'Nobody drinks decaf',
          importance: 'medium',
          category: 'customer',
          persona_id: null,
        },
      ])
      .select(),
  );
  question = await dataOf(
    us
      .from('questions')
      .insert({ project_id: project.id, text: 'How much?', hypothesis_id: hypotheses[0].id })
      .select()
      .single(),
  );
});
after(async () => {
  if (workspace) await us.from('workspaces').delete().eq('id', workspace.id);
});

const mine = (columns = 'id, statement', options) =>
  us.from('hypotheses').select(columns, options).eq('project_id', project.id);

// Reading ---------------------------------------------------------------------------------------------------

test('insert().select() gives the rows', () => equal(hypotheses.length, 3));
test('a workspace that is inserted can be read in the same request', () =>
  equal(workspace.name, 'Tests of clients'));
test('who inserts a workspace owns it', async () => {
  const { data } = await good(
    us.from('workspace_members').select('role').eq('workspace_id', workspace.id).single(),
  );
  equal(data.role, 'owner');
});
test('defaults of the database are in the answer', () => equal(hypotheses[0].status, 'untested'));
test('select()', async () => equal((await dataOf(mine('*'))).length, 3));
test('select of columns', async () =>
  deepEqual(Object.keys((await dataOf(mine('id, statement')))[0]), ['id', 'statement']));
test('an alias', async () => ok((await dataOf(mine('says:statement')))[0].says));
test('a cast', async () =>
  equal(
    typeof (await dataOf(us.from('personas').select('attributes::text').eq('id', persona.id).single()))
      .attributes,
    'string',
  ));
test('a path into JSON', async () =>
  equal(
    (await dataOf(us.from('personas').select('city:attributes->home->>city').eq('id', persona.id).single()))
      .city,
    'London',
  ));
test('eq', async () => deepEqual(ids(await dataOf(mine().eq('importance', 'high'))), [hypotheses[0].id]));
test('neq', async () => equal((await dataOf(mine().neq('importance', 'high'))).length, 2));
test('gt, gte, lt and lte', async () => {
  const at = hypotheses[0].created_at;
  equal((await dataOf(mine().gt('created_at', at))).length, 0);
  equal((await dataOf(mine().gte('created_at', at))).length, 3);
  equal((await dataOf(mine().lt('created_at', at))).length, 0);
  equal((await dataOf(mine().lte('created_at', at))).length, 3);
});
test('like and ilike', async () => {
  equal((await dataOf(mine().like('statement', '%kitchen%'))).length, 1);
  equal((await dataOf(mine().ilike('statement', 'OFFICES%'))).length, 1);
});
test('likeAllOf and likeAnyOf', async () => {
  equal((await dataOf(mine().likeAllOf('statement', ['%walk%', '%kitchen']))).length, 1);
  equal((await dataOf(mine().ilikeAnyOf('statement', ['offices%', 'nobody%']))).length, 2);
});
test('regexMatch', async () => equal((await dataOf(mine().regexMatch('statement', '^O.*y$'))).length, 1));
test('is', async () => deepEqual(ids(await dataOf(mine().is('persona_id', null))), [hypotheses[2].id]));
test('isDistinct', async () => equal((await dataOf(mine().isDistinct('persona_id', persona.id))).length, 1));
test('in', async () => equal((await dataOf(mine().in('importance', ['high', 'low']))).length, 2));
test('notIn', async () => equal((await dataOf(mine().notIn('importance', ['high', 'low']))).length, 1));
test('in with commas and quotes in its values', async () =>
  equal((await dataOf(mine().in('statement', ['a,b', 'say "x"', 'Nobody drinks decaf']))).length, 1));
test('in with a thousand ids', async () => {
  const many = Array.from({ length: 1000 }, () => crypto.randomUUID());
  equal((await dataOf(mine().in('id', [...many, hypotheses[1].id]))).length, 1);
});
test('contains and containedBy of arrays', async () => {
  const of = () => us.from('personas').select('id').eq('project_id', project.id);
  equal((await dataOf(of().contains('goals', ['ship']))).length, 1);
  equal((await dataOf(of().containedBy('goals', ['ship', 'sleep', 'eat']))).length, 1);
  equal((await dataOf(of().overlaps('goals', ['eat', 'ship']))).length, 1);
});
test('contains of JSON', async () =>
  equal((await dataOf(us.from('personas').select('id').contains('attributes', { n: 5 }))).length, 1));
test('match', async () =>
  equal((await dataOf(mine().match({ importance: 'low', category: 'problem' }))).length, 1));
test('not', async () => equal((await dataOf(mine().not('persona_id', 'is', null))).length, 2));
test('or', async () => equal((await dataOf(mine().or('importance.eq.high,category.eq.customer'))).length, 2));
test('or with and within', async () =>
  equal(
    (await dataOf(mine().or('importance.eq.high,and(category.eq.problem,importance.eq.low)'))).length,
    2,
  ));
test('filter', async () => equal((await dataOf(mine().filter('statement', 'imatch', '^people'))).length, 1));
test('textSearch', async () => {
  equal(
    (await dataOf(mine().textSearch('statement', 'walking & kitchens', { config: 'english' }))).length,
    1,
  );
  equal(
    (await dataOf(mine().textSearch('statement', 'walk kitchen', { config: 'english', type: 'websearch' })))
      .length,
    1,
  );
});
test('order', async () =>
  deepEqual(
    (await dataOf(mine('importance').order('importance'))).map((r) => r.importance),
    ['high', 'medium', 'low'],
  ));
test('order, descending', async () =>
  equal(
    (await dataOf(mine().order('statement', { ascending: false })))[0].statement,
    'People walk to the kitchen',
  ));
test('order, nulls first and last', async () => {
  equal(
    (await dataOf(mine('id, persona_id').order('persona_id', { nullsFirst: true })))[0].id,
    hypotheses[2].id,
  );
  equal(
    (await dataOf(mine('id, persona_id').order('persona_id', { nullsFirst: false })))[2].id,
    hypotheses[2].id,
  );
});
test('limit', async () => equal((await dataOf(mine().limit(2))).length, 2));
test('range', async () =>
  deepEqual(await dataOf(mine('statement').order('statement').range(1, 1)), [
    { statement: 'Offices pay monthly' },
  ]));
test('range over all pages gives every row once', async () => {
  const seen = [];
  for (let from = 0; ; from += 2) {
    const { data } = await good(
      mine()
        .order('id')
        .range(from, from + 1),
    );
    seen.push(...ids(data));
    if (data.length < 2) break;
  }
  deepEqual(seen.sort(), ids(hypotheses).sort());
});
test('single', async () =>
  equal((await dataOf(mine().eq('id', hypotheses[0].id).single())).id, hypotheses[0].id));
test('single of none and of many is PGRST116', async () => {
  await bad(mine().eq('importance', 'high').eq('category', 'problem').single(), 406, 'PGRST116');
  await bad(mine().single(), 406, 'PGRST116');
});
test('maybeSingle', async () => {
  equal(await dataOf(mine().eq('id', crypto.randomUUID()).maybeSingle()), null);
  equal((await dataOf(mine().eq('id', hypotheses[0].id).maybeSingle())).id, hypotheses[0].id);
  notEqual((await mine().maybeSingle()).error, null);
});
test('csv', async () =>
  match(
    await dataOf(mine('statement').order('statement').limit(1).csv()),
    /^statement\n"Nobody drinks decaf"$/,
  ));
test('count', async () => equal((await good(mine('id', { count: 'exact' }).limit(1))).count, 3));
test('count and head', async () => {
  const { data, count } = await good(mine('*', { count: 'exact', head: true }));
  equal(data, null);
  equal(count, 3);
});
test('planned and estimated counts', async () => {
  equal(typeof (await good(mine('*', { count: 'planned', head: true }))).count, 'number');
  equal(typeof (await good(mine('*', { count: 'estimated', head: true }))).count, 'number');
});
test('a range behind the end is 416', async () =>
  bad(mine('*', { count: 'exact' }).range(50, 60), 416, 'PGRST103'));
test('throwOnError', async () => {
  let thrown;
  await us
    .from('nothing')
    .select()
    .throwOnError()
    .then(
      () => {},
      (e) => {
        thrown = e;
      },
    );
  equal(thrown.code, 'PGRST205');
});
test('abortSignal', async () => {
  const control = new AbortController();
  control.abort();
  const { error } = await mine().abortSignal(control.signal);
  match(error.message, /abort/i);
});
test('a header of one query', async () => ok(await dataOf(mine().setHeader('x-anything', 'y'))));

// Embedding -------------------------------------------------------------------------------------------------

test('to one', async () =>
  equal(
    (await dataOf(us.from('questions').select('text, hypotheses(statement)').eq('id', question.id).single()))
      .hypotheses.statement,
    'Offices pay monthly',
  ));
test('to many', async () =>
  equal(
    (await dataOf(us.from('personas').select('name, hypotheses(id)').eq('id', persona.id).single()))
      .hypotheses.length,
    2,
  ));
test('three levels', async () => {
  const { data } = await good(
    us
      .from('projects')
      .select('name, personas(name, hypotheses(statement, questions(text)))')
      .eq('id', project.id)
      .single(),
  );
  equal(data.personas[0].hypotheses.find((h) => h.questions.length > 0).questions[0].text, 'How much?');
});
test('an alias of what is embedded', async () =>
  equal(
    (await dataOf(us.from('hypotheses').select('who:personas(name)').eq('id', hypotheses[0].id).single())).who
      .name,
    'Ada',
  ));
test('!inner with a filter', async () =>
  deepEqual(ids(await dataOf(mine('id, questions!inner(text)').eq('questions.text', 'How much?'))), [
    hypotheses[0].id,
  ]));
test('a filter without !inner leaves the parents', async () =>
  equal((await dataOf(mine('id, questions(text)').eq('questions.text', 'nothing'))).length, 3));
test('a hint by the constraint', async () =>
  ok(
    (
      await dataOf(
        us
          .from('hypotheses')
          .select('personas!hypotheses_persona_id_fkey(name)')
          .eq('id', hypotheses[0].id)
          .single(),
      )
    ).personas.name,
  ));
test('spread', async () =>
  equal(
    (
      await dataOf(
        us.from('hypotheses').select('statement, ...personas(who:name)').eq('id', hypotheses[0].id).single(),
      )
    ).who,
    'Ada',
  ));
test('order, limit and range of what is embedded', async () => {
  const of = () => us.from('personas').select('name, hypotheses(statement)').eq('id', persona.id);
  const { data } = await good(
    of()
      .order('statement', { referencedTable: 'hypotheses', ascending: false })
      .limit(1, { referencedTable: 'hypotheses' })
      .single(),
  );
  deepEqual(data.hypotheses, [{ statement: 'People walk to the kitchen' }]);
  const next = await good(
    of()
      .order('statement', { referencedTable: 'hypotheses' })
      .range(1, 1, { referencedTable: 'hypotheses' })
      .single(),
  );
  deepEqual(next.data.hypotheses, [{ statement: 'People walk to the kitchen' }]);
});
test('or of what is embedded', async () => {
  const { data } = await good(
    us
      .from('personas')
      .select('name, hypotheses(statement)')
      .eq('id', persona.id)
      .or('importance.eq.low,statement.like.X*', { referencedTable: 'hypotheses' })
      .single(),
  );
  equal(data.hypotheses.length, 1);
});
test('order by a column of what is embedded', async () => {
  const { data } = await good(mine('id, personas(name)').order('personas(name)', { nullsFirst: true }));
  equal(data[0].id, hypotheses[2].id);
});
test('those with and without', async () => {
  deepEqual(ids(await dataOf(mine('id, questions()').not('questions', 'is', null))), [hypotheses[0].id]);
  equal((await dataOf(mine('id, questions()').is('questions', null))).length, 2);
});
test('many to many', async () => {
  const { data: evidence } = await good(
    us.from('evidence').insert({ project_id: project.id, quote: 'we pay each month' }).select('id').single(),
  );
  await good(
    us
      .from('evidence_hypotheses')
      .insert({ evidence_id: evidence.id, hypothesis_id: hypotheses[0].id, stance: 'supports' }),
  );
  const { data } = await good(
    us
      .from('evidence')
      .select('quote, hypotheses!evidence_hypotheses(statement), evidence_hypotheses(stance)')
      .eq('id', evidence.id)
      .single(),
  );
  deepEqual(data, {
    quote: 'we pay each month',
    hypotheses: [{ statement: 'Offices pay monthly' }],
    evidence_hypotheses: [{ stance: 'supports' }],
  });
});
test('what cannot be embedded is PGRST200', async () => {
  const error = await bad(us.from('personas').select('digest_preferences(*)'), 400, 'PGRST200');
  match(error.message, /relationship/);
});

// Writing ---------------------------------------------------------------------------------------------------

const another = (fields) => ({ project_id: project.id, statement: 'Temporary', ...fields });
test('insert without select answers nothing', async () => {
  const { data, status } = await good(us.from('hypotheses').insert(another()));
  equal(data, null);
  equal(status, 201);
  equal((await good(us.from('hypotheses').delete({ count: 'exact' }).match(another()))).count, 1);
});
test('insert of several with different keys', async () => {
  const { data } = await good(
    us
      .from('hypotheses')
      .insert([another({ importance: 'high' }), another({ category: 'value' })], { defaultToNull: false })
      .select('importance, category'),
  );
  deepEqual(data.map((r) => r.importance).sort(), ['high', 'medium']);
  await good(us.from('hypotheses').delete().match(another()));
});
test('update', async () => {
  const { data } = await good(
    us
      .from('hypotheses')
      .update({ importance: 'low' })
      .eq('id', hypotheses[2].id)
      .select('importance')
      .single(),
  );
  equal(data.importance, 'low');
  await good(us.from('hypotheses').update({ importance: 'medium' }).eq('id', hypotheses[2].id));
});
test('update of nothing is no error', async () =>
  deepEqual(
    await dataOf(us.from('hypotheses').update({ importance: 'low' }).eq('id', crypto.randomUUID()).select()),
    [],
  ));
test('update with an embed in the answer', async () => {
  const { data } = await good(
    us
      .from('hypotheses')
      .update({ falsified_if: 'x' })
      .eq('id', hypotheses[0].id)
      .select('falsified_if, personas(name)')
      .single(),
  );
  deepEqual(data, { falsified_if: 'x', personas: { name: 'Ada' } });
});
test('upsert inserts, then updates', async () => {
  const id = crypto.randomUUID();
  equal(
    (
      await good(
        us
          .from('hypotheses')
          .upsert({ id, ...another() })
          .select('id')
          .single(),
      )
    ).status,
    201,
  );
  const { data } = await good(
    us
      .from('hypotheses')
      .upsert({ id, ...another({ statement: 'Changed' }) })
      .select('statement')
      .single(),
  );
  equal(data.statement, 'Changed');
  equal((await good(us.from('hypotheses').delete({ count: 'exact' }).eq('id', id))).count, 1);
});
test('upsert that ignores duplicates', async () => {
  const { data } = await good(
    us
      .from('hypotheses')
      .upsert({ id: hypotheses[0].id, ...another() }, { ignoreDuplicates: true })
      .select(),
  );
  deepEqual(data, []);
  equal(
    (await dataOf(mine('statement').eq('id', hypotheses[0].id).single())).statement,
    'Offices pay monthly',
  );
});
test('upsert by another key', async () => {
  const slug = `s-${process.pid}-${Date.now()}`;
  await good(us.from('workspaces').update({ slug }).eq('id', workspace.id));
  const { data } = await good(
    us
      .from('workspaces')
      .upsert({ slug, name: 'Renamed' }, { onConflict: 'slug', ignoreDuplicates: true })
      .select(),
  );
  deepEqual(data, []);
});
test('delete with its rows', async () => {
  await good(us.from('hypotheses').insert(another()));
  const { data } = await good(us.from('hypotheses').delete().match(another()).select('statement'));
  deepEqual(data, [{ statement: 'Temporary' }]);
});
test('delete and update without a filter are refused', async () => {
  match((await bad(us.from('hypotheses').delete(), 400, '21000')).message, /WHERE/);
  await bad(us.from('hypotheses').update({ falsified_if: 'y' }), 400, '21000');
  equal((await dataOf(mine())).length, 3);
});
test('maxAffected', async () => {
  await bad(
    us.from('hypotheses').update({ falsified_if: 'z' }).eq('project_id', project.id).maxAffected(1),
    400,
    'PGRST124',
  );
  equal((await dataOf(mine().eq('falsified_if', 'z'))).length, 0);
});
test('a singular answer that is none takes the write back', async () => {
  await bad(
    us.from('hypotheses').update({ falsified_if: 'z' }).eq('project_id', project.id).select().single(),
    406,
    'PGRST116',
  );
  equal((await dataOf(mine().eq('falsified_if', 'z'))).length, 0);
});

// Functions -------------------------------------------------------------------------------------------------

test('rpc', async () => {
  const { data } = await good(us.rpc('hypothesis_balances', { project: project.id }).select('*'));
  ok(Array.isArray(data));
});
test('rpc by GET', async () => ok(Array.isArray(await dataOf(us.rpc('my_invitations', {}, { get: true })))));
test('rpc with head and count', async () =>
  equal((await good(us.rpc('my_invitations', {}, { head: true, count: 'exact' }))).count, 0));
test('filters, order and limit of what a function gives', async () =>
  deepEqual(await dataOf(us.rpc('my_invitations').select('*').limit(1)), []));
test('a function that is not there is PGRST202', async () =>
  match((await bad(us.rpc('no_such_thing', { a: 1 }), 404, 'PGRST202')).message, /no_such_thing/));

// Errors ----------------------------------------------------------------------------------------------------

test('an unknown table, with a hint', async () =>
  match((await bad(us.from('hypothesis').select(), 404, 'PGRST205')).hint, /hypotheses/));
test('an unknown column', async () => bad(mine('nothing'), 400, '42703'));
test('an unknown column in a body', async () =>
  bad(us.from('hypotheses').insert(another({ nothing: 1 })), 400, 'PGRST204'));
test('a value that is none', async () => bad(mine().eq('id', 'x'), 400, '22P02'));
test('a value of no enum', async () =>
  bad(us.from('hypotheses').insert(another({ importance: 'enormous' })), 400, '22P02'));
test('a missing value', async () =>
  bad(us.from('hypotheses').insert({ project_id: project.id }), 400, '23502'));
test('a duplicate', async () =>
  bad(us.from('hypotheses').insert(another({ id: hypotheses[0].id })), 409, '23505'));
test('a broken reference', async () =>
  bad(
    us.from('questions').insert({ project_id: project.id, text: 'x', persona_id: crypto.randomUUID() }),
    409,
    '23503',
  ));
test('a filter that is none', async () => bad(mine().or('nonsense'), 400, 'PGRST100'));
test('clients do not write the status of imports', async () =>
  bad(us.from('imports').update({ status: 'parsed' }).eq('project_id', project.id), 403, '42501'));
test('another schema is PGRST106', async () => {
  for (const name of ['auth', 'private', 'pg_catalog'])
    await bad(us.schema(name).from('users').select(), 406, 'PGRST106');
  await bad(us.schema('pg_catalog').rpc('pg_sleep', { seconds: 1 }), 406, 'PGRST106');
});
test('the exposed schema by its name', async () =>
  equal(
    (await dataOf(us.schema('public').from('hypotheses').select('id').eq('project_id', project.id))).length,
    3,
  ));
test('without a token nothing is seen', async () => bad(anon.from('hypotheses').select(), 401, '42501'));
test('a wrong API key', async () =>
  equal((await client({}, 'sb_publishable_wrong').from('hypotheses').select()).status, 401));
test('a broken token', async () =>
  equal(
    (
      await client({ global: { headers: { Authorization: 'Bearer a.b.c' } } })
        .from('hypotheses')
        .select()
    ).status,
    401,
  ));

// Two workspaces --------------------------------------------------------------------------------------------

test('a viewer reads and does not write', async () => {
  const { data } = await good(viewer.from('projects').select('id, workspace_id'));
  equal(data.length, 1);
  await bad(viewer.from('hypotheses').insert({ project_id: data[0].id, statement: 'x' }), 403, '42501');
  deepEqual(await dataOf(viewer.from('projects').update({ name: 'x' }).eq('id', data[0].id).select()), []);
});
test('nobody sees another workspace, in any table or embed', async () => {
  const { data: seen } = await good(rival.from('projects').select('*'));
  match(JSON.stringify(seen), new RegExp(RIVAL_MARKER));
  for (const table of [
    'workspaces',
    'projects',
    'personas',
    'hypotheses',
    'questions',
    'evidence',
    'imports',
    'profiles',
    'activity_events',
    'workspace_members',
  ]) {
    const { data } = await good(us.from(table).select('*'));
    equal(JSON.stringify(data).includes(RIVAL_MARKER), false, table);
  }
  const { data } = await good(
    us
      .from('workspaces')
      .select('*, projects(*, hypotheses(*), personas(*)), workspace_members(*, profiles(*))'),
  );
  equal(JSON.stringify(data).includes(RIVAL_MARKER), false);
});
test('ids of another workspace find nothing', async () => {
  deepEqual(await dataOf(rival.from('hypotheses').select().in('id', ids(hypotheses))), []);
  deepEqual(await dataOf(rival.from('hypotheses').select().eq('project_id', project.id)), []);
  equal(
    (
      await good(
        rival.from('hypotheses').select('*', { count: 'exact', head: true }).eq('project_id', project.id),
      )
    ).count,
    0,
  );
});
test('ids of another workspace change nothing', async () => {
  deepEqual(
    await dataOf(rival.from('hypotheses').update({ statement: 'stolen' }).in('id', ids(hypotheses)).select()),
    [],
  );
  deepEqual(await dataOf(rival.from('hypotheses').delete().in('id', ids(hypotheses)).select()), []);
  equal(
    (await rival.from('hypotheses').insert({ project_id: project.id, statement: 'planted' })).status,
    403,
  );
  notEqual(
    (
      await rival
        .from('hypotheses')
        .upsert({ id: hypotheses[0].id, project_id: project.id, statement: 'stolen' })
    ).error,
    null,
  );
  equal((await dataOf(mine())).length, 3);
  equal((await dataOf(mine().eq('statement', 'stolen'))).length, 0);
});
test('rows do not move to another workspace', async () => {
  const { data: own } = await good(rival.from('hypotheses').select('id').limit(1).single());
  const moved = await rival
    .from('hypotheses')
    .update({ project_id: project.id, workspace_id: workspace.id })
    .eq('id', own.id)
    .select();
  ok(moved.error || moved.data.length === 0);
  equal((await dataOf(mine())).length, 3);
});
test('the secret key passes', async () =>
  ok((await dataOf(admin.from('workspaces').select('id'))).length >= 2));

// Personal access tokens ------------------------------------------------------------------------------------

// What a script gets that has a token with these scopes: the token as supabase-js takes it, and as a header.
async function scripts(...scopes) {
  const {
    data: { session },
  } = await us.auth.getSession();
  const answer = await fetch(`${API_URL}/auth/v1/tokens`, {
    method: 'POST',
    headers: { apikey: ANON_KEY, Authorization: `Bearer ${session.access_token}` },
    body: JSON.stringify({ name: `A script (${scopes})`, scopes }),
  });
  equal(answer.status, 201);
  const { id, token } = await answer.json();
  match(token, /^rsp_[A-Za-z0-9_-]{43}$/);
  const revoke = async () =>
    fetch(`${API_URL}/auth/v1/tokens/${id}`, {
      method: 'DELETE',
      headers: { apikey: ANON_KEY, Authorization: `Bearer ${session.access_token}` },
    });
  return {
    revoke,
    clients: [
      client({ accessToken: async () => token }),
      client({ global: { headers: { Authorization: `Bearer ${token}` } } }),
    ],
  };
}
test('a personal access token reads', async () => {
  const { clients } = await scripts('research:read');
  for (const script of clients) {
    equal((await dataOf(script.from('hypotheses').select('id').eq('project_id', project.id))).length, 3);
    equal((await dataOf(script.from('workspaces').select('id').eq('name', RIVAL_MARKER))).length, 0);
    ok(Array.isArray(await dataOf(script.rpc('my_invitations', {}, { get: true }))));
  }
});
test('a personal access token writes only with its scope', async () => {
  const { clients } = await scripts('research:read');
  for (const script of clients) {
    const change = { project_id: project.id, statement: 'by a script' };
    const refused = await bad(script.from('hypotheses').insert(change), 403, 'insufficient_scope');
    match(refused.message, /research:write/);
    match((await bad(script.rpc('my_invitations'), 403, 'insufficient_scope')).hint, /get: true/);
  }
  const writing = await scripts('research:write');
  for (const script of writing.clients) {
    const rows = script.from('personas').insert({ project_id: project.id, name: 'By a script' });
    const { id } = await dataOf(rows.select('id').single());
    await good(script.from('personas').delete().eq('id', id));
    await bad(script.from('personas').select('id'), 403, 'insufficient_scope');
  }
});
test('a personal access token ends when it is revoked', async () => {
  const { clients, revoke } = await scripts('research:read');
  for (const script of clients) await good(script.from('projects').select('id'));
  equal((await revoke()).status, 204);
  for (const script of clients) await bad(script.from('projects').select('id'), 401, 'PGRST301');
});

// The description -------------------------------------------------------------------------------------------

async function description(accept) {
  const {
    data: { session },
  } = await us.auth.getSession();
  const answer = await fetch(`${API_URL}/rest/v1/`, {
    headers: { apikey: ANON_KEY, Authorization: `Bearer ${session.access_token}`, Accept: accept },
  });
  equal(answer.status, 200);
  return answer.json();
}
for (const [accept, version] of [
  ['*/*', '2.0'],
  ['application/json', '2.0'],
  ['application/openapi+json;version=3.1', '3.1'],
]) {
  test(`the description is valid OpenAPI ${version}`, async () => {
    const validator = new Validator();
    const result = await validator.validate(await description(accept));
    equal(result.valid, true, JSON.stringify(result.errors, null, 1)?.slice(0, 3000));
    equal(validator.version, version);
  });
}
test('a document that is broken is found', async () => {
  const doc = await description('*/*');
  doc.paths['/projects'].get.responses = 'nothing';
  equal((await new Validator().validate(doc)).valid, false);
});
