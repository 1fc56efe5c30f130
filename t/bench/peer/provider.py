# SPDX-License-Identifier: MIT
# The peer `python`: a provider of OAI-PMH in Python upon lxml and psycopg2, served by uWSGI over bench.peer. Debian has no library
# for providers but Perl's, so verbs and tokens are written here, as quick as lxml allows and quicker than providers are: a record of
# each shape is built once, then copied and filled, in half the time; a page is one statement, prepared and planned once, in one round
# trip without a transaction, and goes on by the index where the page before ended; each worker counts a list once.
# Of the processor time of a page of 100, lxml's tree takes 46 %, writing it 12, psycopg2 5, uWSGI and the kernel 20, PostgreSQL 9,
# nginx 8. Templates (Jinja) would save a quarter of it, but write whatever is in the columns, well-formed or not.
#   PEER_CONNINFO   PostgreSQL     PEER_URL   the address that harvesters use     PEER_LIMIT   records per page
# /python/nothing is answered by uWSGI and Python alone; /python/rows reads the rows of a first page without writing a page.
import base64
import copy
import datetime
import functools
import os
import re
import time
from urllib.parse import parse_qsl

import psycopg2
from lxml import etree

BASE_URL = os.environ['PEER_URL']
LIMIT = int(os.environ['PEER_LIMIT'])
IDENTIFIER = 'oai:example.org:'
FOR_EVER = '9999-12-31T23:59:59Z'
XML_CHARACTERS = re.compile('[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*')
PREFIX = re.compile(r"[\w.!~*'()-]+", re.ASCII)
SET = re.compile(f'{PREFIX.pattern}(:{PREFIX.pattern})*', re.ASCII)
XSI = '{http://www.w3.org/2001/XMLSchema-instance}'
OAI = '{http://www.openarchives.org/OAI/2.0/}'
OAI_DC = '{http://www.openarchives.org/OAI/2.0/oai_dc/}'
DC = '{http://purl.org/dc/elements/1.1/}'
OAI_DC_XSD = 'http://www.openarchives.org/OAI/2.0/oai_dc.xsd'

# Each verb's required and optional arguments; a token excludes all others.
ARGUMENTS = {
    'Identify': ([], []),
    'ListMetadataFormats': ([], ['identifier']),
    'ListSets': ([], ['resumptionToken']),
    'GetRecord': (['identifier', 'metadataPrefix'], []),
    'ListIdentifiers': (['metadataPrefix'], ['from', 'until', 'set', 'resumptionToken']),
    'ListRecords': (['metadataPrefix'], ['from', 'until', 'set', 'resumptionToken']),
}

HEADER = 'id, datestamp, deleted, setspec'
COLUMNS = ('title', 'identifier', 'publisher', 'date', 'type', 'format', 'source')
RECORD = f"{HEADER}, {', '.join(COLUMNS)}, relation"
PAGE = f'''from bench.peer where (datestamp, id) > ($1, $2) and datestamp <= $3 order by datestamp, id limit {LIMIT + 1}'''
connection = psycopg2.connect(os.environ['PEER_CONNINFO'])
connection.autocommit = True
cursor = connection.cursor()
cursor.execute(f'''set plan_cache_mode = force_generic_plan;
                   prepare one (text) as select {RECORD} from bench.peer where id = $1;
                   prepare listidentifiers (text, text, text) as select {HEADER} {PAGE};
                   prepare listrecords (text, text, text) as select {RECORD} {PAGE};
                   prepare size (text, text) as select count(*) from bench.peer where datestamp between $1 and $2;
                   prepare earliest as select coalesce(min(datestamp), '1970-01-01T00:00:00Z') from bench.peer''')


class Fault(Exception):
    """What is answered by an <error>: its code, and why."""


def query(statement, *values):
    cursor.execute(f"execute {statement}" + (f"({', '.join(['%s'] * len(values))})" if values else ''), values)
    return cursor.fetchall()


# The table is only read while it is served.
@functools.lru_cache(maxsize=1000)
def list_size(begin, until):
    return query('size', begin, until)[0][0]


def element(parent, name, text=None):
    made = etree.SubElement(parent, name)
    made.text = text
    return made


