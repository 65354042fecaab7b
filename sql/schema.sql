-- Made by UPDATE_SCHEMA=1 scripts/check schema, with Postgres 15. Not to be edited.

CREATE SCHEMA cuecard;

COMMENT ON FUNCTION cuecard.adopt_same_phone(new_device uuid, start_token text, device_token text, expo_token text) IS 'Reinstallation: another row that holds one of this device''s tokens is the same phone; its runs come along.';

CREATE TABLE cuecard.run (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    device_id uuid NOT NULL,
    user_id text NOT NULL,
    event_id uuid NOT NULL,
    occurrence timestamp without time zone NOT NULL,
    generation integer DEFAULT 1 NOT NULL,
    state text NOT NULL,
    reason text,
    activity_id text,
    update_token text,
    update_token_at timestamp with time zone,
    content jsonb,
    content_key text,
    phase text,
    stale_at timestamp with time zone,
    last_timestamp bigint,
    started_at timestamp with time zone,
    start_expires_at timestamp with time zone,
    closes_at timestamp with time zone,
    end_sent_at timestamp with time zone,
    retry_at timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    confirmed_at timestamp with time zone,
    missing_at timestamp with time zone,
    opened_at timestamp with time zone,
    gone_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT occurrence_is_a_date CHECK (((occurrence >= '0001-01-01 00:00:00'::timestamp without time zone) AND (occurrence <= '9999-12-31 00:00:00'::timestamp without time zone))),
    CONSTRAINT run_generation_check CHECK ((generation >= 1)),
    CONSTRAINT run_state_check CHECK ((state = ANY (ARRAY['claimed'::text, 'accepted'::text, 'confirmed'::text, 'ending'::text, 'ended'::text, 'dismissed'::text, 'failed'::text, 'unknown'::text])))
)
WITH (fillfactor='70');

COMMENT ON TABLE cuecard.run IS 'One card on one device for one occurrence; generation counts its cards.';

COMMENT ON COLUMN cuecard.run.state IS 'claimed: about to be sent. accepted: APNs took it, which is not "shown". confirmed: the app said so. ending: an end or a wake is owed. unknown: no answer came, so no second start goes out.';

COMMENT ON COLUMN cuecard.run.update_token IS 'The running activity''s token. On a settled run: an end is still owed to it.';

COMMENT ON FUNCTION cuecard.app_started_run(device_id uuid, event_id uuid, occurrence timestamp without time zone, activity_id text) IS 'The run of a card that the app started itself: the live one there is, or a new one.';

COMMENT ON FUNCTION cuecard.apply_outcomes_to_runs(p_answered uuid[], p_outcomes jsonb, p_now timestamp with time zone, p_wall timestamp with time zone) IS 'What APNs'' answers mean for their runs.';

COMMENT ON FUNCTION cuecard.apply_settlements(p_held uuid[], p_steps jsonb, p_wall timestamp with time zone) IS 'The steps of a plan that only change the ledger.';

COMMENT ON FUNCTION cuecard.begin_tick(p_tick uuid, p_worker text, p_now timestamp with time zone, p_environments text[], p_bundles text[], p_wall timestamp with time zone) IS 'Opens a tick. Answers as unserved what unserved_lanes does, as receipts what Expo is to be asked about (attempt, receipt).';

COMMENT ON FUNCTION cuecard.calendar_people(calendar_id uuid, from_user text, size integer) IS 'The next so many who see a calendar: its members and its owner, in order.';

COMMENT ON FUNCTION cuecard.carry_runs(from_device uuid, to_device uuid) IS 'The same phone under a new device id: its cards go along, the old row goes.';

CREATE TABLE cuecard.change (
    id bigint NOT NULL,
    calendar_id uuid,
    event_id uuid,
    user_id text,
    bundle_id text,
    device_id uuid,
    from_device uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    from_user text DEFAULT ''::text NOT NULL,
    not_before timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT names_one_thing CHECK ((num_nonnulls(calendar_id, event_id, user_id, bundle_id, device_id) = 1))
);

COMMENT ON TABLE cuecard.change IS 'Changes not yet fanned out to devices; each row names one calendar, event, user, app or device.';

COMMENT ON COLUMN cuecard.change.not_before IS 'Set where somebody held the device''s row; it is tried again then.';

COMMENT ON FUNCTION cuecard.changed_devices(change cuecard.change, from_device uuid, size integer) IS 'The next so many devices that a change of a user, an app, an event or a device touches, in order; a calendar: see calendar_people.';

COMMENT ON FUNCTION cuecard.check_activity_id(activity_id text) IS 'Refuses an activity id that cannot be one; null passes.';

COMMENT ON FUNCTION cuecard.check_device_arguments(device_id uuid, apns_environment text, time_zone text, locale text, expo_token text, os_version text, app_version text) IS 'Refuses what register_device cannot take, naming the argument and the mend.';

COMMENT ON FUNCTION cuecard.checked_token(token text, name text) IS 'A push token in lower case; empty and null pass; anything else is refused.';

COMMENT ON FUNCTION cuecard.claim_due(p_tick uuid, p_now timestamp with time zone, p_environments text[], p_bundles text[], p_limit integer, p_lease_seconds integer, p_wall timestamp with time zone) IS 'Takes up to p_limit due devices under a lease, in the lanes that the worker has keys for; a few only where a lane is being probed.';

COMMENT ON FUNCTION cuecard.current_user_id() IS 'The signed-in user: sub of request.jwt.claims; null where there is none.';

COMMENT ON FUNCTION cuecard.drop_dead_tokens(p_answered uuid[], p_outcomes jsonb, p_now timestamp with time zone) IS 'Clears the device tokens that APNs or Expo called dead.';

COMMENT ON FUNCTION cuecard.examine(p_wall timestamp with time zone) IS 'What `cuecard doctor` has to know of the database: version, migrations, rights, cron job, last tick, lanes; counts end at a thousand.';

COMMENT ON FUNCTION cuecard.failing_devices(p_days integer, p_least integer) IS 'Devices whose cards do not show: of at least p_least starts that APNs took in p_days days most never got an update token, or the start token is suspect.';

