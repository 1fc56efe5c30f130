# SPDX-License-Identifier: MIT
# The peer `python` by the library that Python's providers are made with: pyoai (https://github.com/infrae/pyoai), which Debian does not
# have; `pip install pyoai` brings it. Its BatchingServer checks the arguments, makes the tokens and writes the pages by lxml; it asks
# for the records by their number in the list, so that a page is read by OFFSET from bench.peer, by statements planned once and without a
# transaction. It gives no completeListSize, which is counted here at the start.
#   PEER_CONNINFO   PostgreSQL     PEER_URL   the address that harvesters use     PEER_LIMIT   records per page
# /python/nothing is answered by uWSGI and Python alone; /python/rows reads the rows of a first page without writing a page.
import os
from datetime import datetime
from urllib.parse import parse_qsl

import psycopg2
from lxml.etree import SubElement
from oaipmh import common, error, metadata, server

BASE_URL = os.environ['PEER_URL']
LIMIT = int(os.environ['PEER_LIMIT'])
IDENTIFIER = 'oai:example.org:'
OAI_DC = 'http://www.openarchives.org/OAI/2.0/oai_dc'
DC = '{http://purl.org/dc/elements/1.1/}'
XSI = '{http://www.w3.org/2001/XMLSchema-instance}'
SECONDS = '%Y-%m-%dT%H:%M:%SZ'
COLUMNS = ('title', 'identifier', 'publisher', 'date', 'type', 'format', 'source')

HEADER = 'id, datestamp, deleted, setspec'
RECORD = f"{HEADER}, {', '.join(COLUMNS)}, relation"
PAGE = 'from bench.peer where datestamp between $1 and $2 order by datestamp, id offset $3 limit $4'
connection = psycopg2.connect(os.environ['PEER_CONNINFO'])
connection.autocommit = True
cursor = connection.cursor()
cursor.execute(f'''set plan_cache_mode = force_generic_plan;
                   prepare one (text) as select {RECORD} from bench.peer where id = $1;
                   prepare listidentifiers (text, text, bigint, bigint) as select {HEADER} {PAGE};
                   prepare listrecords (text, text, bigint, bigint) as select {RECORD} {PAGE};
                   select count(*), min(datestamp) from bench.peer''')
SIZE, EARLIEST = cursor.fetchone()


def query(statement, *values):
    cursor.execute(f"execute {statement}({', '.join(['%s'] * len(values))})", values)
    return cursor.fetchall()


def page(statement, begin, until, before, limit):
    return query(statement, begin.strftime(SECONDS) if begin else '', until.strftime(SECONDS) if until else '9999', before, limit)


def header_of(row):
    return common.Header(None, IDENTIFIER + row[0], datetime.strptime(row[1], SECONDS), row[3] or [], row[2])


def record_of(row):
    values = {name: [value] for name, value in zip(COLUMNS, row[4:11]) if value is not None}
    return header_of(row), common.Metadata(None, {**values, 'relation': row[11] or []}), None


# As server.oai_dc_writer, whose elements have another order.
def write_oai_dc(element, record):
    dc = SubElement(element, f'{{{OAI_DC}/}}dc', nsmap={'oai_dc': f'{OAI_DC}/', 'dc': DC[1:-1], 'xsi': XSI[1:-1]})
    dc.set(f'{XSI}schemaLocation', f'{OAI_DC}/ {OAI_DC}.xsd')
    for name, values in record.getMap().items():
        for value in values:
            SubElement(dc, DC + name).text = value


# What BatchingServer asks for; the names of the arguments are its own.
class Records:
    def identify(self):
        return common.Identify('The peer', BASE_URL, '2.0', ['admin@example.org'], datetime.strptime(EARLIEST, SECONDS), 'persistent',
                               'YYYY-MM-DDThh:mm:ssZ', ['identity'])

    def listMetadataFormats(self, identifier=None):
        return [('oai_dc', f'{OAI_DC}.xsd', f'{OAI_DC}/')]

    def listSets(self, cursor=0, batch_size=10):
        raise error.NoSetHierarchyError('There are no sets to select by.')

    def getRecord(self, metadataPrefix, identifier):
        rows = query('one', identifier[len(IDENTIFIER):]) if identifier.startswith(IDENTIFIER) else []
        if not rows:
            raise error.IdDoesNotExistError('There is no such record.')
        return record_of(rows[0])

    def listIdentifiers(self, metadataPrefix, from_=None, until=None, cursor=0, batch_size=10):
        return [header_of(row) for row in page('listidentifiers', from_, until, cursor, batch_size)]

    def listRecords(self, metadataPrefix, from_=None, until=None, cursor=0, batch_size=10):
        return [record_of(row) for row in page('listrecords', from_, until, cursor, batch_size)]


registry = metadata.MetadataRegistry()
registry.registerWriter('oai_dc', write_oai_dc)
PROVIDER = server.BatchingServer(Records(), metadata_registry=registry, resumption_batch_size=LIMIT)


def application(environment, start_response):
    path = environment['PATH_INFO']
    if path.endswith('/nothing'):
        body = b'<nothing/>'
    elif path.endswith('/rows'):
        body = b'<rows size="%d"/>' % len(page('listrecords', None, None, 0, LIMIT))
    else:
        body = PROVIDER.handleRequest(dict(parse_qsl(environment['QUERY_STRING'])))
        body = body.replace(b'<resumptionToken>', b'<resumptionToken completeListSize="%d">' % SIZE)
    start_response('200 OK', [('Content-Type', 'text/xml; charset=UTF-8'), ('Content-Length', str(len(body)))])
    return [body]
