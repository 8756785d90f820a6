package db

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// privilegeList has a line for each object of a database with all migrations, and for each privilege that
// somebody other than the owner has on it. `go run . dev -- go test ./db -run TestSchema -update` writes it.
//
//go:embed privileges.txt
var privilegeList string

const (
	public   = "PUBLIC"
	noColumn = ""
)

// A privilege is one that a role has on an object, or on a column of it.
type privilege struct {
	Object, Column, Grantee, Name string
	// Target is the object as GRANT writes it, such as "function public.my_invitations()".
	Target string
	// Owner is the role that owns the object, and Grantor the one that may revoke the privilege.
	Owner, Grantor string
	// IsOurs means that the grantee is PUBLIC or a role of the service.
	IsOurs bool
	// CanGrant means that the grantee may grant the privilege to others, which none of our roles may.
	CanGrant bool
}

// line is the privilege in the form of privilegeList.
func (p privilege) line() string {
	line := p.Object + ": " + p.Grantee + " " + p.Name
	if p.Column != noColumn {
		line += " (" + p.Column + ")"
	}
	return line
}

// privilegesSQL returns the objects of the three schemas with their privileges, and without those of owners.
// An object that nobody else has a privilege on has one row, without a grantee. The owner of the schema
// private is that of the database's objects. Roles of the service are those of the contract, and the logins
// that may become authenticator.
const privilegesSQL = `
	with schemas as (
		select * from pg_namespace where nspname in ('public', 'private', 'auth')
	), us as (
		select nspowner as owner from pg_namespace where nspname = 'private'
	), ours as (
		select 0 as oid
		union
		select oid from pg_roles where rolname in ('anon', 'authenticated', 'service_role', 'authenticator')
		union
		select r.oid
		from pg_auth_members m
		join pg_roles r on r.oid = m.member
		join pg_roles a on a.oid = m.roleid and a.rolname = 'authenticator'
		where not r.rolsuper and not r.rolcreaterole and r.oid not in (select owner from us)
	), objects as (
		select 'schema ' || nspname as object, format('schema %I', nspname) as target, nspowner as owner,
			'' as part, coalesce(nspacl, acldefault('n', nspowner)) as acl
		from schemas
		union all
		select k.kind || ' ' || s.nspname || '.' || c.relname,
			format('%s %I.%I', case c.relkind when 'S' then 'sequence' else 'table' end, s.nspname, c.relname),
			c.relowner, '',
			coalesce(c.relacl, acldefault((case c.relkind when 'S' then 's' else 'r' end)::"char", c.relowner))
		from pg_class c
		join schemas s on s.oid = c.relnamespace
		join (values
			('r', 'table'), ('p', 'table'), ('f', 'table'), ('v', 'view'), ('m', 'view'), ('S', 'sequence')
		) k (relkind, kind) on k.relkind = c.relkind::text
		union all
		select k.kind || ' ' || s.nspname || '.' || c.relname, format('table %I.%I', s.nspname, c.relname),
			c.relowner, a.attname::text, a.attacl
		from pg_attribute a
		join pg_class c on c.oid = a.attrelid
		join schemas s on s.oid = c.relnamespace
		join (values ('r', 'table'), ('p', 'table'), ('f', 'table'), ('v', 'view'), ('m', 'view'))
			k (relkind, kind) on k.relkind = c.relkind::text
		where a.attacl is not null
		union all
		select 'function ' || s.nspname || '.' || f.proname || '(' || oidvectortypes(f.proargtypes) || ')',
			'routine ' || f.oid::regprocedure, f.proowner, '', coalesce(f.proacl, acldefault('f', f.proowner))
		from pg_proc f
		join schemas s on s.oid = f.pronamespace
		union all
		select 'type ' || s.nspname || '.' || t.typname, format('type %I.%I', s.nspname, t.typname), t.typowner, '',
			coalesce(t.typacl, acldefault('T', t.typowner))
		from pg_type t
		join schemas s on s.oid = t.typnamespace
		left join pg_class c on c.oid = t.typrelid
		where t.typtype in ('e', 'd', 'r') or c.relkind = 'c'
	)
	select o.object, o.part, coalesce(x.grantee, ''), coalesce(x.privilege, ''), o.target,
		pg_get_userbyid(o.owner)::text, coalesce(x.grantor, ''), coalesce(x.is_ours, false),
		coalesce(x.can_grant, false)
	from objects o
	left join lateral (
		select case a.grantee when 0 then 'PUBLIC' else pg_get_userbyid(a.grantee)::text end as grantee,
			lower(a.privilege_type collate "C") as privilege, pg_get_userbyid(a.grantor)::text as grantor,
			a.grantee in (select oid from ours) as is_ours, a.is_grantable as can_grant
		from aclexplode(o.acl) a
		where a.grantee <> o.owner
	) x on true
	where o.part = '' or x.grantee is not null`