COMMENT ON FUNCTION cuecard.fan_out(p_limit integer, p_wall timestamp with time zone) IS 'Takes the oldest changes that nobody else works on and makes their devices due, p_limit at a time. False: none is left.';

COMMENT ON FUNCTION cuecard.finish_tick(p_tick uuid, p_summary jsonb, p_attempt_days integer, p_run_days integer, p_wall timestamp with time zone) IS 'Closes a tick with what it did, and prunes: ticks and attempts after p_attempt_days, settled runs after p_run_days.';

COMMENT ON FUNCTION cuecard.forget_user(user_id text) IS 'Erases a person: devices, cards, calendars with their events, memberships. Cards on screens are not ended: unregister first.';

CREATE TABLE cuecard.lane (
    apns_environment text NOT NULL,
    bundle_id text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    served_at timestamp with time zone,
    paused_until timestamp with time zone,
    pause_reason text,
    probe_at timestamp with time zone,
    spares_tokens_until timestamp with time zone
);

COMMENT ON TABLE cuecard.lane IS 'Where pushes go: one row an environment and app, with its breaker.';

COMMENT ON COLUMN cuecard.lane.served_at IS 'When a tick last came by with a key for it; null: never.';

COMMENT ON COLUMN cuecard.lane.paused_until IS 'A credential fault stops the lane until then, by the decision clock.';

COMMENT ON COLUMN cuecard.lane.probe_at IS 'Not null: the last pushes all failed for the lane''s own fault; from then on a few devices try it, until one push gets through.';

COMMENT ON COLUMN cuecard.lane.spares_tokens_until IS 'APNs called so many of the lane''s tokens bad at once that none is cleared until then, by the decision clock.';

COMMENT ON FUNCTION cuecard.has_key(lane cuecard.lane, environments text[], bundles text[]) IS 'Whether one of these keys serves the lane; a key without a bundle serves every app.';

COMMENT ON FUNCTION cuecard.interval_parts(value interval) IS 'An interval''s months, days and seconds, kept apart.';

COMMENT ON FUNCTION cuecard.is_live(state text) IS 'Whether a run in this state may have a card on a screen.';

COMMENT ON FUNCTION cuecard.is_work_due(p_now timestamp with time zone) IS 'Whether a tick would find anything to do: a queued change, a due device, a plan of the future, a receipt. A few index look-ups.';

COMMENT ON FUNCTION cuecard.judge_lanes(p_answered uuid[], p_outcomes jsonb, p_now timestamp with time zone) IS 'Stops the lanes whose key was refused, has those probed where every push of a batch failed, and opens what works.';

COMMENT ON FUNCTION cuecard.learn_environments(p_answered uuid[], p_outcomes jsonb, p_wall timestamp with time zone) IS 'What answers say of a device''s environment: confirmed, to be tried in the other one once, or mended.';

COMMENT ON FUNCTION cuecard.listen_for_changes(p_seconds integer, p_wall timestamp with time zone) IS 'Has changes announced on the channel cuecard for so many seconds, and says "listening" there; each listener repeats it.';

COMMENT ON FUNCTION cuecard.load(p_devices uuid[], p_now timestamp with time zone, p_wall timestamp with time zone) IS 'Everything that planning these devices takes, in one answer: devices, apps, events, overrides, runs, wakes.';

COMMENT ON FUNCTION cuecard.local_time(value timestamp without time zone) IS 'A local time as ISO 8601 text, in whole seconds.';

COMMENT ON FUNCTION cuecard.local_times(times timestamp without time zone[]) IS 'Local times as ISO 8601 text.';

COMMENT ON FUNCTION cuecard.lock_phone(device_id uuid, start_token text, device_token text, expo_token text) IS 'Locks a device''s row and every other one that holds a token of it.';

COMMENT ON FUNCTION cuecard.make_devices_due(devices uuid[], p_wall timestamp with time zone) IS 'These devices must be planned again; one that somebody holds gets a change of its own, for half a minute later.';

COMMENT ON FUNCTION cuecard.make_due(device_id uuid) IS 'Has a device planned again, by the next tick or as soon as somebody hears of it.';

COMMENT ON FUNCTION cuecard.my_calendars() IS 'The calendars that the signed-in user owns or is a member of.';

COMMENT ON FUNCTION cuecard.my_run(run_id uuid, activity_id text) IS 'The caller''s run, locked: the one of this activity, else the one named.';

COMMENT ON FUNCTION cuecard.offer_provider_token(p_team_id text, p_key_id text, p_fingerprint text, p_token text, p_wall timestamp with time zone) IS 'Offers a freshly minted token; answers the one that everybody uses, as provider_token does.';

CREATE TABLE cuecard.device (
    id uuid NOT NULL,
    user_id text NOT NULL,
    bundle_id text NOT NULL,
    apns_environment text NOT NULL,
    push_to_start_token text,
    wake_token text,
    expo_token text,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    locale text DEFAULT 'en'::text NOT NULL,
    shows_personal boolean DEFAULT true NOT NULL,
    shows_shared boolean DEFAULT true NOT NULL,
    live_activities_enabled boolean DEFAULT true NOT NULL,
    frequent_pushes_enabled boolean DEFAULT false NOT NULL,
    os_version text,
    app_version text,
    registered_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    wake_registered_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expo_registered_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expo_paused_until timestamp with time zone,
    last_seen timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    unregistered_at timestamp with time zone,
    suspect_since timestamp with time zone,
    told_environment text,
    environment_confirmed_at timestamp with time zone,
    tried_token text,
    is_trying_other boolean DEFAULT false NOT NULL,
    next_due_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone,
    planned_at timestamp with time zone,
    revision bigint DEFAULT 0 NOT NULL,
    claimed_tick uuid,
    claimed_revision bigint,
    claimed_until timestamp with time zone,
    CONSTRAINT device_apns_environment_check CHECK ((apns_environment = ANY (ARRAY['sandbox'::text, 'production'::text])))
)
WITH (fillfactor='70');

