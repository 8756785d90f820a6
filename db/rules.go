package db

// A rule is about what the database lets clients and roles do. It holds in every database of the service,
// whoever set it up. Its query returns the violations: the object, what is wrong with it, the statement that
// corrects it ("" if only a person can decide), and whether the service must not be used meanwhile.
type rule struct{ Name, Query string }

// rules are read by `research doctor` and `research migrate`. A test proves of each that it finds a
// violation. What the rules say of objects of others, which the schemas may contain too, is no more than a
// warning.
var rules = []rule{
	{
		Name: "row-level security is on and forced on every table that clients reach",
		Query: `
			select 'table ' || c.oid::regclass,
				'clients reach table ' || c.oid::regclass || ' without row-level security',
				format('alter table %s enable row level security; alter table %1$s force row level security',
					c.oid::regclass), true
			from pg_class c
			join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
			where c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)
				and exists (
					select from unnest(array['anon', 'authenticated']) client
					where has_any_column_privilege(client, c.oid, 'select, insert, update')
						or has_table_privilege(client, c.oid, 'delete, truncate'))`,
	},
	{
		Name: "policies name one role each, neither PUBLIC nor anon",
		Query: `
			select 'table ' || c.oid::regclass,
				format('policy %I on %s is not for one role', p.polname, c.oid::regclass),
				format('alter policy %I on %s to %s', p.polname, c.oid::regclass,
					case p.polname when 'service' then 'service_role' else 'authenticated' end), true
			from pg_policy p
			join pg_class c on c.oid = p.polrelid
			where p.polroles not in (array['authenticated'::regrole::oid], array['service_role'::regrole::oid])`,
	},
	{
		Name: "clients have no privileges on tables outside the exposed schema",
		Query: `
			select 'table ' || c.oid::regclass, 'clients have privileges on table ' || c.oid::regclass,
				format('revoke all on table %s from public, anon, authenticated', c.oid::regclass), true
			from pg_class c
			join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('auth', 'private')
			where c.relkind in ('r', 'p', 'v', 'm', 'f')
				and exists (
					select from unnest(array['anon', 'authenticated']) client
					where has_any_column_privilege(client, c.oid, 'select, insert, update')
						or has_table_privilege(client, c.oid, 'delete, truncate'))`,
	},
	{
		// service_role passes by policy. Without policies, it would also see what is marked deleted.
		Name: "the roles have no attributes beyond those of a request",
		Query: `
			select '', r.rolname || ' has ' || upper(a.name collate "C"),
				format('alter role %I no%s', r.rolname, a.name),
				r.rolname <> 'service_role' or a.name not in ('bypassrls', 'createdb')
			from pg_roles r, lateral (values
				('superuser', r.rolsuper), ('bypassrls', r.rolbypassrls), ('createrole', r.rolcreaterole),
				('createdb', r.rolcreatedb), ('replication', r.rolreplication), ('inherit', r.rolinherit)
			) a (name, has)
			where r.rolname in ('anon', 'authenticated', 'authenticator', 'service_role') and a.has`,
	},
	{
		// That authenticator may become other roles as well is no danger: the service switches to these three only.
		Name: "the roles are members of nothing else",
		Query: `
			select '', r.rolname || ' is a member of ' || g.rolname,
				format('revoke %I from %I', g.rolname, r.rolname)
					|| case when current_setting('server_version_num')::int < 160000 then ''
						else ' granted by ' || quote_ident(pg_get_userbyid(m.grantor)) end,
				r.rolname <> 'authenticator'
			from pg_auth_members m
			join pg_roles r on r.oid = m.member
			join pg_roles g on g.oid = m.roleid
			where r.rolname in ('anon', 'authenticated', 'service_role')
				or r.rolname = 'authenticator' and g.rolname not in ('anon', 'authenticated', 'service_role')`,
	},
	{
		Name: "authenticator inherits nothing from the roles that it becomes",
		Query: `
			select '', 'authenticator inherits from ' || r.rolname,
				case when current_setting('server_version_num')::int >= 160000
					then format('grant %I to authenticator with inherit false', r.rolname)
					else 'alter role authenticator noinherit' end, true
			from pg_roles r
			join pg_roles a on a.rolname = 'authenticator' and not a.rolsuper
			where r.rolname in ('anon', 'authenticated', 'service_role') and pg_has_role(a.oid, r.oid, 'usage')`,
	},
	{
		// PostgreSQL 14 has no security_invoker: there, a view may read nothing but functions.
		Name: "views apply the policies of their caller, and no materialized or foreign table is exposed",
		Query: `
			select 'view ' || c.oid::regclass, 'clients reach ' || c.oid::regclass || ' without row-level security',
				format('revoke all on table %s from public, anon, authenticated', c.oid::regclass), true
			from pg_class c
			join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
			where exists (
					select from unnest(array['anon', 'authenticated']) client
					where has_any_column_privilege(client, c.oid, 'select, insert, update')
						or has_table_privilege(client, c.oid, 'delete, truncate'))
				and (c.relkind in ('m', 'f')
					or c.relkind = 'v'
						and not coalesce(c.reloptions && array['security_invoker=true', 'security_invoker=on'], false)
						and exists (
							select
							from pg_rewrite r
							join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
							where r.ev_class = c.oid
								and d.refclassid = 'pg_class'::regclass
								and d.refobjid <> c.oid))`,
	},
	{
		Name: "security definer functions that clients reach have a fixed search path and belong to service_role",
		Query: `
			select 'function ' || n.nspname || '.' || p.proname || '(' || oidvectortypes(p.proargtypes) || ')',
				'function ' || p.oid::regprocedure || ' runs as ' || pg_get_userbyid(p.proowner)
					|| case when x.is_fixed then '' else ' without a fixed search path' end,
				case when not x.is_fixed then format('alter routine %s set search_path = ''''', p.oid::regprocedure)
					else format('alter routine %s owner to service_role', p.oid::regprocedure) end, true
			from pg_proc p
			join pg_namespace n on n.oid = p.pronamespace and n.nspname in ('public', 'auth', 'private'),
				lateral (
					select exists (select from unnest(p.proconfig) c where c like 'search_path=%') as is_fixed
				) x
			where p.prosecdef and (pg_get_userbyid(p.proowner) <> 'service_role' or not x.is_fixed)
				and (n.nspname <> 'public' or has_function_privilege('authenticated', p.oid, 'execute')
					or has_function_privilege('anon', p.oid, 'execute'))`,
	},
	{
		Name: "no function that clients reach in the exposed schema is a security definer",
		Query: `
			select 'function ' || n.nspname || '.' || p.proname || '(' || oidvectortypes(p.proargtypes) || ')',
				'clients reach function ' || p.oid::regprocedure || ', which runs as ' || pg_get_userbyid(p.proowner),
				format('revoke execute on routine %s from public, anon, authenticated', p.oid::regprocedure), true
			from pg_proc p
			join pg_namespace n on n.oid = p.pronamespace and n.nspname = 'public'
			where p.prosecdef
				and (has_function_privilege('authenticated', p.oid, 'execute')
					or has_function_privilege('anon', p.oid, 'execute'))`,
	},
	defaultPrivileges,
}

