-- The schema and the four roles. Roles belong to the whole cluster, so two databases may make them at once.
create schema if not exists cuecard;

do $$
declare
    name text;
begin
    foreach name in array array['anon', 'authenticated', 'service_role', 'cuecard_worker'] loop
        if not exists (select from pg_roles where rolname = name) then
            begin
                execute format('create role %I nologin', name);
            exception
                when duplicate_object or unique_violation then
                    null;  -- another database of this cluster made it meanwhile
                when insufficient_privilege then
                    raise exception 'the role "%" is missing, and % may not create it', name, current_user
                        using errcode = '42501', hint = 'Migrate once as a role with CREATEROLE, or create the role yourself.';
            end;
        end if;
    end loop;
end
$$;

grant usage on schema cuecard to authenticated, service_role, cuecard_worker;

-- The caller of an RPC, as PostgREST sets it; null where nobody is signed in.
create or replace function cuecard.current_user_id() returns text
language sql stable
set search_path = ''
as $$
    select nullif(nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub', '')
$$;
comment on function cuecard.current_user_id is 'The signed-in user: sub of request.jwt.claims; null where there is none.';
revoke execute on function cuecard.current_user_id from public;
grant execute on function cuecard.current_user_id to authenticated, service_role;
