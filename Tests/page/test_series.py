"""The series of a cell of a layer with dates."""

import json
import re
import shutil

from harness import root


def dated(folder):
    (folder / 'evi').mkdir()
    for day in ('2025001', '2025017', '2025033'):
        shutil.copy(root / 'rasters/evi_cape_town.tif', folder / 'evi' / f'evi_{day}.tif')
    (folder / 'dated.json').write_text(json.dumps({'version': '2.31', 'operationalLayers': [
        {'id': 'evi', 'title': 'evi', 'layerType': 'RasterLayer', 'url': 'evi/*.tif',
         'dates': 'evi_%Y%j'}]}))
    return [str(folder / 'dated.json')]


def test_dates_are_plotted_and_masked_ones_are_hollow(bench):
    page = bench.open(bench.server('dated', dated), '#map=dated&view=18.5,-33.9,12')
    bench.settled()
    bench.tap(18.5, -33.9)
    part = page.locator('#panel-identify').get_by_role('group', name='Series')
    part.get_by_role('button', name='Plot all dates').click()
    plot = part.get_by_role('img', name=re.compile('^Series of evi: 3 dates from 2025-01-01 to 2025-02-02'))
    plot.wait_for()
    assert plot.locator('circle.dot').count() == 3 and plot.locator('circle.hollow').count() == 0
    assert plot.locator('circle title').first.text_content() == '2025-01-01: 1658'
    bench.shot('series')
    part.get_by_label('Valid if').fill('evi < 0')
    page.keyboard.press('Enter')
    part.get_by_role('img', name=re.compile('3 not valid$')).wait_for()
    assert part.locator('circle.hollow').count() == 3
    part.get_by_label('Valid if').fill('nope = 1')
    bench.allow('status of 400')
    page.keyboard.press('Enter')
    part.get_by_text('there is no raster nope').wait_for()


def test_a_map_without_dates_has_no_plot(bench):
    page = bench.open(bench.main(), '#map=cape&view=18.5,-33.9,12')
    bench.settled()
    bench.tap(18.5, -33.9)
    bench.status('elements')
    assert page.get_by_role('group', name='Series').count() == 0
