package db

// MigrateWithin is Migrate with other limits for waiting.
var MigrateWithin = migrate

// ReadSchema is for the test that writes schema.txt.
var ReadSchema = readSchema

// CountImportStatesSQL is for the test that reads its plan.
const CountImportStatesSQL = countImportStates
