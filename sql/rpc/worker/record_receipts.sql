-- API: worker
create or replace function cuecard.record_receipts(p_receipts jsonb) returns void
language plpgsql security definer
set search_path = ''
set lock_timeout = '5s'
as $$
begin
    perform from cuecard.device d
    where d.id in (select a.device_id from cuecard.attempt a
                   join jsonb_to_recordset(p_receipts) as r (attempt uuid) on r.attempt = a.id)
    order by d.id for update;
    update cuecard.attempt a set receipt_reason = r.reason
    from jsonb_to_recordset(p_receipts) as r (attempt uuid, reason text) where a.id = r.attempt;
    -- A token told since the wake is another one, or alive again.
    update cuecard.device d set expo_token = null
    from jsonb_to_recordset(p_receipts) as r (attempt uuid, reason text)
    join cuecard.attempt a on a.id = r.attempt
    where r.reason = 'DeviceNotRegistered' and d.id = a.device_id and d.expo_registered_at <= a.intended_at;
end
$$;
comment on function cuecard.record_receipts is
    'Records what Expo said later of its wakes (attempt, reason: ok or its word), and clears the tokens that it no longer knows.';
revoke execute on function cuecard.record_receipts from public;
grant execute on function cuecard.record_receipts to cuecard_worker;
