// Package account serves /api/account: users delete their own account and export their data.
//
// Package identity implements the deletion. An export is a zip of files in the format JSON Lines, one for
// each kind of record.
package account