COMMENT ON TABLE cuecard.device IS 'One install of one app for one user: tokens, environment, zone, locale, wishes.';

COMMENT ON COLUMN cuecard.device.registered_at IS 'When the start token was last told, by the wall clock; a 410 is held against it.';

COMMENT ON COLUMN cuecard.device.wake_registered_at IS 'The same for the wake token.';

COMMENT ON COLUMN cuecard.device.expo_registered_at IS 'The same for the Expo token; a receipt is held against it.';

COMMENT ON COLUMN cuecard.device.expo_paused_until IS 'Expo took the token for another project''s: it is left alone until then, by the decision clock.';

COMMENT ON COLUMN cuecard.device.suspect_since IS 'Three starts in a row were accepted without a word from the app: the start token may be one that reaches nobody.';

COMMENT ON COLUMN cuecard.device.told_environment IS 'What the app said last; apns_environment differs from it where APNs knew better.';

COMMENT ON COLUMN cuecard.device.environment_confirmed_at IS 'When APNs first took a push in apns_environment; null: in doubt.';

COMMENT ON COLUMN cuecard.device.tried_token IS 'The last start token that was, or is, tried in the other environment: once each.';

COMMENT ON COLUMN cuecard.device.is_trying_other IS 'The next start with tried_token goes to the other environment.';

COMMENT ON FUNCTION cuecard.own_device(device_id uuid, who text, bundle_id text, apns_environment text, start_token text, device_token text, expo_token text) IS 'The caller''s device, locked: new, theirs already, or taken over from another account by a token of it.';

COMMENT ON FUNCTION cuecard.peek_due(p_now timestamp with time zone, p_environments text[], p_bundles text[], p_after uuid, p_limit integer) IS 'What a tick would claim, changes not yet fanned out included; nothing is written.';

COMMENT ON FUNCTION cuecard.provider_token(p_team_id text, p_key_id text, p_fingerprint text, p_wall timestamp with time zone) IS 'The token in use for a key, if any, and the clock that its age is measured by.';

COMMENT ON FUNCTION cuecard.record_intent(p_tick uuid, p_now timestamp with time zone, p_steps jsonb, p_wall timestamp with time zone) IS 'Commits what is about to be sent, and what needs no push. Answers the attempts that may go out.';

COMMENT ON FUNCTION cuecard.record_outcomes(p_now timestamp with time zone, p_outcomes jsonb, p_wall timestamp with time zone) IS 'Records what APNs said of each attempt and what follows for its run, its token and its lane. Answers the devices whose start token is suspect from now on.';

COMMENT ON FUNCTION cuecard.record_receipts(p_receipts jsonb) IS 'Records what Expo said later of its wakes (attempt, reason: ok or its word), and clears the tokens that it no longer knows.';

COMMENT ON FUNCTION cuecard.register_activity(run_id uuid, activity_id text, update_token text, device_id uuid, event_id uuid, occurrence timestamp without time zone) IS 'The app says that a card exists, and its update token. Answers whether the card is to be ended.';

COMMENT ON FUNCTION cuecard.register_device(device_id uuid, bundle_id text, apns_environment text, time_zone text, locale text, push_to_start_token text, wake_token text, expo_token text, shows_personal boolean, shows_shared boolean, live_activities_enabled boolean, frequent_pushes_enabled boolean, os_version text, app_version text) IS 'Tells the server of a device: tokens, zone, wishes. Absent or null keeps what is stored; an empty string clears.';

COMMENT ON FUNCTION cuecard.registration(device_id uuid) IS 'What a registration answers: whether the server starts cards here (else why not), and the live runs.';

COMMENT ON FUNCTION cuecard.report_activity(run_id uuid, activity_id text, state text) IS 'The app says what became of a card: dismissed, ended, missing, stale or opened.';

COMMENT ON FUNCTION cuecard.reschedule(p_tick uuid, p_devices uuid[], p_revisions bigint[], p_next_due timestamp with time zone[], p_wall timestamp with time zone) IS 'Ends the lease and writes when each device is due next; one that changed since the claim stays due.';

COMMENT ON FUNCTION cuecard.settle_reported_run(card cuecard.run, said text, activity_id text) IS 'The card has left the phone: by the person''s hand, or ended.';

COMMENT ON FUNCTION cuecard.signed_in_user() IS 'The signed-in user, or a clear refusal.';

COMMENT ON FUNCTION cuecard.surplus_run(first cuecard.run, activity_id text) IS 'A second card for an occurrence that has one: a run that waits for its end.';

COMMENT ON FUNCTION cuecard.suspect_start_tokens(p_answered uuid[], p_wall timestamp with time zone) IS 'Marks the devices that APNs took three starts for without a word from the app, and answers them. Starts go on.';

COMMENT ON FUNCTION cuecard.unregister_device(device_id uuid) IS 'Log-out: no more starts, and the running cards are taken down.';

COMMENT ON FUNCTION cuecard.unserved_lanes(p_now timestamp with time zone, p_environments text[], p_bundles text[]) IS 'The lanes whose due devices get nothing now: keyless (environment, bundle_id, devices), of which this worker has no key, and paused (environment, bundle_id, reason, until), which wait after a refused key, or are tried with five devices a tick.';

COMMENT ON FUNCTION cuecard.worker_status(p_now timestamp with time zone, p_environments text[], p_bundles text[], p_wall timestamp with time zone) IS 'How things stand for a worker with these keys. overdue: lanes with due devices that no tick came by for three minutes; waiting_changes: changes as old, up to a thousand; paused: lanes stopped for a fault; lanes: how many there are; last_tick: when a tick last came by one, in Unix seconds.';

