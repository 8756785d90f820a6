-- +goose Up
-- Evidence that is only neutral leaves a hypothesis undecided. It used to be mixed, which means that evidence
-- supports it and other evidence contradicts it. PostgreSQL does not use a new value in the transaction that
-- adds it: the results follow in the next migration.

alter type public.hypothesis_result add value 'undecided' before 'nothing_found';
