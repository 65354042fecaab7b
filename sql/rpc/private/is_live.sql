-- API: private
create or replace function cuecard.is_live(state text) returns boolean
language sql immutable
set search_path = ''
as $$
    select state in ('claimed', 'accepted', 'confirmed', 'ending', 'unknown')
$$;
comment on function cuecard.is_live is 'Whether a run in this state may have a card on a screen.';
revoke execute on function cuecard.is_live from public;
