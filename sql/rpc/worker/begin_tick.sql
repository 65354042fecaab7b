-- API: worker
create or replace function cuecard.begin_tick(
    p_tick uuid, p_worker text, p_now timestamptz, p_environments text[], p_bundles text[],
    p_wall timestamptz default clock_timestamp()
) returns jsonb
language plpgsql security definer
set search_path = ''
set lock_timeout = '2s'
as $$
declare
    receipts jsonb;
begin
    insert into cuecard.tick (id, worker, now, started_at) values (p_tick, p_worker, p_now, p_wall) on conflict do nothing;
    -- The clock went back, or somebody played a later minute: what was planned then is planned again.
    update cuecard.device d set next_due_at = '-infinity', planned_at = null, revision = d.revision + 1
    from (
        select id from cuecard.device where planned_at > p_now + interval '5 min'
        order by id for update skip locked) ahead
    where d.id = ahead.id;
    -- Once a minute is enough to know that someone has the key; a write a tick would only churn.
    update cuecard.lane l set served_at = p_wall
    from (
        select apns_environment, bundle_id from cuecard.lane k
        where (k.served_at is null or k.served_at < p_wall - interval '1 min')
          and cuecard.has_key(k, p_environments, p_bundles)
        for update skip locked) served
    where (l.apns_environment, l.bundle_id) = (served.apns_environment, served.bundle_id);
    -- Expo's receipts are there after a quarter of an hour; each is looked up once, and none that is late.
    with ripe as (
        select a.id from cuecard.attempt a
        where a.receipt_id is not null and a.receipt_at is null
          and a.answered_at between p_wall - interval '60 min' and p_wall - interval '15 min'
        order by a.answered_at limit 1000 for update skip locked
    ), taken as (
        update cuecard.attempt a set receipt_at = p_wall from ripe where a.id = ripe.id returning a.id, a.receipt_id
    )
    select coalesce(jsonb_agg(jsonb_build_object('attempt', id, 'receipt', receipt_id)), '[]') into receipts from taken;
    return jsonb_build_object(
        'unserved', cuecard.unserved_lanes(p_now, p_environments, p_bundles), 'receipts', receipts);
end
$$;
comment on function cuecard.begin_tick is
    'Opens a tick. Answers as unserved what unserved_lanes does, as receipts what Expo is to be asked about (attempt, receipt).';
revoke execute on function cuecard.begin_tick from public;
grant execute on function cuecard.begin_tick to cuecard_worker;
