package typescript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest"
	"research/api/rest/typescript"
	"research/db/dbtest"
)

const shop = `
create schema shop;
create type shop.state as enum ('new', 'sent back');
create type shop.size as (width numeric(10, 2), height integer);
create domain shop.code as varchar(10) not null;
create table shop.customers (id uuid primary key default gen_random_uuid(), "full name" text not null, tags
	text[]);
create table shop.orders (
  id bigint generated always as identity primary key,
  customer_id uuid not null references shop.customers,
  state shop.state not null default 'new',
  earlier shop.state[],
  size shop.size,
  code shop.code,
  note jsonb,
  lines integer generated always as (1) stored);
create table shop.receipts (order_id bigint primary key references shop.orders, at timestamptz(3) not null);
create table shop.notes (order_id bigint not null, text text not null);
comment on column shop.notes.order_id is 'The latest order. Filled by the database if left out.';
create view shop.open_orders as select id, customer_id from shop.orders where state = 'new';
create function shop.label(shop.orders) returns text language sql stable as $$ select $1.code::text $$;
create function shop.find(words text, most integer default 10) returns setof shop.orders
  language sql stable as $$ select * from shop.orders limit most $$;
create function shop.totals() returns table (state shop.state, orders bigint)
  language sql stable as $$ select state, count(*) from shop.orders group by state $$;
create function shop.forget(order_id bigint) returns void language sql as $$ select $$;
create function shop.price(order_id bigint) returns numeric language sql as $$ select 1.0 $$;
create function shop.price(code text) returns numeric language sql as $$ select 1.0 $$;
create table public.elsewhere (id integer primary key);
grant usage on schema shop to anon;
`

func generate(t *testing.T, schemas ...string) string {
	t.Helper()
	d := dbtest.New(t)
	d.Exec(t, shop)
	document, err := typescript.Generate(t.Context(), rest.CatalogQuery(d.Store), schemas)
	require.NoError(t, err)
	return document
}

func TestDeclarationOfASchema(t *testing.T) {
	t.Parallel()
	document := generate(t, "shop")
	for _, part := range []string{
		// Columns that the database fills may be left out of an insert; those that it computes cannot be given.
		`      customers: {
        Row: {
          "full name": string
          id: string
          tags: string[] | null
        }
        Insert: {
          "full name": string
          id?: string
          tags?: string[] | null
        }
        Update: {
          "full name"?: string
          id?: string
          tags?: string[] | null
        }
        Relationships: []
      }`,
		// Enums, composite types and domains are resolved, and computed columns can be read.
		`        Row: {
          code: string
          customer_id: string
          earlier: Database["shop"]["Enums"]["state"][] | null
          id: number
          lines: number | null
          note: Json | null
          size: Database["shop"]["CompositeTypes"]["size"] | null
          state: Database["shop"]["Enums"]["state"]
          label: string | null
        }
        Insert: {
          code: string
          customer_id: string
          earlier?: Database["shop"]["Enums"]["state"][] | null
          id?: never
          lines?: never`,
		`          {
            foreignKeyName: "receipts_order_id_fkey"
            columns: ["order_id"]
            isOneToOne: true
            referencedRelation: "open_orders"
            referencedColumns: ["id"]
          },`,
		`      open_orders: {
        Row: {
          customer_id: string | null
          id: number | null
        }
        Insert: {`,
		// A view has the relationships of the columns that it shows.
		`        Update: {
          customer_id?: string | null
          id?: number | null
        }
        Relationships: [
          {
            foreignKeyName: "orders_customer_id_fkey"`,
		`      notes: {
        Row: {
          order_id: number
          text: string
        }
        Insert: {
          order_id?: number
          text: string
        }`,
		`      find: {
        Args: { most?: number; words: string }
        Returns: Database["shop"]["Tables"]["orders"]["Row"][]
        SetofOptions: {
          from: "*"
          to: "orders"
          isOneToOne: false
          isSetofReturn: true
        }
      }`,
		`      forget: {
        Args: { order_id: number }
        Returns: undefined
      }`,
		`      price:
        | {
          Args: { code: string }
          Returns: number
        }
        | {
          Args: { order_id: number }`,
		`        Returns: { state: Database["shop"]["Enums"]["state"]; orders: number }[]`,
		`      state: "new" | "sent back"`,
		`      size: {
        width: number | null
        height: number | null
      }`,
		`      state: ["new", "sent back"],`,
		`type DefaultSchema = DatabaseWithoutInternals["shop"]`,
	} {
		require.Contains(t, document, part)
	}
	require.NotContains(t, document, "elsewhere", "other schemas are not served")
}

func TestDeclarationOfSeveralSchemas(t *testing.T) {
	t.Parallel()
	document := generate(t, "public", "shop")
	require.Contains(t, document, "\n  public: {\n")
	require.Contains(t, document, "\n  shop: {\n")
	require.Contains(t, document, "      elsewhere: {\n")
	require.Contains(t, document, `type DefaultSchema = DatabaseWithoutInternals["public"]`)
	require.Equal(t, 1, strings.Count(document, `      import_hypotheses: {`))
}
