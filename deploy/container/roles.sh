#!/bin/sh
# SPDX-License-Identifier: MIT
# Run in the database's container when its volume is new, and by hand when passwords have changed: makes the three roles of the
# repository, with the passwords of /run/secrets.
set -eu
for role in reader publisher loader; do
    # psql quotes the values itself.
    psql -X -q -v ON_ERROR_STOP=1 -v role="oai_$role" -v password="$(head -n 1 "${OAI_SECRETS:-/run/secrets}/$role")" \
        --username postgres --dbname oai <<'SQL'
select format('create role %I login', :'role') where not exists (select from pg_roles where rolname = :'role')
\gexec
alter role :"role" password :'password';
SQL
done
