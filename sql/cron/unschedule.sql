-- Takes away what schedule.sql made, the worker's address and secret in cron_setting too. Safe to run again.
select cron.unschedule(jobid) from cron.job where jobname = 'cuecard-tick';
delete from cron.job_run_details where command = 'select cuecard.call_tick()';
drop function if exists cuecard.call_tick(boolean);
drop function if exists cuecard.cron_value(text);
drop table if exists cuecard.cron_setting, cuecard.cron_call;
