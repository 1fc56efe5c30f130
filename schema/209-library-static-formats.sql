-- SPDX-License-Identifier: MIT
-- What the static repository of a gateway says of its formats (205-library-gateway.sql): a record kept as it came shows neither
-- where its schema is nor always which namespace its format is known by.
create table harvest.static_format (
    prefix     text primary key,
    schema     text not null,
    name_space text not null
);
grant select, insert, update, delete on harvest.static_format to oai_loader;
