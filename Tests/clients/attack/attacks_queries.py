"""Attacks on feature queries: conditions, orders, statistics, pages."""

import json

from harness import MB
from registry import attack

POINTS = 'attack/FeatureServer/0/query'


def where(t, conditions, **more):
    for condition in conditions:
        if not t.server.is_alive:
            return
        answer = t.rest(POINTS, {'where': condition, 'returnCountOnly': 'true', **more})
        t.expect(answer.seconds < t.timeout + 2,
                 f'{condition[:30]} ({len(condition)} letters): {answer.seconds:.1f} s')


@attack('long conditions')
def where_long(t):
    count = t.scale(60_000, 20_000)
    where(t, [' OR '.join(f'NUM = {number}' for number in range(count)),
              ' AND '.join(f'NUM <> {-number}' for number in range(count)),
              'NUM = ' + '+'.join(['1'] * count), 'NUM = 1' + ' ' * (20 * MB),
              "NAME = '" + 'a' * (5 * MB) + "'", 'A' * MB, "NAME || '" + "' || '" * count + "' = ''"])


@attack('deep conditions')
def where_deep(t):
    for depth in (100, 1000, 10_000, 200_000):
        where(t, ['(' * depth + '1=1' + ')' * depth, 'NOT ' * depth + '1=1',
                  'NUM = ' + '-' * depth + '1', 'NUM = ' + 'ABS(' * depth + 'NUM' + ')' * depth,
                  '(' * depth, 'NUM IN (' * depth, 'CASE WHEN ' * depth])


@attack('LIKE with patterns of many %')
def where_like(t):
    where(t, ["NAME LIKE '" + '%a' * count + "%'" for count in (5, 30, 1000, 100_000)]
          + ["NAME LIKE '" + '%' * count + "x'" for count in (10, 1000, 1_000_000)]
          + ["NAME LIKE '" + '_' * 10_000 + "'", "NAME LIKE '%p%l%a%c%e%1%2%_%_%9'",
             ' OR '.join(["NAME LIKE '%a%a%a%a%a%b'"] * 1000),
             "NAME LIKE '%!%' ESCAPE '!'", "NAME LIKE NAME || '%' || NAME"])


@attack('IN with many values, BETWEEN, functions of functions')
def where_lists(t):
    count = t.scale(100_000, 30_000)
    where(t, ['NUM IN (' + ','.join(map(str, range(count))) + ')',
              'NAME IN (' + ','.join(f"'n{number}'" for number in range(count)) + ')',
              'NUM NOT IN (' + ','.join(['NULL'] * count) + ')',
              ' AND '.join(['NUM BETWEEN 0 AND 1e308'] * 3000),
              'UPPER(' * 30 + 'NAME' + ')' * 30 + " = 'A'",
              'CHAR_LENGTH(' + 'CONCAT(NAME,' * 30 + "''" + ')' * 31 + ' > 5',
              'MOD(NUM, 0) = 1', 'NUM / 0 = 1', 'POWER(NUM, 1e308) > 1', 'NUM = 1e999',
              'NUM * 9223372036854775807 > 9223372036854775807', "DATE '99999-99-99' > 1"])


@attack('conditions in all services that accept them, many at once')
def where_flood(t):
    condition = ' OR '.join(f"NAME LIKE '%{a}%{b}%'" for a in 'aeiplc' for b in '0123456789')
    services = [POINTS, 'attack/MapServer/0/query']
    t.repeat(t.scale(10, 3), 24, lambda number: t.rest(
        services[number % 2], {'where': condition + f' OR NUM = {number}',
                               'returnCountOnly': 'true'}))


@attack('SQL that conditions do not accept')
def where_other_sql(t):
    for condition in ("1=1; DROP TABLE points", "1=1 UNION SELECT * FROM sqlite_master", '1=1 --',
                      "NUM = (SELECT MAX(NUM) FROM points)", "load_extension('x')", '1=1 /*',
                      "NAME = 'a' OR 1=1 LIMIT 1", "x'", '"', "''", '\0', 'NUM = ?', '@@version',
                      "readfile('/etc/passwd') = ''", 'NUM = ' + '9' * 10_000, '१ = १'):
        answer = t.rest(POINTS, {'where': condition, 'returnCountOnly': 'true'})
        t.expect(b'root:' not in answer.body, 'a file was read')


