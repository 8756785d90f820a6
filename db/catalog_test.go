package db_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// A rule is a query of the system catalog that returns violations, and a statement that must cause one: a
// rule that cannot fail proves nothing.
//
// These rules are about how the migrations are written. db.Rules are about any database, and violations has
// what they must find.
var rules = []struct{ name, query, violation string }{
	{
		name: "the roles create nothing in our schemas",
		query: `
			select r.rolname || ' ' || n.nspname
			from pg_roles r, pg_namespace n
			where r.rolname in ('anon', 'authenticated', 'authenticator', 'service_role')
				and n.nspname in ('public', 'auth', 'private')
				and has_schema_privilege(r.oid, n.oid, 'create')
				and not (r.rolname = 'service_role' and n.nspname = 'private')`,
		violation: `grant create on schema public to authenticated`,
	},
	{
		name: "row-level security is on and forced on every table of the exposed schema",
		query: `
			select c.relname::text
			from pg_class c
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and not (c.relrowsecurity and c.relforcerowsecurity)`,
		violation: `
			create table public.bare (id uuid primary key);
			alter table public.bare enable row level security`,
	},
	{
		name: "every privilege of clients on a table has a policy",
		query: `
			select c.relname || ' ' || r.privilege
			from pg_class c,
				(values ('select', 'r'), ('insert', 'a'), ('update', 'w'), ('delete', 'd')) r (privilege, command),
				(values ('authenticated'), ('service_role')) client (role)
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and case
					when r.privilege = 'delete' then has_table_privilege(client.role, c.oid, 'delete')
					else has_any_column_privilege(client.role, c.oid, r.privilege)
				end
				and not exists (
					select from pg_policy p
					where p.polrelid = c.oid and p.polcmd::text in (r.command, '*')
						and p.polroles = array[client.role::regrole::oid])`,
		violation: `
			create table public.bare (id uuid primary key);
			alter table public.bare enable row level security;
			alter table public.bare force row level security;
			grant select on public.bare to authenticated`,
	},
	{
		// Its policies would say only that the row is not permitted. A user has one profile and one preference.
		name: "an insert without the key of its parent says so",
		query: `
			select c.relname || '.' || a.attname
			from pg_class c
			join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and a.attnotnull and not a.atthasdef
				and has_column_privilege('authenticated', c.oid, a.attnum, 'insert')
				and coalesce(col_description(c.oid, a.attnum), '') !~ 'Filled by the database'
				and (c.relname, a.attname) not in (('profiles', 'id'), ('digest_preferences', 'user_id'))
				and exists (
					select from pg_constraint k
					where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any (k.conkey))
				and not exists (
					select from pg_trigger t
					where t.tgrelid = c.oid and t.tgfoid = 'private.refuse_null()'::regprocedure
						and rtrim(encode(t.tgargs, 'escape'), '\000') = a.attname)`,
		violation: `drop trigger t0_needs_project on public.hypotheses`,
	},
	{
		// The descriptions of the data API read the comment (api/rest/catalog.Column.Filled).
		name: "a column that a trigger fills where a client leaves it out says so",
		query: `
			select c.relname || '.' || a.attname
			from pg_class c
			join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and a.attnotnull and not a.atthasdef
				and has_column_privilege('authenticated', c.oid, a.attnum, 'insert')
				and coalesce(col_description(c.oid, a.attnum), '') !~ 'Filled by the database( if left out)?\.'
				and exists (
					select from pg_trigger t join pg_proc p on p.oid = t.tgfoid
					where t.tgrelid = c.oid and t.tgtype & 2 = 2 and t.tgtype & 4 = 4 -- before insert
						and p.prosrc ~ format('(new\.%1$s is null|coalesce\(new\.%1$s\y)', a.attname)
						and p.prosrc ~ format('(new\.%1$s :?=|into new\.%1$s\y)', a.attname))`,
		violation: `comment on column public.workspaces.slug is 'Short name for links.'`,
	},
	{
		name: "every table can be read by members and written by the service",
		query: `
			select c.relname::text
			from pg_class c
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and not (has_table_privilege('authenticated', c.oid, 'select')
					and has_table_privilege('service_role', c.oid, 'select')
					and has_table_privilege('service_role', c.oid, 'insert')
					and has_table_privilege('service_role', c.oid, 'update')
					and has_table_privilege('service_role', c.oid, 'delete'))`,
		violation: `create table public.bare (id uuid primary key)`,
	},
	{
		name: "policies for clients use only expressions that are evaluated once for each statement",
		query: `
			select c.relname || ' ' || p.polname
			from pg_policy p
			join pg_class c on c.oid = p.polrelid,
				lateral (
					select coalesce(pg_get_expr(p.polqual, p.polrelid), '') || ' '
						|| coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '') as text
				) e
			where p.polroles = array['authenticated'::regrole::oid]
				and regexp_replace(
					regexp_replace(e.text, 'ARRAY\( SELECT private\.my_\w+\([^)]*\) AS \w+\)', '', 'g'),
					'\( SELECT auth\.uid\(\) AS uid\)', '', 'g') ~ '(auth|private)\.'`,
		violation: `
			create policy slow on public.projects for select to authenticated
			using (workspace_id in (select private.my_workspaces()) and auth.uid() is not null)`,
	},
	{
		name: "functions that policies call are inlined or keep their plans",
		query: `
			select distinct c.relname || ' ' || p.polname || ' ' || f.oid::regproc
			from pg_policy p
			join pg_class c on c.oid = p.polrelid
			join pg_depend d on d.classid = 'pg_policy'::regclass and d.objid = p.oid
			join pg_proc f on d.refclassid = 'pg_proc'::regclass and f.oid = d.refobjid
			join pg_language l on l.oid = f.prolang
			where l.lanname = 'sql' and (f.prosecdef or f.proconfig is not null or f.proretset)`,
		violation: `
			create function private.my_projects() returns setof uuid language sql stable security definer
			set search_path = '' as 'select id from public.projects';
			create policy slow on public.projects for select to service_role
			using (id = any (array(select private.my_projects())))`,
	},
	{
		name: "anon and PUBLIC have no privileges on tables, and no client may truncate, reference or trigger",
		query: `
			select c.relname || ' ' || x.privilege_type
			from pg_class c, lateral (
				select a.grantee, a.privilege_type
				from aclexplode(c.relacl) a
				union all
				select a.grantee, a.privilege_type
				from pg_attribute t, aclexplode(t.attacl) a
				where t.attrelid = c.oid
			) x
			where c.relnamespace in ('public'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
				and (x.grantee in (0, 'anon'::regrole, 'authenticator'::regrole)
					or x.grantee in ('authenticated'::regrole, 'service_role'::regrole)
						and x.privilege_type in ('TRUNCATE', 'REFERENCES', 'TRIGGER'))`,
		violation: `grant select (name) on public.projects to anon`,
	},
	{
		name: "clients never write the tables of the service",
		query: `
			select t
			from unnest(array[
				'utterances', 'utterance_questions', 'import_hypotheses', 'speaker_stances', 'activity_events',
				'digest_deliveries', 'webhook_deliveries', 'hypothesis_decisions'
			]) t
			where has_any_column_privilege('authenticated', 'public.' || t, 'insert')
				or has_any_column_privilege('authenticated', 'public.' || t, 'update')
				or has_table_privilege('authenticated', 'public.' || t, 'delete')`,
		violation: `grant update (speaker) on public.utterances to authenticated`,
	},
	{
		name: "clients write three columns of imports",
		query: `
			select a.attname::text
			from pg_attribute a
			where a.attrelid = 'public.imports'::regclass and a.attnum > 0 and not a.attisdropped
				and (has_column_privilege('authenticated', a.attrelid, a.attnum, 'insert')
					or has_column_privilege('authenticated', a.attrelid, a.attnum, 'update')
						<> (a.attname in ('title', 'persona_id', 'interviewed_on'))
					or has_table_privilege('authenticated', a.attrelid, 'delete'))`,
		violation: `grant update (status) on public.imports to authenticated`,
	},
	{
		// A user has one row of a profile and of preferences. private.limit_workspaces limits workspaces.
		name: "every table that clients insert into has a limit of rows in a workspace",
		query: `
			select c.relname::text
			from pg_class c
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and c.relname not in ('profiles', 'digest_preferences', 'workspaces')
				and has_any_column_privilege('authenticated', c.oid, 'insert')
				and not exists (
					select from pg_trigger t
					where t.tgrelid = c.oid and t.tgfoid = 'private.limit_rows()'::regprocedure)`,
		violation: `
			create table public.bare (id uuid primary key);
			grant insert on public.bare to authenticated`,
	},
	{
		name: "every table that clients insert into or update counts what they write",
		query: `
			select c.relname || ' ' || f.name
			from pg_class c,
				(values ('begin_writing'), ('add_written'), ('end_writing')) f (name)
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and (has_any_column_privilege('authenticated', c.oid, 'insert')
					or has_any_column_privilege('authenticated', c.oid, 'update'))
				and not exists (
					select from pg_trigger t
					join pg_proc p on p.oid = t.tgfoid
					where t.tgrelid = c.oid and p.proname = f.name and p.pronamespace = 'private'::regnamespace
						and t.tgtype & 20 = 20)`,
		violation: `
			create table public.bare (id uuid primary key);
			grant update on public.bare to authenticated`,
	},
	{
		name: "functions have a fixed search path, or a body that was parsed at creation",
		query: `
			select p.oid::regprocedure::text
			from pg_proc p
			where p.pronamespace in ('public'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
				and p.prosqlbody is null
				and not exists (select from unnest(p.proconfig) c where c like 'search_path=%')`,
		violation: `create function private.loose() returns int language sql as 'select 1'`,
	},
	{
		name: "PUBLIC may execute none of our functions",
		query: `
			select p.oid::regprocedure::text
			from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
			where p.pronamespace in ('public'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
				and a.grantee = 0`,
		violation: `
			create function private.open() returns int language sql return 1;
			grant execute on function private.open() to public`,
	},
	{
		name: "every foreign key has an index on its referencing columns",
		query: `
			select k.conrelid::regclass || ' ' || k.conname
			from pg_constraint k
			where k.contype = 'f'
				and k.connamespace in ('public'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
				and not exists (
					select from pg_index i
					where i.indrelid = k.conrelid and i.indisvalid and i.indpred is null
						and i.indkey[0] = any (k.conkey))`,
		violation: `
			alter table public.projects
			add column lead uuid constraint projects_lead_fkey references public.profiles (id)`,
	},
	{
		name: "the service does not see rows of a workspace that is marked deleted",
		query: `
			select c.relname::text
			from pg_class c
			join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
			join pg_policy p on p.polrelid = c.oid and p.polroles = array['service_role'::regrole::oid]
			where c.relnamespace = 'public'::regnamespace
				and pg_get_expr(p.polqual, p.polrelid) !~ 'workspace_id .*private\.hides_marked'`,
		violation: `alter policy service on public.utterances using (true)`,
	},
	{
		// Events of streams are kept for a day, and keys of requests as well. The words of an import are few rows.
		name: "everything below a workspace is removed in batches, but for what is little",
		query: `
			with recursive below (id) as (
				select 'public.workspaces'::regclass::oid
				union
				select k.conrelid
				from pg_constraint k
				join below b on b.id = k.confrelid
				where k.contype = 'f' and k.confdeltype <> 'n'
			)
			select b.id::regclass::text
			from below b
			where b.id <> all (array[
					'workspaces', 'workspace_members', 'workspace_invitations', 'auth.one_time_tokens',
					'private.events', 'private.idempotency_keys', 'private.webhook_secrets', 'private.webhook_queues',
					'private.webhook_cursors', 'private.finding_share_tokens', 'private.transcript_words',
					'private.row_counts', 'private.token_reservations', 'private.presence', 'private.theme_run_plans'
				]::regclass[])
				and b.id not in (
					select s.relation::regclass from private.deletion_steps() s where s.kind = 'workspace'
				)`,
		violation: `
			create table private.forgotten (
				import_id uuid constraint forgotten_fkey references public.imports (id) on delete cascade
			)`,
	},
	{
		name: "what refers to rows is removed before them",
		query: `
			select k.conname::text
			from pg_constraint k
			join private.deletion_steps() child on child.relation::regclass = k.conrelid
			join private.deletion_steps() parent on parent.relation::regclass = k.confrelid
			where k.contype = 'f' and k.confdeltype <> 'n' and k.conrelid <> k.confrelid
				and child.kind = 'workspace' and parent.kind = 'workspace' and child.step > parent.step`,
		violation: `
			alter table public.projects
			add column first_event uuid constraint projects_first_event_fkey references public.activity_events (id);
			alter table public.activity_events
			add column first_project uuid
				constraint activity_events_first_project_fkey references public.projects (id)`,
	},
	{
		name: "what refers to an account is changed in batches, but for what the account alone has",
		query: `
			select k.conrelid::regclass || ' ' || a.attname
			from pg_constraint k
			join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
			where k.contype = 'f' and k.confrelid in ('public.profiles'::regclass, 'auth.users'::regclass)
				and k.conrelid <> all (array[
					'profiles', 'workspace_members', 'digest_preferences', 'digest_deliveries', 'private.presence',
					'private.invitation_counts', 'auth.identities', 'auth.sessions', 'auth.refresh_tokens',
					'auth.one_time_tokens', 'auth.notices', 'auth.undo_links', 'auth.sign_in_networks',
					'auth.flow_state', 'auth.provider_flows', 'auth.mfa_factors', 'auth.mfa_recovery_codes',
					'auth.mfa_failures',
					'private.idempotency_keys', 'private.write_budgets', 'private.answer_claims',
					'auth.oauth_authorizations', 'auth.oauth_consents', 'auth.personal_access_tokens'
				]::regclass[])
				and not exists (
					select from private.deletion_steps() s
					where s.kind = 'account' and s.relation::regclass = k.conrelid and s.key = a.attname)`,
		violation: `
			alter table public.projects
			add column lead uuid
				constraint projects_lead_fkey references public.profiles (id) on delete set null`,
	},
	{
		name: "constraints are not deferrable, so that an answer that was sent stays true",
		query: `
			select k.conrelid::regclass || ' ' || k.conname
			from pg_constraint k
			where k.condeferrable
				and k.connamespace in ('public'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)`,
		violation: `
			alter table public.questions
			add constraint late foreign key (persona_id) references public.personas (id) deferrable`,
	},
	{
		name: "references between rows of a project include the project",
		query: `
			select k.conrelid::regclass || ' ' || k.conname
			from pg_constraint k
			join pg_attribute a on a.attrelid = k.conrelid and a.attname = 'project_id'
			join pg_attribute b on b.attrelid = k.confrelid and b.attname = 'project_id'
			where k.contype = 'f' and k.connamespace = 'public'::regnamespace
				and not (a.attnum = any (k.conkey) and b.attnum = any (k.confkey))
				-- triggers compare the projects
				and k.conname not in ('themes_parent_id_fkey', 'themes_merged_into_fkey')`,
		violation: `
			alter table public.questions
			add constraint loose foreign key (persona_id) references public.personas (id)`,
	},
	{
		name: "rows of a project refer to its workspace",
		query: `
			select c.relname::text
			from pg_class c
			join pg_attribute p on p.attrelid = c.oid and p.attname = 'project_id'
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and not exists (
					select from pg_constraint k
					join pg_attribute w on w.attrelid = c.oid and w.attname = 'workspace_id'
					where k.conrelid = c.oid and k.contype = 'f' and k.conkey @> array[p.attnum, w.attnum])`,
		violation: `create table public.bare (project_id uuid primary key references public.projects (id))`,
	},
	{
		name: "every served table has an index that begins with the column of its policy",
		query: `
			select c.relname::text
			from pg_class c
			join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and not exists (select from pg_index i where i.indrelid = c.oid and i.indkey[0] = a.attnum)`,
		violation: `create table public.bare (id uuid primary key, workspace_id uuid)`,
	},
	{
		name: "every served table has created_at and updated_at",
		query: `
			select c.relname::text
			from pg_class c
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and (
					select count(*)
					from pg_attribute a
					where a.attrelid = c.oid and a.attname in ('created_at', 'updated_at')
						and a.atttypid = 'timestamptz'::regtype and a.attnotnull
				) < 2`,
		violation: `
			create table public.bare (id uuid primary key, created_at timestamptz not null default now())`,
	},
	{
		name: "every table that clients may change sets the timestamps",
		query: `
			select c.relname::text
			from pg_class c
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and has_any_column_privilege('authenticated', c.oid, 'update')
				and not exists (
					select from pg_trigger t
					where t.tgrelid = c.oid and t.tgfoid = 'private.stamp()'::regprocedure and t.tgtype & 23 = 23)`,
		violation: `
			create table public.bare (id uuid primary key);
			grant update on public.bare to authenticated`,
	},
	{
		name: "every served table and column has a comment, unless its name says what it is",
		query: `
			select c.relname || coalesce('.' || a.attname, '')
			from pg_class c
			left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
				and (obj_description(c.oid, 'pg_class') is null
					or col_description(c.oid, a.attnum) is null and a.attname not in (
						'id', 'name', 'title', 'description', 'speaker', 'text',
						'created_at', 'updated_at', 'started_at', 'finished_at', 'queued_at', 'sent_at',
						'workspace_id', 'project_id', 'persona_id', 'hypothesis_id', 'import_id', 'evidence_id',
						'user_id'))`,
		violation: `alter table public.projects add column mystery integer`,
	},
	{
		name: "the names of constraints begin with the table",
		query: `
			select k.conrelid::regclass || ' ' || k.conname
			from pg_constraint k
			where k.contype in ('p', 'u', 'f', 'c')
				and k.connamespace in ('public'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace)
				and k.conrelid <> 0
				and k.conrelid <> coalesce(to_regclass('private.migrations'), 0)
				and k.conname not like (select relname from pg_class where oid = k.conrelid) || '\_%'`,
		violation: `alter table public.projects add constraint foo check (true)`,
	},
}

