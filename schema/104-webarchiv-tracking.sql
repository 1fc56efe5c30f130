-- SPDX-License-Identifier: MIT
-- Replaces those triggers of 102-webarchiv-triggers.sql that are the same for every model by those of
-- 007-triggers.sql. What only this model has stays: webarchiv.title_of(), webarchiv.check_names() and its triggers.
set local client_min_messages = warning;   -- Suppresses a notice for each dropped trigger.
drop function webarchiv.queue_inserted(), webarchiv.queue_updated(), webarchiv.keep_tombstone(), webarchiv.refuse_truncate(),
    webarchiv.check_filed(), webarchiv.queue_filed(), webarchiv.queue_refiled(),
    webarchiv.place_name(), webarchiv.refuse_renaming(), webarchiv.refuse_unnaming() cascade;
set local client_min_messages to default;

-- Fills in the title of a name that has none, before oai.place_name() makes its set. The argument is the setSpec of
-- the root of the tree.
create function webarchiv.fill_title() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
    new.title := coalesce(new.title, webarchiv.title_of(tg_argv[0], new.name));
    return new;
end $$;
create trigger fill_title before insert on webarchiv.domain for each row execute function webarchiv.fill_title('dom');
create trigger fill_title before insert on webarchiv.mimetype for each row execute function webarchiv.fill_title('mim');
create trigger fill_title before insert on webarchiv.collection for each row execute function webarchiv.fill_title('col');

select oai.track_items('webarchiv.doc');
select oai.track_filing('webarchiv.doc_collection', 'webarchiv.doc', 'webarchiv.collection');
select oai.track_names('webarchiv.domain', 'dom');
select oai.track_names('webarchiv.mimetype', 'mim');
select oai.track_names('webarchiv.collection', 'col');
select oai.protect_names('webarchiv.arc');
