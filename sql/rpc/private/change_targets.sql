-- API: private
create or replace function cuecard.change_targets(change cuecard.change) returns setof uuid
language sql stable
set search_path = ''
as $$
    select d.id from cuecard.device d where d.user_id = change.user_id
    union
    select d.id from cuecard.device d where d.bundle_id = change.bundle_id
    union
    select d.id from cuecard.device d
    join (
        select owner_id as user_id from cuecard.calendar where id = change.calendar_id
        union
        select user_id from cuecard.calendar_member where calendar_id = change.calendar_id
    ) sees on sees.user_id = d.user_id
    union
    select r.device_id from cuecard.run r
    where r.event_id = change.event_id and r.state in ('claimed', 'accepted', 'confirmed', 'ending', 'unknown')
$$;
comment on function cuecard.change_targets is
    'The devices a change may touch: a calendar''s owner''s and members'', those with a live card of an event, a user''s, an app''s.';
revoke execute on function cuecard.change_targets from public;
