-- SPDX-License-Identifier: MIT
-- The role oai_reader can only read schema oai; oai_publisher can also write what the publisher keeps there;
-- oai_loader writes the tables of a model. What is run by a trigger, or by other functions with the rights of
-- their owner, nobody may execute.

-- PostgreSQL lets every role create temporary tables and large objects in a database. Here only the roles
-- that need temporary tables may create them, and no role (but superusers) may create large objects.
do $$
begin
    execute format('revoke temporary on database %I from public', current_database());
    execute format('grant temporary on database %I to oai_publisher, oai_loader', current_database());
    if (select rolsuper from pg_roles where rolname = current_user) then
        revoke execute on function lo_creat, lo_create, lo_from_bytea, lo_put, lo_truncate, lo_truncate64,
            lo_unlink, lowrite
            from public;
        -- Its arguments are others from one PostgreSQL to the next.
        execute (select format('revoke execute on function %s from public',
                               string_agg(oid::regprocedure::text, ', '))
                 from pg_proc where proname = 'pg_logical_emit_message'
                     and pronamespace = 'pg_catalog'::regnamespace);
    end if;
end $$;

grant usage on schema oai to oai_reader, oai_publisher, oai_loader;
grant select on oai.set, oai.set_chunk, oai.horizon, oai.fork, oai.calendar, oai.queue, oai.batch, oai.walk,
    oai.batch_id_seq, oai.queue_n_seq, oai.rule, oai.rule_problem, oai.set_move,
    oai.schema_version, oai.view to oai_reader, oai_publisher;
grant select on oai.set, oai.horizon to oai_loader;
grant insert, delete, update (item_count, held, name, description) on oai.set to oai_publisher;
grant update (name, description) on oai.set to oai_loader;
grant update on oai.horizon to oai_publisher;
grant insert, update, delete on oai.set_chunk, oai.walk, oai.rule, oai.rule_problem to oai_publisher;
grant select, insert, update, delete on oai.view, oai.view_item, oai.view_set, oai.view_chunk,
    oai.view_calendar, oai.view_move to oai_publisher;
grant insert, delete on oai.calendar to oai_publisher;
grant insert, update on oai.fork, oai.set_move to oai_publisher;
grant insert, delete on oai.queue to oai_publisher;
grant update (batch, n) on oai.queue to oai_publisher;
grant delete on oai.batch to oai_publisher;

revoke execute on all functions in schema oai from public;
grant execute on function oai.base_of, oai.seq_before, oai.numbers_after,
    oai.set_page(integer, bigint, bigint, integer), oai.set_page(integer, bigint, bigint, integer, integer),
    oai.set_runs, oai.count_set, oai.list_size, oai.position, oai.requirement_members,
    oai.queue_state, oai.check_items, oai.check_sets, oai.check_chunks, oai.condition_of, oai.given_sets,
    oai.check_calendar, oai.view_id to oai_reader, oai_publisher;
grant execute on function oai.encode_bytes, oai.percent_encode, oai.set_label to oai_reader, oai_publisher,
    oai_loader;
grant execute on function oai.plain_text, oai.whole_word, oai.word_query, oai.search_words to oai_reader;
grant execute on function oai.place_set, oai.make_slice, oai.number_slice,
    oai.collect_postings, oai.move_postings, oai.move_numbers, oai.merge_chunks, oai.move_chunks,
    oai.wanted_requirements, oai.rule_matches, oai.check_rules,
    oai.register_requirements, oai.register_sets, oai.judge_rule, oai.try_rule, oai.place_by_rules,
    oai.note_rule_problems, oai.meet_requirements, oai.examine_items, oai.queue_by_rule, oai.remove_rule,
    oai.catch_up_rules, oai.find_batches, oai.select_candidates, oai.close_batches, oai.take_changed,
    oai.put_back_blocked, oai.note_blocked, oai.wait_for_blocked, oai.place, oai.publish_slice, oai.publish,
    oai.purge, oai.mend_clock, oai.register_views, oai.view_matches, oai.write_view, oai.show_items,
    oai.leave_views, oai.drop_given_up, oai.follow_views, oai.check_views to oai_publisher;
grant execute on function oai.change_deleted, oai.withdraw, oai.publish_loaded to oai_loader;

-- Conditions of rules are asked with the rights of oai_rule, which are none but these.
do $$
begin
    if not pg_has_role('oai_rule', oai.may_become()) then
        execute format('grant oai_rule to %I', current_user);
    end if;
    grant usage, create on schema oai to oai_rule;
    alter function oai.rule_matches owner to oai_rule;
    revoke create on schema oai from oai_rule;
exception when insufficient_privilege then
    raise warning 'conditions of sets are asked with the rights of %', current_user
        using hint = format('As a superuser: grant oai_rule to %I; then install the schema again.',
                            current_user);
end $$;
