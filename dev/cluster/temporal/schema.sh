#!/bin/sh
# Creates Temporal's two databases, and brings their schema to the version of the server. It can be run again.
# temporal-sql-tool reads SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu
export SQL_PLUGIN=postgres12_pgx
for database in temporal temporal_visibility; do
	export SQL_DATABASE="$database"
	temporal-sql-tool create-database
	temporal-sql-tool setup-schema --version 0.0
	temporal-sql-tool update-schema --schema-name "postgresql/v12/${database#temporal_}"
done