def empty_answer():
    root = etree.Element(OAI + 'OAI-PMH', nsmap={None: OAI[1:-1], 'xsi': XSI[1:-1]})
    root.set(XSI + 'schemaLocation', OAI[1:-1] + ' http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd')
    element(root, OAI + 'responseDate')
    element(root, OAI + 'request', BASE_URL)
    return root


# A header of one shape: so many sets.
@functools.lru_cache(maxsize=1000)
def empty_header(deleted, sets):
    header = etree.Element(OAI + 'header', nsmap={None: OAI[1:-1]})
    if deleted:
        header.set('status', 'deleted')
    for name in ['identifier', 'datestamp'] + sets * ['setSpec']:
        element(header, OAI + name)
    return header


# A record of one shape: with these elements of Dublin Core.
@functools.lru_cache(maxsize=1000)
def empty_record(sets, columns, relations):
    record = etree.Element(OAI + 'record', nsmap={None: OAI[1:-1]})
    record.append(copy.deepcopy(empty_header(False, sets)))
    dc = etree.SubElement(element(record, OAI + 'metadata'), OAI_DC + 'dc', nsmap={'oai_dc': OAI_DC[1:-1], 'dc': DC[1:-1], 'xsi': XSI[1:-1]})
    dc.set(XSI + 'schemaLocation', OAI_DC[1:-1] + ' ' + OAI_DC_XSD)
    for name in columns + relations * ('relation',):
        element(dc, DC + name)
    return record


ANSWER = empty_answer()


def fill_header(header, row):
    for child, text in zip(header, (IDENTIFIER + row[0], row[1], *(row[3] or ()))):
        child.text = text
    return header


def header_of(row):
    return fill_header(copy.deepcopy(empty_header(row[2], len(row[3] or ()))), row)


def record_of(row):
    if row[2]:
        record = etree.Element(OAI + 'record')
        record.append(header_of(row))
        return record
    relations = row[11] or []
    columns = tuple([name for name, value in zip(COLUMNS, row[4:]) if value is not None])
    record = copy.deepcopy(empty_record(len(row[3] or ()), columns, len(relations)))
    header, metadata = record
    fill_header(header, row)
    for child, text in zip(metadata[0], [value for value in row[4:11] if value is not None] + relations):
        child.text = text
    return record


def find(identifier):
    rows = query('one', identifier[len(IDENTIFIER):]) if identifier.startswith(IDENTIFIER) else []
    if not rows:
        raise Fault('idDoesNotExist', 'There is no such record.')
    return rows[0]


def identify(root, arguments):
    about = element(root, OAI + 'Identify')
    for name, text in (('repositoryName', 'The peer'), ('baseURL', BASE_URL), ('protocolVersion', '2.0'), ('adminEmail', 'admin@example.org'),
                       ('earliestDatestamp', EARLIEST), ('deletedRecord', 'persistent'), ('granularity', 'YYYY-MM-DDThh:mm:ssZ')):
        element(about, OAI + name, text)


def list_metadata_formats(root, arguments):
    if 'identifier' in arguments:
        find(arguments['identifier'])
    only = element(element(root, OAI + 'ListMetadataFormats'), OAI + 'metadataFormat')
    for name, text in (('metadataPrefix', 'oai_dc'), ('schema', OAI_DC_XSD), ('metadataNamespace', OAI_DC[1:-1])):
        element(only, OAI + name, text)


def list_sets(root, arguments):
    if not SET.fullmatch(arguments.get('set', 'any')):
        raise Fault('badArgument', 'That is no setSpec.')
    raise Fault('noSetHierarchy', 'There are no sets to select by.')


def get_record(root, arguments):
    check_prefix(arguments)
    element(root, OAI + 'GetRecord').append(record_of(find(arguments['identifier'])))


def list_headers(root, arguments):
    list_page(element(root, OAI + 'ListIdentifiers'), 'listidentifiers', header_of, arguments)


def list_records(root, arguments):
    list_page(element(root, OAI + 'ListRecords'), 'listrecords', record_of, arguments)


def list_page(into, statement, make, arguments):
    token = arguments.get('resumptionToken')
    size, before, until, datestamp, identifier = begin_list(arguments) if token is None else read_token(token)
    rows = query(statement, datestamp, identifier, until)
    if not rows:
        raise Fault('noRecordsMatch', 'No record was changed in that time.')
    into.extend([make(row) for row in rows[:LIMIT]])
    if len(rows) > LIMIT or before > 0:
        last = rows[LIMIT - 1] if len(rows) > LIMIT else None
        after = element(into, OAI + 'resumptionToken', last and write_token(size, before + LIMIT, until, last[1], last[0]))
        after.set('completeListSize', str(size))
        after.set('cursor', str(before))


