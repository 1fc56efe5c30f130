-- SPDX-License-Identifier: MIT
-- oai.find_item() as in 201-library.sql, but with a plan that is kept: PostgreSQL plans the statement of a function in SQL that
-- reads a table anew each time, which took a third of what GetRecord costs in the database.
create or replace function oai.find_item(local_id text) returns bigint language plpgsql stable as $$
begin
    return (select i.id from oai.item i where i.local_id = find_item.local_id);
end $$;
