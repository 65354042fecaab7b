-- API: private
create or replace function cuecard.make_due(device_id uuid) returns void
language sql
set search_path = ''
as $$
    update cuecard.device set next_due_at = '-infinity', revision = revision + 1 where id = make_due.device_id
$$;
comment on function cuecard.make_due is 'The device must be planned again; a tick that holds it cannot reschedule over this.';
revoke execute on function cuecard.make_due from public;
