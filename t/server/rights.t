#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The role of the server can only SELECT in schema oai. As oai_reader, everything else is attempted on every object in the
# catalogues (relations, columns, sequences, functions, schemas, roles ...), in a database of each model, and PostgreSQL must
# refuse each attempt. The attempts are generated from the catalogues, so new tables are covered automatically.
use TestProgram;

# Returns the number of attempts, and those that were not refused. An exception at the end, which carries this result, undoes
# all changes.
sub refused {
    my ($db) = @_;
    my $sql = <<'SQL';
do $outer$
declare
    tried integer := 0;
    passed text[] := '{}';
    attempt text;
    code text;
begin
    for attempt in
        -- Every relation: written, emptied, locked, changed, removed. pg_settings is a session's own.
        select format(what, c.oid::regclass, quote_ident(a.attname))
        from pg_class c join lateral (select attname from pg_attribute where attrelid = c.oid and attnum > 0 and attidentity = '' limit 1) a on true,
             unnest(array['insert into %1$s default values', 'update %1$s set %2$s = %2$s', 'delete from %1$s',
                          'lock table %1$s in access exclusive mode', 'copy %1$s to program ''true''']) what
        where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.oid <> 'pg_settings'::regclass
        union all
        select format(what, oid::regclass)
        from pg_class,
             unnest(array['truncate %1$s', 'alter table %1$s add column stray integer', 'drop table %1$s cascade',
                          'alter table %1$s owner to oai_reader', 'comment on table %1$s is null', 'analyze %1$s',
                          'create trigger stray before insert on %1$s for each row execute function suppress_redundant_updates_trigger()',
                          'copy %1$s from stdin', 'alter table %1$s disable trigger all', 'create policy stray on %1$s',
                          'create statistics stray on (1), (2) from %1$s']) what
        where relkind in ('r', 'p') and what !~ '^(analyze|copy)'
        -- Reading is for schema oai, and for the catalogues that PostgreSQL shows to all.
        union all
        select format('select * from %s limit 0', oid::regclass)
        from pg_class
        where relkind in ('r', 'p', 'v', 'm', 'f')
          and relnamespace not in ('oai'::regnamespace, 'oai_view'::regnamespace, 'pg_catalog'::regnamespace, 'information_schema'::regnamespace)
        union all
        select format(what, oid::regclass)
        from pg_class, unnest(array['select nextval(%L)', 'select setval(%L, 1)', 'alter sequence %s restart', 'drop sequence %s']) what
        where relkind = 'S'
        union all
        select format(what, oid::regprocedure) from pg_proc, unnest(array['drop function %s', 'alter function %s owner to oai_reader']) what
        where pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) and prokind = 'f'
        union all
        select format(what, oid::regnamespace)
        from pg_namespace, unnest(array['create table %s.stray (a integer)', 'create view %s.stray as select 1', 'create function %s.stray() returns integer language sql as ''select 1''',
                                        'create type %s.stray as enum ()', 'create domain %s.stray as integer', 'create sequence %s.stray', 'drop schema %s cascade', 'alter schema %s rename to stray']) what
        where nspname !~ '^pg_(temp|toast)'
        union all
        select format(what, quote_ident(rolname))
        from pg_roles, unnest(array['set role %s', 'set session authorization %s', 'drop role %s', 'alter role %s superuser', 'grant %s to oai_reader', 'alter role %s in database postgres set work_mem = 1']) what
        where rolname <> 'oai_reader' and (rolname, what) <> ('pg_database_owner', 'grant %s to oai_reader')    -- never has members
        union all
        select format(what, quote_ident(datname))
        from pg_database, unnest(array['alter database %s set work_mem = 1', 'alter database %s owner to oai_reader', 'comment on database %s is null']) what
        union all
        select format('create function pg_temp.stray() returns integer language %I as ''1''', lanname) from pg_language where not lanpltrusted
        union all
        select format('select %s', called)
        from unnest(array['pg_read_file(''postgresql.conf'')', 'pg_ls_dir(''.'')', 'pg_reload_conf()', 'pg_rotate_logfile()', 'pg_switch_wal()',
                          'pg_create_restore_point(''stray'')', 'pg_promote()', 'pg_stat_reset()', 'pg_backup_start(''stray'')',
                          'pg_create_physical_replication_slot(''stray'')', 'pg_replication_origin_create(''stray'')',
                          'pg_import_system_collations(''pg_catalog'')', 'lo_export(1, ''/tmp/stray'')', 'lo_import(''/etc/passwd'')',
                          'pg_terminate_backend((select pid from pg_stat_activity where usename <> ''oai_reader'' limit 1))']) called
        union all
        values ('create temporary table stray (a integer)'), ('create schema stray'), ('create role stray'),
               ('create extension dblink'), ('create publication stray'), 
               ('create foreign data wrapper stray'), ('create event trigger stray on ddl_command_end execute function stray()'),
               ('create cast (integer as text) without function'), 
               ('copy (select 1) to ''/tmp/stray'''), ('copy (select 1) to program ''true'''), ('alter role oai_reader superuser'),
               ('alter role oai_reader createdb'), ('alter role oai_reader bypassrls'), ('set session_replication_role = replica'),
               ('reassign owned by oai_publisher to oai_reader'), ('checkpoint'), ('load ''stray''')
    loop
        tried := tried + 1;
        begin
            execute attempt;
            passed := passed || ('done: ' || attempt);
        exception
            -- The others are refused whoever asks: what is no table cannot be written, a role of the system not changed.
            when insufficient_privilege or object_not_in_prerequisite_state or wrong_object_type or reserved_name then null;
            when others then
                get stacked diagnostics code = returned_sqlstate;
                passed := passed || (code || ' ' || sqlerrm || ': ' || attempt);
        end;
    end loop;
    raise exception using message = tried || E'\n' || array_to_string(passed, E'\n');