// privileges are those of a database, and the role that owns what does not belong to service_role.
type privileges struct {
	owner string
	all   []privilege
}

// readPrivileges returns the privileges in a database.
func readPrivileges(ctx context.Context, tx pgx.Tx) (in privileges, err error) {
	// PostgreSQL writes types of schemas that are not in the search path with the schema.
	if _, err := tx.Exec(ctx, "set local search_path = ''"); err != nil {
		return in, err
	}
	const ownerSQL = "select pg_get_userbyid(nspowner)::text from pg_namespace where nspname = 'private'"
	if err := tx.QueryRow(ctx, ownerSQL).Scan(&in.owner); err != nil {
		return in, err
	}
	rows, err := tx.Query(ctx, privilegesSQL)
	if err != nil {
		return in, err
	}
	in.all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p privilege, err error) {
		return p, row.Scan(&p.Object, &p.Column, &p.Grantee, &p.Name, &p.Target, &p.Owner, &p.Grantor, &p.IsOurs,
			&p.CanGrant)
	})
	return in, err
}

// lines returns the privileges of the service's roles in the form of privilegeList, sorted.
func (in privileges) lines() []string {
	lines := map[string]bool{}
	for _, p := range in.all {
		lines[p.Object+":"] = true
		if p.Owner != in.owner && p.hasFixedOwner() {
			lines[ownerLine(p.Object, p.Owner)] = true
		}
		if p.Grantee != "" && p.IsOurs {
			lines[p.line()] = true
		}
	}
	return slices.Sorted(maps.Keys(lines))
}

// ownerLine says in privilegeList that another role than the owner of the database owns an object.
func ownerLine(object, owner string) string { return object + ": owned by " + owner }

// hasFixedOwner is false for the schema public, whose owner depends on the version of PostgreSQL, and for
// sequences, which have the owner of their table.
func (p privilege) hasFixedOwner() bool {
	return p.Object != "schema public" && !strings.HasPrefix(p.Object, "sequence ")
}

// compare returns how the privileges differ from those that the migrations give. Objects of others are left
// alone, and so are privileges of their roles.
func (in privileges) compare() (differences []Widening) {
	given := map[string]bool{}
	for line := range strings.Lines(privilegeList) {
		given[strings.TrimSuffix(line, "\n")] = true
	}
	has, objects := map[string]bool{}, map[string]privilege{}
	excess := map[privilege][]privilege{}
	for _, p := range in.all {
		if !given[p.Object+":"] {
			continue
		}
		has[p.line()] = true
		objects[p.Object] = p
		if p.IsOurs && p.Grantee != "" && (!given[p.line()] || p.CanGrant) {
			key := p
			key.Name, key.Column, key.IsOurs, key.CanGrant = "", "", false, false
			excess[key] = append(excess[key], p)
		}
	}
	missing := map[privilege][]privilege{}
	for line := range given {
		object, rest, _ := strings.Cut(line, ":")
		of, exists := objects[object]
		grantee, name, isPrivilege := strings.Cut(strings.TrimSpace(rest), " ")
		// Fewer privileges of everybody are the operator's choice.
		if !exists || !isPrivilege || has[line] || grantee == public || strings.HasPrefix(name, "by ") {
			continue
		}
		// Before PostgreSQL 15, the owner of a database may not grant anything on its schema public.
		if has[object+": "+public+" "+name] {
			continue
		}
		name, column, _ := strings.Cut(name, " (")
		key := privilege{Object: object, Target: of.Target, Grantee: grantee}
		missing[key] = append(missing[key], privilege{Name: name, Column: strings.TrimSuffix(column, ")")})
	}
	for _, p := range objects {
		owner := in.owner
		if given[ownerLine(p.Object, RoleService)] {
			owner = RoleService
		}
		if p.Owner != owner && p.hasFixedOwner() {
			differences = append(differences, wrongOwner(p, owner))
		}
	}
	for key, privileges := range excess {
		differences = append(differences, excessPrivileges(key, privileges))
	}
	for key, privileges := range missing {
		differences = append(differences, missingPrivileges(key, privileges))
	}
	slices.SortFunc(differences, func(a, b Widening) int {
		return cmp.Or(cmp.Compare(a.step, b.step), strings.Compare(a.What, b.What))
	})
	return differences
}