@attack('very many statistics and groups')
def statistics_flood(t):
    def statistic(kind, field):
        return {'statisticType': kind, 'onStatisticField': field, 'outStatisticFieldName': 'x'}

    kinds = ('count', 'sum', 'min', 'max', 'avg', 'stddev', 'var')
    lists = [[statistic(kinds[n % 7], 'NUM') for n in range(count)] for count in (100, 101, 50_000)]
    lists += [[statistic('sum', 'NAME')], [statistic('count', '*')] * 100, [{}] * 100_000,
              [statistic('a' * 100_000, 'NUM')]]
    for value in lists:
        for groups in ('', 'NUM', 'NAME,KIND', ','.join(['NUM'] * 101), 'NUM,' * 100_000):
            t.rest(POINTS, {'outStatistics': value, 'groupByFieldsForStatistics': groups})
    t.together(12, lambda number: t.rest(POINTS, {
        'outStatistics': lists[0], 'groupByFieldsForStatistics': 'NUM', 'having': 'SUM(NUM) > -1'}))


@attack('having with long and deep conditions')
def having_conditions(t):
    one = [{'statisticType': 'sum', 'onStatisticField': 'NUM', 'outStatisticFieldName': 's'}]
    for text in ('COUNT(' * 10_000, ' OR '.join(['SUM(NUM) > 1'] * 20_000), '(' * 100_000,
                 'SUM(NUM) > ' + '9' * 100_000, "NAME LIKE '" + '%a' * 1000 + "'"):
        t.rest(POINTS, {'outStatistics': one, 'groupByFieldsForStatistics': 'NUM', 'having': text})


@attack('orders by many fields, distinct values')
def order_flood(t):
    for order in ('NAME DESC', 'NAME,KIND,NUM DESC', ','.join(['NAME'] * 32),
                  ','.join(['NAME'] * 33), 'NAME,' * 200_000, 'nothing', 'NUM ' + 'ASC ' * 10_000):
        t.rest(POINTS, {'where': '1=1', 'orderByFields': order, 'resultRecordCount': '10'})
    t.together(16, lambda number: t.rest(POINTS, {
        'where': '1=1', 'orderByFields': 'NAME DESC,KIND,NUM', 'outFields': '*'}))
    t.together(8, lambda number: t.rest(POINTS, {
        'where': '1=1', 'returnDistinctValues': 'true', 'outFields': '*',
        'returnGeometry': 'false', 'orderByFields': 'NAME'}))


@attack('lists of ids: long, huge, negative')
def many_ids(t):
    count = t.scale(2_000_000, 300_000)
    for text in (','.join(map(str, range(count))), '1,' * count + '1', '9' * 100_000,
                 '-9223372036854775808,9223372036854775807', ',' * MB, '1' + ',' * 100 + '2',
                 json.dumps(list(range(1000))), 'NaN', '1e3', '0x1'):
        for answer in ({}, {'returnIdsOnly': 'true'}, {'returnExtentOnly': 'true'}):
            t.rest(POINTS, {'objectIds': text, **answer})


@attack('offsets and counts at their limits')
def extreme_pages(t):
    numbers = ('0', '-1', '9223372036854775807', '9223372036854775808', '1e18', '199999', '200000',
               'NaN', '', '1.5', '9' * 1000)
    for offset in numbers:
        for count in numbers[::2]:
            t.rest(POINTS, {'where': '1=1', 'resultOffset': offset, 'resultRecordCount': count})
        t.ask('/ogc/collections/attack.points/items', parameters={'offset': offset})
        t.ask('/ogc/collections/attack.points/items', parameters={'limit': offset})


@attack('precision, generalization, fields and CRSs at their limits')
def extreme_outputs(t):
    for more in ({'maxAllowableOffset': '1e308'}, {'maxAllowableOffset': '1e-308'},
                 {'maxAllowableOffset': 'NaN'}, {'geometryPrecision': '18'},
                 {'geometryPrecision': '-1'}, {'outSR': '32661'}, {'outSR': '999999'},
                 {'outFields': 'NAME,' * 100_000}, {'outFields': '"' * 10_000},
                 {'outFields': ','.join(f'F{n}' for n in range(20_000))}, {'outSR': '{"wkt":"' + 'a' * MB},
                 {'f': 'a' * 10_000}, {'f': 'geojson'}, {'f': 'html'}, {'f': 'pbf'},
                 {'callback': 'alert(1)'}, {'time': '0,9' + '9' * 1000}):
        t.rest('attack/FeatureServer/2/query', {'where': '1=1', **more})


@attack('pages of the largest size, as fast as possible')
def query_flood(t):
    t.repeat(t.scale(10, 3), 24, lambda number: t.rest(POINTS, {
        'where': '1=1', 'outFields': '*', 'resultOffset': str(number * 7919 % 190_000),
        'f': 'geojson' if number % 2 else 'json'}))