CREATE TABLE cuecard.app (
    bundle_id text NOT NULL,
    attributes_type text NOT NULL,
    attributes jsonb,
    content_state jsonb,
    alert jsonb,
    lead interval DEFAULT '01:00:00'::interval NOT NULL,
    ending_lead interval DEFAULT '00:15:00'::interval NOT NULL,
    closes text DEFAULT 'end'::text NOT NULL,
    linger interval DEFAULT '00:00:00'::interval NOT NULL,
    stale_after interval DEFAULT '02:00:00'::interval NOT NULL,
    all_day_at time without time zone,
    max_cards integer DEFAULT 1 NOT NULL,
    max_starts_per_hour integer DEFAULT 4 NOT NULL,
    CONSTRAINT app_attributes_type_check CHECK ((attributes_type <> ''::text)),
    CONSTRAINT app_bundle_id_check CHECK ((bundle_id <> ''::text)),
    CONSTRAINT app_closes_check CHECK ((closes = ANY (ARRAY['end'::text, 'start'::text]))),
    CONSTRAINT app_ending_lead_check CHECK (((ending_lead >= '00:00:00'::interval) AND (ending_lead <= '31 days'::interval))),
    CONSTRAINT app_lead_check CHECK (((lead >= '00:00:00'::interval) AND (lead <= '31 days'::interval))),
    CONSTRAINT app_linger_check CHECK (((linger >= '00:00:00'::interval) AND (linger <= '31 days'::interval))),
    CONSTRAINT app_max_cards_check CHECK (((max_cards >= 1) AND (max_cards <= 100))),
    CONSTRAINT app_max_starts_per_hour_check CHECK ((max_starts_per_hour >= 1)),
    CONSTRAINT app_stale_after_check CHECK (((stale_after > '00:00:00'::interval) AND (stale_after <= '31 days'::interval)))
);

COMMENT ON TABLE cuecard.app IS 'One row an app: its templates and its policy. Written by the backend.';

COMMENT ON COLUMN cuecard.app.attributes_type IS 'The exact name of the app''s ActivityAttributes struct.';

COMMENT ON COLUMN cuecard.app.lead IS 'How long before its start an occurrence''s card appears.';

COMMENT ON COLUMN cuecard.app.ending_lead IS 'How long before its end a card says "ending".';

COMMENT ON COLUMN cuecard.app.closes IS 'When the card is taken down: at the occurrence''s end, or at its start.';

COMMENT ON COLUMN cuecard.app.linger IS 'How long the ended card stays on the Lock Screen; iOS allows 4 hours.';

COMMENT ON COLUMN cuecard.app.stale_after IS 'How long content counts as fresh without another push.';

COMMENT ON COLUMN cuecard.app.all_day_at IS 'The local time at which an all-day event starts; null: no card for it.';

COMMENT ON COLUMN cuecard.app.max_cards IS 'How many cards one device shows at once.';

COMMENT ON COLUMN cuecard.app.max_starts_per_hour IS 'Starts a device may get in any 60 minutes; iOS allows about ten in a short time.';

CREATE TABLE cuecard.attempt (
    id uuid NOT NULL,
    tick_id uuid NOT NULL,
    device_id uuid NOT NULL,
    run_id uuid,
    event text NOT NULL,
    cause text,
    outcome text DEFAULT 'intended'::text NOT NULL,
    status integer,
    reason text,
    decided_at timestamp with time zone NOT NULL,
    intended_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    answered_at timestamp with time zone,
    receipt_id text,
    receipt_at timestamp with time zone,
    receipt_reason text,
    CONSTRAINT attempt_event_check CHECK ((event = ANY (ARRAY['start'::text, 'update'::text, 'end'::text, 'wake'::text]))),
    CONSTRAINT attempt_outcome_check CHECK ((outcome = ANY (ARRAY['intended'::text, 'accepted'::text, 'rejected'::text, 'unprocessed'::text, 'unknown'::text])))
);

COMMENT ON TABLE cuecard.attempt IS 'Each push: its apns-id, what it was for, and what became of it.';

COMMENT ON COLUMN cuecard.attempt.receipt_reason IS 'What Expo said then: ok, or its word for the refusal; null: it knew nothing.';

CREATE TABLE cuecard.calendar (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    owner_id text NOT NULL,
    kind text DEFAULT 'personal'::text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    CONSTRAINT calendar_kind_check CHECK ((kind = ANY (ARRAY['personal'::text, 'shared'::text]))),
    CONSTRAINT calendar_owner_id_check CHECK ((owner_id <> ''::text))
);

COMMENT ON TABLE cuecard.calendar IS 'A list of events; its kind decides which of a device''s switches governs it.';

CREATE TABLE cuecard.calendar_member (
    calendar_id uuid NOT NULL,
    user_id text NOT NULL,
    CONSTRAINT calendar_member_user_id_check CHECK ((user_id <> ''::text))
);

COMMENT ON TABLE cuecard.calendar_member IS 'Who sees a calendar beside its owner.';

ALTER TABLE cuecard.change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME cuecard.change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE cuecard.change_listener (
    is_only_row boolean DEFAULT true NOT NULL,
    listens_until timestamp with time zone NOT NULL,
    CONSTRAINT change_listener_is_only_row_check CHECK (is_only_row)
);

COMMENT ON TABLE cuecard.change_listener IS 'Until when, by the wall clock, changes are announced on the channel cuecard.';

CREATE TABLE cuecard.event (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    calendar_id uuid NOT NULL,
    title text DEFAULT ''::text,
    location text,
    starts_at timestamp without time zone NOT NULL,
    duration interval DEFAULT '00:00:00'::interval NOT NULL,
    time_zone text,
    all_day boolean DEFAULT false NOT NULL,
    rrule text,
    rdates timestamp without time zone[] DEFAULT '{}'::timestamp without time zone[],
    exdates timestamp without time zone[] DEFAULT '{}'::timestamp without time zone[],
    lead interval,
    details jsonb DEFAULT '{}'::jsonb,
    deleted_at timestamp with time zone,
    CONSTRAINT duration_is_sane CHECK (((duration >= '00:00:00'::interval) AND (duration <= '100 years'::interval))),
    CONSTRAINT exdates_are_dates CHECK ((('0001-01-01 00:00:00'::timestamp without time zone <= ALL (exdates)) AND ('9999-12-31 00:00:00'::timestamp without time zone >= ALL (exdates)))),
    CONSTRAINT lead_is_sane CHECK (((lead >= '00:00:00'::interval) AND (lead <= '31 days'::interval))),
    CONSTRAINT rdates_are_dates CHECK ((('0001-01-01 00:00:00'::timestamp without time zone <= ALL (rdates)) AND ('9999-12-31 00:00:00'::timestamp without time zone >= ALL (rdates)))),
    CONSTRAINT starts_at_is_a_date CHECK (((starts_at >= '0001-01-01 00:00:00'::timestamp without time zone) AND (starts_at <= '9999-12-31 00:00:00'::timestamp without time zone)))
);

