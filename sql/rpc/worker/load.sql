-- API: worker
create or replace function cuecard.load(
    p_devices uuid[], p_now timestamptz, p_wall timestamptz default clock_timestamp()
) returns json
language sql stable security definer
set search_path = ''
as $$
with clock as (
    -- What ended before this on any clock of the world needs no plan; a local time is at most 14 hours away.
    select (p_now at time zone 'UTC') - interval '2 days' as long_over
), device as (
    select d.* from cuecard.device d where d.id = any (p_devices)
), seen as (
    select c.id, d.user_id from cuecard.calendar c join (select distinct user_id from device) d on d.user_id = c.owner_id
    union
    select m.calendar_id, m.user_id from cuecard.calendar_member m join (select distinct user_id from device) d using (user_id)
), run as (
    select r.*, e.id is not null and e.deleted_at is null as event_exists,
        -- a settled card is owed its end for as long as any card can be on a screen
        cuecard.is_live(r.state) or coalesce(r.started_at, r.created_at) > p_now - interval '12 h' as may_be_shown
    from cuecard.run r
    left join cuecard.event e on e.id = r.event_id
    left join cuecard.event_override o on o.event_id = r.event_id and o.occurrence = r.occurrence
    cross join clock
    where r.device_id = any (p_devices)
      -- a settled card matters to a plan for a day, and for as long as its occurrence may have a card, moved or not
      and (cuecard.is_live(r.state)
           or coalesce(r.closes_at, r.started_at, r.created_at) > p_now - interval '1 day'
           or coalesce(o.starts_at, r.occurrence) + coalesce(o.duration, e.duration) > clock.long_over)
), event as (
    select e.*, c.kind
    from cuecard.event e
    join cuecard.calendar c on c.id = e.calendar_id
    cross join clock
    where e.calendar_id in (select id from seen) and e.deleted_at is null
      and (e.rrule <> '' or e.rdates <> '{}' or e.starts_at + e.duration > clock.long_over
           or exists (select from cuecard.event_override o
                      where o.event_id = e.id
                        and coalesce(o.starts_at, o.occurrence) + coalesce(o.duration, e.duration) > clock.long_over)
           or e.id in (select r.event_id from run r))
)
-- The names are the worker's. JSON that others wrote goes as text inside, so that what cannot be read spoils its own
-- row alone.
select json_build_object(
    'devices', (select coalesce(json_agg(json_build_object(
        'id', d.id, 'revision', d.revision, 'userID', d.user_id, 'bundleID', d.bundle_id,
        'environment', d.apns_environment,
        'environmentInDoubt', d.tried_token is distinct from d.push_to_start_token
            and (d.environment_confirmed_at is null or d.told_environment <> d.apns_environment),
        'triesOther', d.is_trying_other and d.tried_token = d.push_to_start_token, 'startToken', d.push_to_start_token, 'wakeToken', d.wake_token,
        'expoToken', case when d.expo_paused_until > p_now then null else d.expo_token end, 'timeZone', d.time_zone, 'locale', d.locale,
        'showsPersonal', d.shows_personal, 'showsShared', d.shows_shared,
        'enabled', d.live_activities_enabled, 'osVersion', d.os_version,
        'unregistered', d.unregistered_at is not null,
        'silent', d.last_seen < p_wall - interval '60 days')), '[]') from device d),
    'calendars', (select coalesce(json_agg(json_build_object('id', id, 'userID', user_id)), '[]') from seen),
    'apps', (select coalesce(json_agg(json_build_object(
        'bundleID', a.bundle_id, 'attributesType', a.attributes_type, 'attributes', a.attributes::text,
        'contentState', a.content_state::text, 'alert', a.alert::text,
        'lead', extract(epoch from a.lead), 'endingLead', extract(epoch from a.ending_lead), 'closes', a.closes,
        'linger', extract(epoch from a.linger), 'staleAfter', extract(epoch from a.stale_after),
        'allDayAt', extract(epoch from a.all_day_at), 'maxCards', a.max_cards,
        'maxStartsPerHour', a.max_starts_per_hour)), '[]')
        from cuecard.app a where a.bundle_id in (select bundle_id from device)),
    'events', (select coalesce(json_agg(json_build_object(
        'id', e.id, 'calendarID', e.calendar_id, 'kind', e.kind, 'title', coalesce(e.title, ''), 'location', e.location,
        'startsAt', cuecard.local_time(e.starts_at), 'duration', cuecard.interval_parts(e.duration),
        'timeZone', e.time_zone, 'allDay', e.all_day, 'rrule', e.rrule,
        'rdates', cuecard.local_times(e.rdates), 'exdates', cuecard.local_times(e.exdates),
        'lead', extract(epoch from e.lead), 'details', e.details::text)), '[]') from event e),
    'overrides', (select coalesce(json_agg(json_build_object(
        'eventID', o.event_id, 'occurrence', cuecard.local_time(o.occurrence),
        'cancelled', o.cancelled, 'startsAt', cuecard.local_time(o.starts_at),
        'duration', cuecard.interval_parts(o.duration), 'title', o.title, 'location', o.location,
        'details', o.details::text)), '[]') from cuecard.event_override o where o.event_id in (select id from event)),
    'runs', (select coalesce(json_agg(json_build_object(
        'id', r.id, 'deviceID', r.device_id, 'userID', r.user_id, 'eventID', r.event_id,
        'occurrence', cuecard.local_time(r.occurrence), 'generation', r.generation,
        'state', r.state, 'reason', r.reason, 'updateToken', case when r.may_be_shown then r.update_token end, 'content', r.content::text,
        'contentKey', r.content_key, 'phase', r.phase, 'staleAt', extract(epoch from r.stale_at),
        'lastTimestamp', r.last_timestamp, 'startedAt', extract(epoch from r.started_at),
        'startExpiresAt', extract(epoch from r.start_expires_at), 'closesAt', extract(epoch from r.closes_at), 'endSent', r.end_sent_at is not null,
        'retryAt', extract(epoch from r.retry_at), 'failures', r.failures, 'confirmed', r.confirmed_at is not null,
        -- the state says so itself, but where an end is owed
        'startTaken', r.state <> 'ending' or exists (
            select from cuecard.attempt a where a.run_id = r.id and a.event = 'start' and a.outcome = 'accepted'),
        'missing', r.missing_at is not null, 'gone', r.gone_at is not null, 'eventExists', r.event_exists)), '[]')
        from run r),
    'wakes', (select coalesce(json_agg(json_build_object(
        'deviceID', w.device_id, 'at', extract(epoch from w.decided_at), 'cause', w.cause,
        -- one that APNs never took has woken nobody
        'lost', w.outcome in ('unprocessed', 'rejected'))), '[]')
        from cuecard.attempt w
        where w.device_id = any (p_devices) and w.event = 'wake' and w.decided_at > p_now - interval '60 min'))
$$;
comment on function cuecard.load is
    'Everything that planning these devices takes, in one answer: devices, apps, events, overrides, runs, wakes.';
revoke execute on function cuecard.load from public;
grant execute on function cuecard.load to cuecard_worker;
