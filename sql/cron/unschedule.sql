-- Takes away what schedule.sql made. Safe to run again.
select cron.unschedule(jobid) from cron.job where jobname = 'cuecard-tick';
drop function if exists cuecard.call_tick();
drop function if exists cuecard.cron_value(text);
drop table if exists cuecard.cron_setting;
