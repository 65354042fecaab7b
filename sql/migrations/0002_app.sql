-- One row an app: what its cards look like and when they show. Null templates mean the product's own.
create table if not exists cuecard.app (
    bundle_id           text primary key check (bundle_id <> ''),
    attributes_type     text not null check (attributes_type <> ''),
    attributes          jsonb,
    content_state       jsonb,
    alert               jsonb,
    lead                interval not null default '60 min' check (lead between '0' and '31 days'),
    ending_lead         interval not null default '15 min' check (ending_lead between '0' and '31 days'),
    closes              text not null default 'end' check (closes in ('end', 'start')),
    linger              interval not null default '0' check (linger between '0' and '31 days'),
    stale_after         interval not null default '2 h' check (stale_after > '0' and stale_after <= '31 days'),
    all_day_at          time,
    max_cards           integer not null default 1 check (max_cards between 1 and 5),
    max_starts_per_hour integer not null default 4 check (max_starts_per_hour >= 1)
);
comment on table cuecard.app is 'One row an app: its templates and its policy. Written by the backend.';
comment on column cuecard.app.attributes_type is 'The exact name of the app''s ActivityAttributes struct.';
comment on column cuecard.app.lead is 'How long before its start an occurrence''s card appears.';
comment on column cuecard.app.ending_lead is 'How long before its end a card says "ending".';
comment on column cuecard.app.closes is 'When the card is taken down: at the occurrence''s end, or at its start.';
comment on column cuecard.app.linger is 'How long the ended card stays on the Lock Screen; iOS allows 4 hours.';
comment on column cuecard.app.stale_after is 'How long content counts as fresh without another push.';
comment on column cuecard.app.all_day_at is 'The local time at which an all-day event starts; null: no card for it.';
comment on column cuecard.app.max_cards is 'How many cards one device shows at once.';
comment on column cuecard.app.max_starts_per_hour is 'Starts a device may get in any 60 minutes; iOS allows about ten in a short time.';

alter table cuecard.app enable row level security;
drop policy if exists backend on cuecard.app;
create policy backend on cuecard.app to service_role using (true) with check (true);
grant select, insert, update, delete on cuecard.app to service_role;