COMMENT ON TABLE cuecard.event IS 'One event: a local start, a duration, a zone or none, perhaps a rule.';

COMMENT ON COLUMN cuecard.event.time_zone IS 'IANA name; null: floating, each device''s own zone, as an all-day event always is.';

COMMENT ON COLUMN cuecard.event.rrule IS 'RFC 5545 RRULE value, with RFC 7529 RSCALE and SKIP; null: once.';

COMMENT ON COLUMN cuecard.event.lead IS 'How long before its start this event''s card appears; null: the app''s.';

COMMENT ON COLUMN cuecard.event.deleted_at IS 'Not null means deleted, whatever the time.';

CREATE TABLE cuecard.event_override (
    event_id uuid NOT NULL,
    occurrence timestamp without time zone NOT NULL,
    cancelled boolean DEFAULT false NOT NULL,
    starts_at timestamp without time zone,
    duration interval,
    title text,
    location text,
    details jsonb,
    CONSTRAINT duration_is_sane CHECK (((duration >= '00:00:00'::interval) AND (duration <= '100 years'::interval))),
    CONSTRAINT occurrence_is_a_date CHECK (((occurrence >= '0001-01-01 00:00:00'::timestamp without time zone) AND (occurrence <= '9999-12-31 00:00:00'::timestamp without time zone))),
    CONSTRAINT starts_at_is_a_date CHECK (((starts_at >= '0001-01-01 00:00:00'::timestamp without time zone) AND (starts_at <= '9999-12-31 00:00:00'::timestamp without time zone)))
);

COMMENT ON TABLE cuecard.event_override IS 'One moved, changed or cancelled occurrence, by its original local start; null columns keep the event''s.';

