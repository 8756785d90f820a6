-- +goose Up
-- A dry run says which role the label of each speaker names.
grant execute on function private.role_of_label(text), private.label_words(text) to authenticated;