// A correctionStep says when a difference is corrected. Owners come first, since only an owner may revoke and
// grant. Revoking a privilege on a table revokes it on each column, so that grants come last.
type correctionStep int

const (
	correctOwners correctionStep = iota
	revokeExcess
	grantMissing
)

var correctionSteps = []correctionStep{correctOwners, revokeExcess, grantMissing}

func wrongOwner(p privilege, owner string) Widening {
	return Widening{
		step: correctOwners, IsSevere: true, What: p.Owner + " owns " + p.Object,
		Command: "alter " + p.Target + " owner to " + QuoteName(owner), byMigrate: true,
	}
}

func excessPrivileges(key privilege, of []privilege) Widening {
	names := joinPrivileges(of)
	w := Widening{
		step: revokeExcess, IsSevere: true, byMigrate: true,
		What:    key.Grantee + " has " + names + " on " + key.Object,
		Command: "revoke " + names + " on " + key.Target + " from " + quoteGrantee(key.Grantee) + " cascade",
	}
	if key.Grantor != key.Owner {
		w.Command = "set role " + QuoteName(key.Grantor) + "; " + w.Command + "; reset role"
	}
	if key.Object == "schema public" && key.Grantee == public {
		// Before PostgreSQL 15, everybody may create objects there, and the owner of the database may not change
		// it.
		w.IsSevere = false
	}
	return w
}

func missingPrivileges(key privilege, of []privilege) Widening {
	names := joinPrivileges(of)
	return Widening{
		step: grantMissing, IsSevere: true, byMigrate: true,
		What:    key.Grantee + " lacks " + names + " on " + key.Object,
		Command: "grant " + names + " on " + key.Target + " to " + quoteGrantee(key.Grantee),
	}
}

// foreignGrants describes what roles that are not the service's may do with its objects.
func (in privileges) foreignGrants() (described []string) {
	objects := map[string][]string{}
	for _, p := range in.all {
		isObject := strings.Contains(privilegeList, p.Object+":\n")
		if !p.IsOurs && p.Grantee != "" && isObject && !slices.Contains(objects[p.Grantee], p.Object) {
			objects[p.Grantee] = append(objects[p.Grantee], p.Object)
		}
	}
	for _, grantee := range slices.Sorted(maps.Keys(objects)) {
		of := objects[grantee]
		text := grantee + " on " + slices.Min(of)
		if len(of) > 1 {
			text += fmt.Sprintf(" and %d more", len(of)-1)
		}
		described = append(described, text)
	}
	return described
}

// joinPrivileges lists privileges as GRANT writes them: select, update (name, title).
func joinPrivileges(privileges []privilege) string {
	columns := map[string][]string{}
	for _, p := range privileges {
		columns[p.Name] = append(columns[p.Name], p.Column)
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if slices.Contains(columns[name], noColumn) {
			names = append(names, name)
			columns[name] = slices.DeleteFunc(columns[name], func(c string) bool { return c == noColumn })
		}
		slices.Sort(columns[name])
		for i, column := range columns[name] {
			columns[name][i] = QuoteName(column)
		}
		if len(columns[name]) > 0 {
			names = append(names, name+" ("+strings.Join(columns[name], ", ")+")")
		}
	}
	return strings.Join(names, ", ")
}

// isPlainName matches names that need no quotes. PUBLIC and the like are not names of roles in lower case.
var isPlainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

func quoteGrantee(grantee string) string {
	if grantee == public {
		return public
	}
	return QuoteName(grantee)
}

// QuoteName returns a name as SQL writes it, with quotes if it needs them.
func QuoteName(name string) string {
	if isPlainName.MatchString(name) {
		return name
	}
	return pgx.Identifier{name}.Sanitize()
}
