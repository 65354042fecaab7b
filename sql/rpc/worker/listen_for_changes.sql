-- API: worker
create or replace function cuecard.listen_for_changes(p_seconds integer, p_wall timestamptz default clock_timestamp())
returns void
language plpgsql security definer
set search_path = ''
set lock_timeout = '2s'
as $$
begin
    insert into cuecard.change_listener as l (listens_until) values (p_wall + make_interval(secs => p_seconds))
    on conflict (is_only_row) do update set listens_until = greatest(l.listens_until, excluded.listens_until);
    -- A listener that does not hear this hears nothing: it stands behind a proxy that pools transactions.
    perform pg_catalog.pg_notify('cuecard', 'listening');
end
$$;
comment on function cuecard.listen_for_changes is
    'Has changes announced on the channel cuecard for so many seconds, and says "listening" there; each listener repeats it.';
revoke execute on function cuecard.listen_for_changes from public;
grant execute on function cuecard.listen_for_changes to cuecard_worker;
