-- API: private
create or replace function cuecard.adopt_same_phone(new_device uuid) returns void
language plpgsql
set search_path = ''
as $$
declare
    mine cuecard.device;
    other record;
begin
    select * into mine from cuecard.device where id = new_device;
    -- Holding one of its tokens proves that it is the same install, whoever was signed in before.
    for other in
        select id from cuecard.device d
        where d.id <> mine.id and d.bundle_id = mine.bundle_id and d.apns_environment = mine.apns_environment
          and (d.push_to_start_token = mine.push_to_start_token or d.wake_token = mine.wake_token
               or d.expo_token = mine.expo_token)
        order by id for update
    loop
        perform cuecard.carry_runs(other.id, mine.id);
    end loop;
end
$$;
comment on function cuecard.adopt_same_phone is
    'Reinstallation: another row that holds one of this device''s tokens is the same phone; its runs come along.';
revoke execute on function cuecard.adopt_same_phone from public;
