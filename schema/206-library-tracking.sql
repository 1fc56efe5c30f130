-- SPDX-License-Identifier: MIT
-- Replaces those triggers of 202-library-triggers.sql that are the same for every model by those of 007-triggers.sql.
-- What only this model has stays: library.place_item(), library.refuse_new_identity() and the functions that they
-- call.
set local client_min_messages = warning;   -- Suppresses a notice for each dropped trigger.
drop function library.queue_inserted(), library.queue_updated(), library.keep_tombstone(), library.refuse_truncate(),
    library.check_filed(), library.queue_filed(), library.queue_refiled(),
    library.place_name(), library.refuse_renaming(), library.refuse_unnaming() cascade;
set local client_min_messages to default;

-- Fills in the title of a name that has none, before oai.place_name() makes its set. The argument is the setSpec of
-- the root of the tree.
create function library.fill_title() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
    new.title := coalesce(new.title, library.title_of(tg_argv[0], new.name));
    return new;
end $$;
create trigger fill_title before insert on library.collection for each row execute function library.fill_title('col');
create trigger fill_title before insert on library.kind for each row execute function library.fill_title('type');
create trigger fill_title before insert on library.language for each row execute function library.fill_title('lang');

select oai.track_items('library.item');
select oai.track_filing('library.item_collection', 'library.item', 'library.collection');
select oai.track_names('library.collection', 'col');
select oai.track_names('library.kind', 'type');
select oai.track_names('library.language', 'lang');
