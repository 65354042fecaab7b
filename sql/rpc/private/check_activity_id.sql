-- API: private
create or replace function cuecard.check_activity_id(activity_id text) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
    if activity_id = '' or length(activity_id) > 200 then
        raise exception 'activity_id is %', case activity_id when '' then 'empty' else 'too long' end
            using errcode = '22023', hint = 'Send ActivityKit''s Activity.id, 200 characters at most.';
    end if;
end
$$;
comment on function cuecard.check_activity_id is 'Refuses an activity id that cannot be one; null passes.';
revoke execute on function cuecard.check_activity_id from public;
