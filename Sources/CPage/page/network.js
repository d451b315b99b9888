// A utility network: its shapes, and the element at a point.

import { Server } from './server.js';

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
      // A network without a document has no definition.
      this.server.json(this.#service('/queryDataElements')).catch(() => null),
    ]);
    const domains = definition?.layerDataElements?.[0]?.dataElement?.domainNetworks ?? [];
    const structural = new Set(domains.flatMap((domain) => [
      ...domain.junctionSources ?? [], ...domain.edgeSources ?? [],
    ]).filter((source) => structures.test(source.utilityNetworkFeatureClassUsageType ?? ''))
      .map((source) => source.layerId));
    this.layers = (service.layers ?? []).filter(
      (own) => own.geometryType && !structural.has(own.id));
  }

  /** The shapes of all elements, one page per layer, as GeoJSON, to show the network. */
  async shapes() {
    const replies = await Promise.all(this.layers.map((layer) => this.server.json(
      this.#service(`/${layer.id}/query`),
      { query: { f: 'geojson', where: '1=1', outFields: '', outSR: 4326 } }).catch(() => null)));
    return replies.flatMap((own) => own?.features ?? []).filter((own) => own.geometry);
  }

  /**
   * The element nearest to a point, devices and junctions before lines; null if there is none.
   *
   * @param metres The largest distance.
   */
  async locate(latlng, metres) {
    const { value } = await this.server.post('api/locate', {
      network: this.name, at: [latlng.lng, latlng.lat], tolerance: metres,
    });
    const { element } = value;
    if (!element) return null;
    const [lng, lat] = element.at;
    return {
      ...element, lng, lat,
      kind: [element.assetGroup, element.assetType].filter(Boolean).join(', ') || element.source,
    };
  }
}
