// A utility network: the names in its definition, and the element at a point.

import { Server } from './server.js';

const toRadians = Math.PI / 180;
const structures = /Structure|Association|Subnet/;

export class Network {
  layers = [];

  constructor(server, info) {
    this.server = server;
    this.info = info;
  }

  get name() {
    return this.info.name;
  }

  #service(rest = '') {
    return Server.service(this.name, 'FeatureServer', rest);
  }

  async load() {
    const [service, definition] = await Promise.all([
      this.server.json(this.#service()),
      // Networks without a document have no definition: the types of their elements have no names.
      this.server.json(this.#service('/queryDataElements')).catch(() => null),
    ]);
    this.wkid = service.spatialReference?.latestWkid ?? service.spatialReference?.wkid;
    const element = definition?.layerDataElements?.[0]?.dataElement ?? {};
    this.terminals = new Map((element.terminalConfigurations ?? []).map((own) => [
      own.terminalConfigurationId,
      own.terminals.map((terminal) => ({ id: terminal.terminalId, name: terminal.terminalName })),
    ]));
    const sources = new Map((element.domainNetworks ?? []).flatMap((domain) => [
      ...domain.junctionSources ?? [], ...domain.edgeSources ?? [],
    ]).map((source) => [source.layerId, source]));
    this.layers = (service.layers ?? []).filter((own) => own.geometryType).map((own) => {
      const source = sources.get(own.id);
      const usage = source?.utilityNetworkFeatureClassUsageType ?? '';
      return { id: own.id, name: own.name, usage, groups: source?.assetGroups ?? [],
        isLine: own.geometryType === 'esriGeometryPolyline' };
    }).filter((own) => !structures.test(own.usage));
  }

  /** The shapes of all elements, one page per layer, as GeoJSON, to show the network. */
  async shapes() {
    const replies = await Promise.all(this.layers.map((layer) => this.server.json(
      this.#service(`/${layer.id}/query`),
      { query: { f: 'geojson', where: '1=1', outFields: '', outSR: 4326 } }).catch(() => null)));
    return replies.flatMap((own) => own?.features ?? []).filter((own) => own.geometry);
  }

  /**
   * The element nearest to a point, junctions and devices before lines; null for none.
   *
   * @param metres the maximum distance.
   */
  async locate(latlng, metres) {
    const found = await Promise.all(this.layers.map((layer) => this.#near(layer, latlng, metres)));
    const order = (own) => (own.layer.isLine ? 2 : /Device/.test(own.layer.usage) ? 0 : 1);
    const [best] = found.flat().sort((a, b) => order(a) - order(b) || a.away - b.away);
    return best ? this.#element(best) : null;
  }

  async #near(layer, latlng, metres) {
    // A box, as the server only supports distances in networks with a CRS.
    const up = metres / (6_371_000 * toRadians);
    const side = up / Math.cos(latlng.lat * toRadians);
    const reply = await this.server.json(this.#service(`/${layer.id}/query`), {
      query: {
        geometry: [
          latlng.lng - side, latlng.lat - up, latlng.lng + side, latlng.lat + up].join(','),
        geometryType: 'esriGeometryEnvelope', inSR: 4326, outSR: 4326, outFields: '*',
        resultRecordCount: 50,
      },
    });
    return (reply.features ?? []).filter((feature) => feature.geometry).map((feature) => ({
      layer, feature, ...Network.nearest(feature.geometry, latlng),
    })).filter((own) => own.away <= metres);
  }

  /** The nearest point of a shape and, for lines, the fraction along it from the first vertex. */
  static nearest(shape, latlng) {
    const across = Math.cos(latlng.lat * toRadians);
    const metre = 6_371_000 * toRadians;
    const flat = ([x, y]) => [(x - latlng.lng) * across * metre, (y - latlng.lat) * metre];
    if (!shape.paths) {
      const point = [shape.x, shape.y];
      return { point, away: Math.hypot(...flat(point)) };
    }
    let best = { away: Infinity };
    let before = 0;
    for (const path of shape.paths) {
      for (let at = 1; at < path.length; at += 1) {
        const [a, b] = [flat(path[at - 1]), flat(path[at])];
        const side = [b[0] - a[0], b[1] - a[1]];
        const length = Math.hypot(...side);
        const share = length
          ? Math.max(0, Math.min(1, -(a[0] * side[0] + a[1] * side[1]) / length ** 2)) : 0;
        const away = Math.hypot(a[0] + side[0] * share, a[1] + side[1] * share);
        if (away < best.away) {
          const mix = (k) => path[at - 1][k] + (path[at][k] - path[at - 1][k]) * share;
          best = { away, point: [mix(0), mix(1)], along: before + length * share, at, share };
        }
        before += length;
      }
    }
    return { ...best, fraction: before ? best.along / before : 0 };
  }

  async #element({ layer, feature, point, fraction, at, share, away }) {
    const values = new Map(
      Object.entries(feature.attributes).map(([name, value]) => [name.toLowerCase(), value]));
    const id = values.get('globalid') ?? values.get('id') ?? values.get('objectid');
    const group = layer.groups.find((own) => own.assetGroupCode === values.get('assetgroup'));
    const type = group?.assetTypes.find((own) => own.assetTypeCode === values.get('assettype'));
    const element = {
      id: String(id), reference: `${layer.name}:${id}`, isLine: layer.isLine, away, fraction,
      kind: [group?.assetGroupName, type?.assetTypeName].filter(Boolean).join(', ') || layer.name,
      categories: type?.categories ?? [], lng: point[0], lat: point[1],
      terminals: this.terminals.get(type?.terminalConfigurationId) ?? [],
    };
    if (layer.isLine) {
      const own = await this.#ownPoint(layer, feature, point, at, share);
      // A position along a line is given as the point there, in the network's coordinates.
      element.along = `@${own[0]},${own[1]},${!this.wkid || this.wkid === 4326 ? 1e-7 : 0.01}`;
    }
    return element;
  }

  async #ownPoint(layer, feature, point, at, share) {
    if (!this.wkid || this.wkid === 4326 || feature.geometry.paths.length !== 1) return point;
    const entry = Object.entries(feature.attributes).find(([name]) => /^objectid/i.test(name));
    const reply = await this.server.json(this.#service(`/${layer.id}/query`), {
      query: { objectIds: entry[1], outFields: entry[0] },
    });
    const path = reply.features[0].geometry.paths[0];
    return [0, 1].map((k) => path[at - 1][k] + (path[at][k] - path[at - 1][k]) * share);
  }
}
