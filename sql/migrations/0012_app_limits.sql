-- How many cards a phone can show is the system's affair: it allows five today.
alter table cuecard.app drop constraint if exists app_max_cards_check;
alter table cuecard.app add constraint app_max_cards_check check (max_cards between 1 and 100);