CREATE TABLE cuecard.migration (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE cuecard.provider_token (
    team_id text NOT NULL,
    key_id text NOT NULL,
    token text NOT NULL,
    issued_at timestamp with time zone NOT NULL,
    key_fingerprint text DEFAULT ''::text NOT NULL
);

COMMENT ON TABLE cuecard.provider_token IS 'The provider token in use for each key; read by the worker''s functions alone.';

CREATE TABLE cuecard.tick (
    id uuid NOT NULL,
    worker text NOT NULL,
    now timestamp with time zone NOT NULL,
    started_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    finished_at timestamp with time zone,
    summary jsonb
);

COMMENT ON TABLE cuecard.tick IS 'One row a pass: its decision time, who made it and what it did. Not finished: killed or still at work.';

CREATE TABLE cuecard.time_zone (
    name text NOT NULL
);

COMMENT ON TABLE cuecard.time_zone IS 'The time zones that Postgres knew when the schema was made.';

ALTER TABLE ONLY cuecard.app
    ADD CONSTRAINT app_pkey PRIMARY KEY (bundle_id);

ALTER TABLE ONLY cuecard.attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (id);

ALTER TABLE ONLY cuecard.calendar_member
    ADD CONSTRAINT calendar_member_pkey PRIMARY KEY (calendar_id, user_id);

ALTER TABLE ONLY cuecard.calendar
    ADD CONSTRAINT calendar_pkey PRIMARY KEY (id);

ALTER TABLE ONLY cuecard.change_listener
    ADD CONSTRAINT change_listener_pkey PRIMARY KEY (is_only_row);

ALTER TABLE ONLY cuecard.change
    ADD CONSTRAINT change_pkey PRIMARY KEY (id);

ALTER TABLE ONLY cuecard.device
    ADD CONSTRAINT device_pkey PRIMARY KEY (id);

ALTER TABLE ONLY cuecard.event_override
    ADD CONSTRAINT event_override_pkey PRIMARY KEY (event_id, occurrence);

ALTER TABLE ONLY cuecard.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (id);

ALTER TABLE ONLY cuecard.lane
    ADD CONSTRAINT lane_pkey PRIMARY KEY (apns_environment, bundle_id);

ALTER TABLE ONLY cuecard.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY cuecard.provider_token
    ADD CONSTRAINT provider_token_pkey PRIMARY KEY (team_id, key_id, key_fingerprint);

ALTER TABLE ONLY cuecard.run
    ADD CONSTRAINT run_device_id_event_id_occurrence_generation_key UNIQUE (device_id, event_id, occurrence, generation);

ALTER TABLE ONLY cuecard.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (id);

ALTER TABLE ONLY cuecard.tick
    ADD CONSTRAINT tick_pkey PRIMARY KEY (id);

ALTER TABLE ONLY cuecard.time_zone
    ADD CONSTRAINT time_zone_pkey PRIMARY KEY (name);

CREATE INDEX attempt_age ON cuecard.attempt USING btree (intended_at);

CREATE INDEX attempt_device ON cuecard.attempt USING btree (device_id, decided_at);

CREATE INDEX attempt_receipt ON cuecard.attempt USING btree (answered_at) WHERE ((receipt_id IS NOT NULL) AND (receipt_at IS NULL));

CREATE INDEX attempt_run ON cuecard.attempt USING btree (run_id);

CREATE INDEX calendar_member_user ON cuecard.calendar_member USING btree (user_id);

CREATE INDEX calendar_owner ON cuecard.calendar USING btree (owner_id);

CREATE INDEX device_app ON cuecard.device USING btree (bundle_id, id);

CREATE INDEX device_due ON cuecard.device USING btree (apns_environment, bundle_id, next_due_at) WHERE (next_due_at IS NOT NULL);

CREATE INDEX device_expo_token ON cuecard.device USING btree (expo_token) WHERE (expo_token IS NOT NULL);

CREATE INDEX device_planned ON cuecard.device USING btree (planned_at) WHERE (planned_at IS NOT NULL);

CREATE INDEX device_start_token ON cuecard.device USING btree (push_to_start_token) WHERE (push_to_start_token IS NOT NULL);

CREATE INDEX device_user ON cuecard.device USING btree (user_id, id);

CREATE INDEX device_wake_token ON cuecard.device USING btree (wake_token) WHERE (wake_token IS NOT NULL);

CREATE INDEX event_calendar ON cuecard.event USING btree (calendar_id) WHERE (deleted_at IS NULL);

CREATE INDEX run_activity ON cuecard.run USING btree (device_id, activity_id) WHERE (activity_id IS NOT NULL);

CREATE INDEX run_age ON cuecard.run USING btree (settled_at) WHERE (settled_at IS NOT NULL);

CREATE INDEX run_live ON cuecard.run USING btree (event_id, device_id) WHERE (state = ANY (ARRAY['claimed'::text, 'accepted'::text, 'confirmed'::text, 'ending'::text, 'unknown'::text]));

CREATE INDEX run_user ON cuecard.run USING btree (user_id);

CREATE INDEX tick_age ON cuecard.tick USING btree (started_at);

CREATE TRIGGER app_deleted AFTER DELETE ON cuecard.app REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.app_changed();

CREATE TRIGGER app_inserted AFTER INSERT ON cuecard.app REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.app_changed();

CREATE TRIGGER app_truncated BEFORE TRUNCATE ON cuecard.app FOR EACH STATEMENT EXECUTE FUNCTION cuecard.everything_changed();

CREATE TRIGGER app_updated AFTER UPDATE ON cuecard.app REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.app_changed();

CREATE TRIGGER calendar_deleted AFTER DELETE ON cuecard.calendar REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.calendar_changed();

CREATE TRIGGER calendar_inserted AFTER INSERT ON cuecard.calendar REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.calendar_changed();

CREATE TRIGGER calendar_member_deleted AFTER DELETE ON cuecard.calendar_member REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.calendar_member_changed();

CREATE TRIGGER calendar_member_inserted AFTER INSERT ON cuecard.calendar_member REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.calendar_member_changed();

CREATE TRIGGER calendar_member_truncated BEFORE TRUNCATE ON cuecard.calendar_member FOR EACH STATEMENT EXECUTE FUNCTION cuecard.everything_changed();

CREATE TRIGGER calendar_member_updated AFTER UPDATE ON cuecard.calendar_member REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.calendar_member_changed();

CREATE TRIGGER calendar_truncated BEFORE TRUNCATE ON cuecard.calendar FOR EACH STATEMENT EXECUTE FUNCTION cuecard.everything_changed();

CREATE TRIGGER calendar_updated AFTER UPDATE ON cuecard.calendar REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.calendar_changed();

CREATE TRIGGER change_announced AFTER INSERT ON cuecard.change REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.change_announced();

CREATE TRIGGER device_changed BEFORE UPDATE ON cuecard.device FOR EACH ROW EXECUTE FUNCTION cuecard.device_changed();

CREATE TRIGGER device_opens_lane AFTER INSERT OR UPDATE OF apns_environment, bundle_id ON cuecard.device FOR EACH ROW EXECUTE FUNCTION cuecard.device_opens_lane();

CREATE TRIGGER event_deleted AFTER DELETE ON cuecard.event REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.event_changed();

CREATE TRIGGER event_inserted AFTER INSERT ON cuecard.event REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.event_changed();

CREATE TRIGGER event_override_deleted AFTER DELETE ON cuecard.event_override REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.event_override_changed();

CREATE TRIGGER event_override_inserted AFTER INSERT ON cuecard.event_override REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.event_override_changed();

CREATE TRIGGER event_override_truncated BEFORE TRUNCATE ON cuecard.event_override FOR EACH STATEMENT EXECUTE FUNCTION cuecard.everything_changed();

CREATE TRIGGER event_override_updated AFTER UPDATE ON cuecard.event_override REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.event_override_changed();

CREATE TRIGGER event_truncated BEFORE TRUNCATE ON cuecard.event FOR EACH STATEMENT EXECUTE FUNCTION cuecard.everything_changed();

CREATE TRIGGER event_updated AFTER UPDATE ON cuecard.event REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION cuecard.event_changed();

ALTER TABLE ONLY cuecard.calendar_member
    ADD CONSTRAINT calendar_member_calendar_id_fkey FOREIGN KEY (calendar_id) REFERENCES cuecard.calendar(id) ON DELETE CASCADE;

ALTER TABLE ONLY cuecard.event
    ADD CONSTRAINT event_calendar_id_fkey FOREIGN KEY (calendar_id) REFERENCES cuecard.calendar(id) ON DELETE CASCADE;

ALTER TABLE ONLY cuecard.event_override
    ADD CONSTRAINT event_override_event_id_fkey FOREIGN KEY (event_id) REFERENCES cuecard.event(id) ON DELETE CASCADE;

ALTER TABLE cuecard.app ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.attempt ENABLE ROW LEVEL SECURITY;

CREATE POLICY backend ON cuecard.app TO service_role USING (true) WITH CHECK (true);

CREATE POLICY backend ON cuecard.attempt FOR SELECT TO service_role USING (true);

CREATE POLICY backend ON cuecard.calendar TO service_role USING (true) WITH CHECK (true);

CREATE POLICY backend ON cuecard.calendar_member TO service_role USING (true) WITH CHECK (true);

CREATE POLICY backend ON cuecard.device FOR SELECT TO service_role USING (true);

CREATE POLICY backend ON cuecard.event TO service_role USING (true) WITH CHECK (true);

CREATE POLICY backend ON cuecard.event_override TO service_role USING (true) WITH CHECK (true);

CREATE POLICY backend ON cuecard.run FOR SELECT TO service_role USING (true);

CREATE POLICY backend ON cuecard.tick FOR SELECT TO service_role USING (true);

ALTER TABLE cuecard.calendar ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.calendar_member ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.change ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.change_listener ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.device ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.event ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.event_override ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.lane ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.migration ENABLE ROW LEVEL SECURITY;

CREATE POLICY mine ON cuecard.calendar FOR SELECT TO authenticated USING ((id IN ( SELECT cuecard.my_calendars() AS my_calendars)));

CREATE POLICY mine ON cuecard.calendar_member FOR SELECT TO authenticated USING ((user_id = ( SELECT cuecard.current_user_id() AS current_user_id)));

CREATE POLICY mine ON cuecard.device FOR SELECT TO authenticated USING ((user_id = ( SELECT cuecard.current_user_id() AS current_user_id)));

CREATE POLICY mine ON cuecard.event FOR SELECT TO authenticated USING ((calendar_id IN ( SELECT cuecard.my_calendars() AS my_calendars)));

CREATE POLICY mine ON cuecard.event_override FOR SELECT TO authenticated USING ((event_id IN ( SELECT event.id
   FROM cuecard.event)));

CREATE POLICY mine ON cuecard.run FOR SELECT TO authenticated USING ((user_id = ( SELECT cuecard.current_user_id() AS current_user_id)));

ALTER TABLE cuecard.provider_token ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.run ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.tick ENABLE ROW LEVEL SECURITY;

ALTER TABLE cuecard.time_zone ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA cuecard TO authenticated;
GRANT USAGE ON SCHEMA cuecard TO service_role;
GRANT USAGE ON SCHEMA cuecard TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.adopt_same_phone(new_device uuid, start_token text, device_token text, expo_token text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.app_changed() FROM PUBLIC;

GRANT SELECT(id) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(id) ON TABLE cuecard.run TO service_role;

GRANT SELECT(device_id) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(device_id) ON TABLE cuecard.run TO service_role;

GRANT SELECT(user_id) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(user_id) ON TABLE cuecard.run TO service_role;

GRANT SELECT(event_id) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(event_id) ON TABLE cuecard.run TO service_role;

GRANT SELECT(occurrence) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(occurrence) ON TABLE cuecard.run TO service_role;

GRANT SELECT(generation) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(generation) ON TABLE cuecard.run TO service_role;

GRANT SELECT(state) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(state) ON TABLE cuecard.run TO service_role;

GRANT SELECT(reason) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(reason) ON TABLE cuecard.run TO service_role;

GRANT SELECT(activity_id) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(activity_id) ON TABLE cuecard.run TO service_role;

GRANT SELECT(content) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(content) ON TABLE cuecard.run TO service_role;

GRANT SELECT(phase) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(phase) ON TABLE cuecard.run TO service_role;

GRANT SELECT(stale_at) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(stale_at) ON TABLE cuecard.run TO service_role;

GRANT SELECT(started_at) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(started_at) ON TABLE cuecard.run TO service_role;

GRANT SELECT(confirmed_at) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(confirmed_at) ON TABLE cuecard.run TO service_role;

GRANT SELECT(created_at) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(created_at) ON TABLE cuecard.run TO service_role;

GRANT SELECT(settled_at) ON TABLE cuecard.run TO authenticated;
GRANT SELECT(settled_at) ON TABLE cuecard.run TO service_role;

REVOKE ALL ON FUNCTION cuecard.app_started_run(device_id uuid, event_id uuid, occurrence timestamp without time zone, activity_id text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.apply_outcomes_to_runs(p_answered uuid[], p_outcomes jsonb, p_now timestamp with time zone, p_wall timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.apply_settlements(p_held uuid[], p_steps jsonb, p_wall timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.begin_tick(p_tick uuid, p_worker text, p_now timestamp with time zone, p_environments text[], p_bundles text[], p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.begin_tick(p_tick uuid, p_worker text, p_now timestamp with time zone, p_environments text[], p_bundles text[], p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.calendar_changed() FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.calendar_member_changed() FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.calendar_people(calendar_id uuid, from_user text, size integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.carry_runs(from_device uuid, to_device uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.change_announced() FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.changed_devices(change cuecard.change, from_device uuid, size integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.check_activity_id(activity_id text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.check_device_arguments(device_id uuid, apns_environment text, time_zone text, locale text, expo_token text, os_version text, app_version text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.checked_token(token text, name text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.claim_due(p_tick uuid, p_now timestamp with time zone, p_environments text[], p_bundles text[], p_limit integer, p_lease_seconds integer, p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.claim_due(p_tick uuid, p_now timestamp with time zone, p_environments text[], p_bundles text[], p_limit integer, p_lease_seconds integer, p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.current_user_id() FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.current_user_id() TO authenticated;
GRANT ALL ON FUNCTION cuecard.current_user_id() TO service_role;

REVOKE ALL ON FUNCTION cuecard.device_changed() FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.device_opens_lane() FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.drop_dead_tokens(p_answered uuid[], p_outcomes jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.event_changed() FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.event_override_changed() FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.everything_changed() FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.examine(p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.examine(p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.failing_devices(p_days integer, p_least integer) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.failing_devices(p_days integer, p_least integer) TO service_role;

REVOKE ALL ON FUNCTION cuecard.fan_out(p_limit integer, p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.fan_out(p_limit integer, p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.finish_tick(p_tick uuid, p_summary jsonb, p_attempt_days integer, p_run_days integer, p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.finish_tick(p_tick uuid, p_summary jsonb, p_attempt_days integer, p_run_days integer, p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.forget_user(user_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.forget_user(user_id text) TO service_role;

REVOKE ALL ON FUNCTION cuecard.has_key(lane cuecard.lane, environments text[], bundles text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.interval_parts(value interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.is_live(state text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.is_work_due(p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.judge_lanes(p_answered uuid[], p_outcomes jsonb, p_now timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.learn_environments(p_answered uuid[], p_outcomes jsonb, p_wall timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.listen_for_changes(p_seconds integer, p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.listen_for_changes(p_seconds integer, p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.load(p_devices uuid[], p_now timestamp with time zone, p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.load(p_devices uuid[], p_now timestamp with time zone, p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.local_time(value timestamp without time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.local_times(times timestamp without time zone[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.lock_phone(device_id uuid, start_token text, device_token text, expo_token text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.make_devices_due(devices uuid[], p_wall timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.make_due(device_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.my_calendars() FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.my_calendars() TO authenticated;

REVOKE ALL ON FUNCTION cuecard.my_run(run_id uuid, activity_id text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.offer_provider_token(p_team_id text, p_key_id text, p_fingerprint text, p_token text, p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.offer_provider_token(p_team_id text, p_key_id text, p_fingerprint text, p_token text, p_wall timestamp with time zone) TO cuecard_worker;

GRANT SELECT(id) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(id) ON TABLE cuecard.device TO service_role;

GRANT SELECT(user_id) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(user_id) ON TABLE cuecard.device TO service_role;

GRANT SELECT(bundle_id) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(bundle_id) ON TABLE cuecard.device TO service_role;

GRANT SELECT(apns_environment) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(apns_environment) ON TABLE cuecard.device TO service_role;

GRANT SELECT(time_zone) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(time_zone) ON TABLE cuecard.device TO service_role;

GRANT SELECT(locale) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(locale) ON TABLE cuecard.device TO service_role;

GRANT SELECT(shows_personal) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(shows_personal) ON TABLE cuecard.device TO service_role;

GRANT SELECT(shows_shared) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(shows_shared) ON TABLE cuecard.device TO service_role;

GRANT SELECT(live_activities_enabled) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(live_activities_enabled) ON TABLE cuecard.device TO service_role;

GRANT SELECT(frequent_pushes_enabled) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(frequent_pushes_enabled) ON TABLE cuecard.device TO service_role;

GRANT SELECT(os_version) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(os_version) ON TABLE cuecard.device TO service_role;

GRANT SELECT(app_version) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(app_version) ON TABLE cuecard.device TO service_role;

GRANT SELECT(registered_at) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(registered_at) ON TABLE cuecard.device TO service_role;

GRANT SELECT(last_seen) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(last_seen) ON TABLE cuecard.device TO service_role;

GRANT SELECT(unregistered_at) ON TABLE cuecard.device TO authenticated;
GRANT SELECT(unregistered_at) ON TABLE cuecard.device TO service_role;

GRANT SELECT(suspect_since) ON TABLE cuecard.device TO service_role;

REVOKE ALL ON FUNCTION cuecard.own_device(device_id uuid, who text, bundle_id text, apns_environment text, start_token text, device_token text, expo_token text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.peek_due(p_now timestamp with time zone, p_environments text[], p_bundles text[], p_after uuid, p_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.peek_due(p_now timestamp with time zone, p_environments text[], p_bundles text[], p_after uuid, p_limit integer) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.provider_token(p_team_id text, p_key_id text, p_fingerprint text, p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.provider_token(p_team_id text, p_key_id text, p_fingerprint text, p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.record_intent(p_tick uuid, p_now timestamp with time zone, p_steps jsonb, p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.record_intent(p_tick uuid, p_now timestamp with time zone, p_steps jsonb, p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.record_outcomes(p_now timestamp with time zone, p_outcomes jsonb, p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.record_outcomes(p_now timestamp with time zone, p_outcomes jsonb, p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.record_receipts(p_receipts jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.record_receipts(p_receipts jsonb) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.register_activity(run_id uuid, activity_id text, update_token text, device_id uuid, event_id uuid, occurrence timestamp without time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.register_activity(run_id uuid, activity_id text, update_token text, device_id uuid, event_id uuid, occurrence timestamp without time zone) TO authenticated;

REVOKE ALL ON FUNCTION cuecard.register_device(device_id uuid, bundle_id text, apns_environment text, time_zone text, locale text, push_to_start_token text, wake_token text, expo_token text, shows_personal boolean, shows_shared boolean, live_activities_enabled boolean, frequent_pushes_enabled boolean, os_version text, app_version text) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.register_device(device_id uuid, bundle_id text, apns_environment text, time_zone text, locale text, push_to_start_token text, wake_token text, expo_token text, shows_personal boolean, shows_shared boolean, live_activities_enabled boolean, frequent_pushes_enabled boolean, os_version text, app_version text) TO authenticated;

REVOKE ALL ON FUNCTION cuecard.registration(device_id uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.report_activity(run_id uuid, activity_id text, state text) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.report_activity(run_id uuid, activity_id text, state text) TO authenticated;

REVOKE ALL ON FUNCTION cuecard.reschedule(p_tick uuid, p_devices uuid[], p_revisions bigint[], p_next_due timestamp with time zone[], p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.reschedule(p_tick uuid, p_devices uuid[], p_revisions bigint[], p_next_due timestamp with time zone[], p_wall timestamp with time zone) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.settle_reported_run(card cuecard.run, said text, activity_id text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.signed_in_user() FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.surplus_run(first cuecard.run, activity_id text) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.suspect_start_tokens(p_answered uuid[], p_wall timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION cuecard.unregister_device(device_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.unregister_device(device_id uuid) TO authenticated;

REVOKE ALL ON FUNCTION cuecard.unserved_lanes(p_now timestamp with time zone, p_environments text[], p_bundles text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.unserved_lanes(p_now timestamp with time zone, p_environments text[], p_bundles text[]) TO cuecard_worker;

REVOKE ALL ON FUNCTION cuecard.worker_status(p_now timestamp with time zone, p_environments text[], p_bundles text[], p_wall timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION cuecard.worker_status(p_now timestamp with time zone, p_environments text[], p_bundles text[], p_wall timestamp with time zone) TO cuecard_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE cuecard.app TO service_role;

GRANT SELECT ON TABLE cuecard.attempt TO service_role;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE cuecard.calendar TO service_role;
GRANT SELECT ON TABLE cuecard.calendar TO authenticated;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE cuecard.calendar_member TO service_role;
GRANT SELECT ON TABLE cuecard.calendar_member TO authenticated;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE cuecard.event TO service_role;
GRANT SELECT ON TABLE cuecard.event TO authenticated;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE cuecard.event_override TO service_role;
GRANT SELECT ON TABLE cuecard.event_override TO authenticated;

GRANT SELECT ON TABLE cuecard.tick TO service_role;
