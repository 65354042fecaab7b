-- API: private
create or replace function cuecard.suspect_start_tokens(p_answered uuid[], p_wall timestamptz) returns setof uuid
language sql
set search_path = ''
as $$
    -- In a row, since the app was last heard of: any word of it says that the phone is there.
    update cuecard.device d set suspect_since = p_wall
    where d.suspect_since is null
      and d.id in (select a.device_id from cuecard.attempt a
                   where a.id = any (p_answered) and a.event = 'start' and a.outcome = 'accepted')
      -- and over so long a time that the app could have said something
      and (select count(*) >= 3 and max(a.decided_at) - min(a.decided_at) > interval '5 min' from cuecard.attempt a
           where a.device_id = d.id and a.event = 'start' and a.outcome = 'accepted' and a.answered_at > d.last_seen)
    returning d.id
$$;
comment on function cuecard.suspect_start_tokens is
    'Marks the devices that APNs took three starts for without a word from the app, and answers them. Starts go on.';
revoke execute on function cuecard.suspect_start_tokens from public;