// defaultPrivileges is about the objects that later migrations create. They belong to the owner of the schema
// private, or to service_role; another login that migrates is looked at, too.
var defaultPrivileges = rule{
	Name: "nobody may use a new object before a migration grants it, whichever role creates it",
	Query: `
		with creators as (
			select r.oid, r.rolname
			from pg_roles r
			where r.rolname = 'service_role' or r.oid in (select nspowner from pg_namespace where nspname = 'private')
				or r.rolname = current_user and has_database_privilege(current_database(), 'create')
		), kinds (kind, name) as (
			values ('r', 'tables'), ('S', 'sequences'), ('f', 'routines'), ('T', 'types'), ('n', 'schemas')
		)
		select '', format('%s has %s on new %s of %s', x.grantee, x.privileges, k.name, c.rolname),
			format('alter default privileges for role %I', c.rolname)
				|| coalesce(' in schema ' || quote_ident(n.nspname), '')
				|| format(' revoke %s on %s from %s', x.privileges, k.name, x.grantee), true
		from pg_default_acl d
		join creators c on c.oid = d.defaclrole
		join kinds k on k.kind = d.defaclobjtype::text
		left join pg_namespace n on n.oid = d.defaclnamespace
		cross join lateral (
			select lower(string_agg(a.privilege_type, ', ' order by a.privilege_type) collate "C") as privileges,
				coalesce(quote_ident(r.rolname), 'PUBLIC') as grantee
			from aclexplode(d.defaclacl) a
			left join pg_roles r on r.oid = a.grantee
			where (a.grantee = 0 and not (d.defaclobjtype = 'T' and d.defaclnamespace = 0)
					or r.rolname in ('anon', 'authenticated', 'service_role', 'authenticator'))
				and a.grantee <> d.defaclrole
			group by r.rolname
		) x
		where d.defaclnamespace = 0 or n.nspname in ('public', 'private', 'auth')
		union all
		select '', 'PUBLIC has execute on new routines of ' || c.rolname,
			format('alter default privileges for role %I revoke execute on routines from public', c.rolname), true
		from creators c
		where not exists (
			select from pg_default_acl d
			where d.defaclrole = c.oid and d.defaclobjtype = 'f' and d.defaclnamespace = 0)`,
}
