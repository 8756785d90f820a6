// Queries of the data API as a program in TypeScript writes them. Only compiled: each wrong query is marked
// with the error that the compiler must report, so that types that allow everything fail as well.
import { createClient } from '@supabase/supabase-js';
import { Constants } from './database.types.js';
import type { CompositeTypes, Database, Enums } from './database.types.js';
import type { Tables, TablesInsert, TablesUpdate } from './database.types.js';

const client = createClient<Database>('http://127.0.0.1:8080', 'anon');

// assertType compiles where the value has this type.
const assertType = <T>(_value: T) => {};
// same compiles where two types are the same.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_equal: Same<A, B>) => {};

export async function reads(projectId: string) {
  const projects = await client.from('projects').select('id,name,stage').order('name').throwOnError();
  same<(typeof projects.data)[number], { id: string; name: string; stage: Enums<'project_stage'> }>(true);

  const board = await client
    .from('evidence')
    .select('id,quote,start_ms,imports(title,status),evidence_hypotheses(stance,hypotheses(statement))')
    .eq('project_id', projectId)
    .eq('review', 'accepted')
    .throwOnError();
  for (const quote of board.data) {
    assertType<string>(quote.quote);
    assertType<number | null>(quote.start_ms);
    assertType<{ title: string; status: Enums<'import_status'> } | null>(quote.imports);
    assertType<string | undefined>(quote.evidence_hypotheses[0]?.hypotheses.statement);
    // @ts-expect-error a column that the query does not select
    assertType<string>(quote.rationale);
  }

  // @ts-expect-error a table that does not exist
  await client.from('nothing').select();
  // @ts-expect-error a value that the enum lacks
  await client.from('evidence').select('id').eq('review', 'perhaps');

  const unknown = await client.from('projects').select('id,shape').throwOnError();
  // @ts-expect-error a column that the table lacks
  assertType<string>(unknown.data[0]?.id);
}

export async function writes(workspaceId: string) {
  const project: TablesInsert<'projects'> = { workspace_id: workspaceId, name: 'Receipts' };
  const { data } = await client.from('projects').insert(project).select('*').single().throwOnError();
  same<typeof data, Tables<'projects'>>(true);

  const change: TablesUpdate<'hypotheses'> = { importance: Constants.public.Enums.hypothesis_importance[0] };
  await client.from('hypotheses').update(change).eq('project_id', data.id);

  // What the database fills can be left out.
  await client.from('workspaces').insert({ name: 'Acme' });
  const persona = { project_id: data.id, name: 'Ada' };
  await client.from('personas').insert(persona);
  await client.from('participants').insert(persona);
  await client.from('hypotheses').insert({ project_id: data.id, statement: 'Receipts get lost' });
  await client.from('questions').insert([{ project_id: data.id, text: 'Where are they kept?' }]);
  await client.from('evidence').insert({ project_id: data.id, quote: 'In a shoebox' });
  const link = { evidence_id: data.id, hypothesis_id: data.id };
  await client.from('evidence_hypotheses').insert({ ...link, stance: 'supports' });
  await client.from('finding_quotes').insert(link);

  // @ts-expect-error a hypothesis has a project
  await client.from('hypotheses').insert({ statement: 'Receipts get lost' });
  // @ts-expect-error a project has a workspace and a name
  await client.from('projects').insert({ description: 'none' });
  // @ts-expect-error a number is no statement
  await client.from('hypotheses').update({ statement: 7 }).eq('project_id', data.id);
}

// The short names take a schema as well.
export function names() {
  same<Tables<{ schema: 'public' }, 'projects'>, Tables<'projects'>>(true);
  same<TablesInsert<{ schema: 'public' }, 'projects'>, TablesInsert<'projects'>>(true);
  same<TablesUpdate<{ schema: 'public' }, 'projects'>, TablesUpdate<'projects'>>(true);
  same<Enums<{ schema: 'public' }, 'import_status'>, Enums<'import_status'>>(true);
  same<Tables<'hypothesis_people'>['participants'], number | null>(true);
  // @ts-expect-error a schema that is not served
  assertType<Tables<{ schema: 'private' }, 'projects'> | null>(null);
  // @ts-expect-error a table that does not exist
  assertType<TablesInsert<'nothing'> | null>(null);
  // @ts-expect-error a composite type that does not exist
  assertType<CompositeTypes<'nothing'> | null>(null);
}

export async function calls(projectId: string) {
  const balances = await client.rpc('hypothesis_balances', { project: projectId }).throwOnError();
  assertType<number | undefined>(balances.data[0]?.supports);
  const invitations = await client.rpc('my_invitations').throwOnError();
  assertType<Enums<'member_role'> | undefined>(invitations.data[0]?.role);

  // @ts-expect-error the argument has another name
  await client.rpc('hypothesis_balances', { projekt: projectId });
  // @ts-expect-error a function that does not exist
  await client.rpc('nothing');
}
