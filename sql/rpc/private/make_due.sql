-- API: private
create or replace function cuecard.make_due(device_id uuid) returns void
language plpgsql
set search_path = ''
as $$
begin
    update cuecard.device set next_due_at = '-infinity', revision = revision + 1 where id = make_due.device_id;
    -- The app's word, like a change of the calendar, is announced to whoever listens, and only then.
    if exists (select from cuecard.change_listener where listens_until > clock_timestamp()) then
        perform pg_catalog.pg_notify('cuecard', 'change');
    end if;
end
$$;
comment on function cuecard.make_due is 'Has a device planned again, by the next tick or as soon as somebody hears of it.';
revoke execute on function cuecard.make_due from public;