# A list goes on behind a datestamp and an identifier. No identifier is empty, so '' is before the first of a datestamp.
def begin_list(arguments):
    check_prefix(arguments)
    if 'set' in arguments:
        list_sets(None, arguments)
    begin, until = arguments.get('from'), arguments.get('until')
    if begin and until and (len(begin) != len(until) or begin > until):
        raise Fault('badArgument', 'from and until should have one granularity, and from should be the earlier.')
    begin = date_of(begin, 'T00:00:00Z') if begin else ''
    until = date_of(until, 'T23:59:59Z') if until else FOR_EVER
    return list_size(begin, until), 0, until, begin, ''


def date_of(text, rest_of_day):
    if not re.fullmatch(r'\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?', text, re.ASCII):
        raise Fault('badArgument', 'That is no date.')
    whole = text if len(text) > 10 else text + rest_of_day
    try:
        datetime.datetime.strptime(whole, '%Y-%m-%dT%H:%M:%SZ')
    except ValueError:
        raise Fault('badArgument', 'There is no such date.')
    return whole


def write_token(*parts):
    return base64.urlsafe_b64encode('\n'.join(map(str, parts)).encode()).decode()


def read_token(token):
    try:
        size, before, until, datestamp, identifier = base64.urlsafe_b64decode(token).decode().split('\n')
        return int(size), int(before), until, datestamp, identifier
    except ValueError:
        raise Fault('badResumptionToken', 'That token is not of this provider.')


def check_prefix(arguments):
    if not PREFIX.fullmatch(arguments['metadataPrefix']):
        raise Fault('badArgument', 'That is no metadataPrefix.')
    if arguments['metadataPrefix'] != 'oai_dc':
        raise Fault('cannotDisseminateFormat', 'There is oai_dc only.')


VERBS = {'Identify': identify, 'ListMetadataFormats': list_metadata_formats, 'ListSets': list_sets, 'GetRecord': get_record,
         'ListIdentifiers': list_headers, 'ListRecords': list_records}
EARLIEST = query('earliest')[0][0]


def check(arguments, pairs):
    verb = arguments.get('verb')
    if len(arguments) != len(pairs) or verb not in VERBS:
        raise Fault('badVerb' if verb not in VERBS or [name for name, _ in pairs].count('verb') > 1 else 'badArgument', 'No such request.')
    required, optional = ARGUMENTS[verb]
    given = arguments.keys() - {'verb'}
    whole = given == {'resumptionToken'} if 'resumptionToken' in given else given.issuperset(required)
    if not whole or not given.issubset(required + optional) or not all(map(XML_CHARACTERS.fullmatch, arguments.values())):
        raise Fault('badArgument', f"{verb} needs {required} and may have {optional}; resumptionToken goes alone.")


def answer(text):
    pairs = parse_qsl(text, keep_blank_values=True)
    arguments = dict(pairs)
    root = copy.deepcopy(ANSWER)
    date, request = root
    date.text = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())
    try:
        check(arguments, pairs)
        for name, value in arguments.items():
            request.set(name, value)
        VERBS[arguments['verb']](root, arguments)
    except Fault as fault:
        code, why = fault.args
        del root[2:]
        if code in ('badVerb', 'badArgument'):
            request.attrib.clear()
        element(root, OAI + 'error', why).set('code', code)
    return etree.tostring(root, encoding='UTF-8', xml_declaration=True)


def application(environment, start_response):
    path = environment['PATH_INFO']
    if path.endswith('/nothing'):
        body = b'<nothing/>'
    elif path.endswith('/rows'):
        body = b'<rows size="%d"/>' % len(query('listrecords', '', '', FOR_EVER))
    elif environment['REQUEST_METHOD'] == 'POST':
        body = answer(environment['wsgi.input'].read(int(environment.get('CONTENT_LENGTH') or 0)).decode())
    else:
        body = answer(environment['QUERY_STRING'])
    start_response('200 OK', [('Content-Type', 'text/xml; charset=UTF-8'), ('Content-Length', str(len(body)))])
    return [body]