// violations has a statement for each of db.Rules that must cause a violation. Roles belong to the server, so
// that TestPrivilegesOfRoles violates the rules about them on one of its own.
var violations = map[string]string{
	"row-level security is on and forced on every table that clients reach": `
		create table public.bare (id uuid primary key);
		alter table public.bare enable row level security;
		grant select (id) on public.bare to public`,
	"policies name one role each, neither PUBLIC nor anon": `
		create policy open on public.projects for select using (true)`,
	"clients have no privileges on tables outside the exposed schema": `
		grant select on auth.users to authenticated`,
	"views apply the policies of their caller, and no materialized or foreign table is exposed": `
		create view public.everything as select * from public.evidence;
		grant select on public.everything to authenticated`,
	"security definer functions that clients reach have a fixed search path and belong to service_role": `
		create function private.loose() returns int language sql security definer as 'select 1';
		alter function private.loose() owner to service_role`,
	"no function that clients reach in the exposed schema is a security definer": `
		create function public.leak() returns int
		language sql security definer set search_path = '' as 'select 1';
		grant execute on function public.leak() to anon`,
	"nobody may use a new object before a migration grants it, whichever role creates it": `
		alter default privileges for role service_role grant execute on functions to public`,
	"the roles have no attributes beyond those of a request":        "",
	"the roles are members of nothing else":                         "",
	"authenticator inherits nothing from the roles that it becomes": "",
}

