-- name: ReadByIndexOnly :exec
-- Has PostgreSQL use indexes for the rest of the transaction, whatever its statistics say. It is for
-- statements that read a small part of a large table, whose plans must not depend on when the table was last
-- analyzed, or on how large it was when a connection planned them.
select set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true),
  set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true),
  set_config('enable_sort', 'off', true);