end $outer$
SQL
    my $said = eval { Database::psql($db->conninfo('oai_reader'), '-c', $sql); '' } // $@;
    my ($tried, $passed) = $said =~ /ERROR:\s+(\d+)\n(.*?)(?:^CONTEXT|\z)/ms or die $said;
    return ($tried, grep { /\S/ } split /\n/, $passed);
}

for my $model ('webarchiv', 'library') {
    my $db = Database->new(model => $model);
    my ($tried, @passed) = refused($db);
    # Functions that write (also to large objects), or that run with the privileges of another role.
    is join(' ', map { $_->[0] } Database::rows({conninfo => $db->conninfo('oai_reader')}, "
        select oid::regprocedure from pg_proc
        where has_function_privilege(oid, 'execute') and has_schema_privilege(pronamespace, 'usage')
          and (pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) and (provolatile = 'v' or prosecdef)
               or proname ~ '^(lo_(creat|create|from_bytea|put|truncate|truncate64|unlink|import|export)|lowrite|pg_logical_emit_message)\$')")),
        '', "$model: no function that writes may be called";
    for my $alone ('alter system set work_mem = 1', 'create database stray', "create tablespace stray location '/tmp'", 'drop database postgres') {
        like eval { Database::psql($db->conninfo('oai_reader'), '-c', $alone); 'done' } // $@, qr/permission denied|must be (superuser|owner)/, "$model: refused: $alone";
    }
    cmp_ok $tried, '>', 1000, "$model: $tried attempts";
    is scalar @passed, 0, 'all attempts are refused' or diag join "\n", @passed[0 .. ($#passed > 60 ? 60 : $#passed)];
}

# A dump that goes to a PostgreSQL in which functions have other arguments loses what was revoked of them.
my $db = Database->new(schema => 0);
sub install { return system("$build/release/oai schema install --model webarchiv --connection '@{[$db->conninfo]}' >/dev/null 2>&1") }
is install(), 0, 'oai schema install';
sub may_log { return $db->value("select bool_or(has_function_privilege('oai_reader', oid, 'execute')) from pg_proc where proname = 'pg_logical_emit_message'") }
$db->run('grant execute on function ' . join(', ', map { $_->[0] } $db->rows("select oid::regprocedure from pg_proc where proname = 'pg_logical_emit_message'")) . ' to public');
is may_log(), 't', 'without that oai_reader may write to the log of changes';
is install(), 0, 'oai schema install again';
is may_log(), 'f', 'takes it back';
done_testing;