// Doctor and migrate read these rules in every database.
func TestRulesOfEveryDatabase(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	require.Len(t, violations, len(db.Rules))
	for _, rule := range db.Rules {
		violation, ok := violations[rule.Name]
		require.True(t, ok, rule.Name)
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			d.AsOwner(t, func(c *pgx.Conn) { requireRule(t, c, rule.Query, violation) })
		})
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			d.AsOwner(t, func(c *pgx.Conn) {
				requireRule(t, c, rule.query, rule.violation)
			})
		})
	}
}

// requireRule requires that a query returns nothing, and something after the violation, unless that is "".
func requireRule(t *testing.T, c *pgx.Conn, query, violation string) {
	t.Helper()
	require.Zero(t, count(t, c, query))
	if violation == "" {
		return
	}
	tx, err := c.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), violation)
	require.NoError(t, err)
	require.NotZero(t, count(t, c, query), "the rule does not find: %s", violation)
	require.NoError(t, tx.Rollback(t.Context()))
}

func count(t *testing.T, c *pgx.Conn, query string) (rows int) {
	t.Helper()
	require.NoError(t, c.QueryRow(t.Context(), "select count(*) from ("+query+") x").Scan(&rows))
	return rows
}

// The constraints that code names exist, in the catalog or in a trigger that raises them.
func TestConstraintConstants(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	source, err := os.ReadFile("constraints.go")
	require.NoError(t, err)
	names := regexp.MustCompile(`= "([a-z_]+)"`).FindAllStringSubmatch(string(source), -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		exists := dbtest.Value[bool](t, d, `
			select exists (select from pg_constraint where conname = $1)
				or exists (select from pg_class where relkind = 'i' and relname = $1)
				or exists (
					select from pg_proc
					where pronamespace = 'private'::regnamespace
						and prosrc like any (array[
							'%' || quote_literal($1) || '%',
							'% || ' || quote_literal(regexp_replace($1, '^[a-z]+', '')) || '%' -- of a table
						]))`, name[1])
		require.True(t, exists, name[1])
	}
}
