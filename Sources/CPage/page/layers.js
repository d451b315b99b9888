// The layers of a map service, with their visibility and scale ranges.

export class LayerSet {
  #nodes = new Map();

  /** @param list the layers of `MapServer?f=json`, including tables. */
  constructor(list, { hide = [], show = [] } = {}) {
    for (const own of list) {
      this.#nodes.set(own.id, {
        id: own.id, name: own.name, type: own.type, geometryType: own.geometryType,
        parent: own.parentLayerId, children: own.subLayerIds ?? [],
        isUsual: own.defaultVisibility !== false, isOn: own.defaultVisibility !== false,
        minScale: own.minScale, maxScale: own.maxScale, legend: [], failure: null,
      });
    }
    for (const id of hide) this.switch(id, false);
    for (const id of show) this.switch(id, true);
  }

  get all() {
    return [...this.#nodes.values()];
  }

  /**
   * The layers from the topmost down, each layer before its sublayers; the layer numbers may have
   * another order.
   */
  get ordered() {
    const ordered = [];
    const add = (node) => {
      ordered.push(node);
      for (const child of this.below(node)) add(child);
    };
    this.roots.forEach(add);
    return ordered;
  }

  get roots() {
    return this.all.filter((node) => !this.#nodes.has(node.parent));
  }

  node(id) {
    return this.#nodes.get(id);
  }

  below(node) {
    return node.children.map((id) => this.#nodes.get(id)).filter(Boolean);
  }

  switch(id, isOn) {
    const node = this.#nodes.get(id);
    if (node) node.isOn = isOn;
  }

  /** The layer and its ancestors, innermost first. */
  line(node) {
    const line = [];
    for (let next = node; next; next = this.#nodes.get(next.parent)) line.push(next);
    return line;
  }

  /** Whether a layer and its ancestors are on. */
  isShown(node) {
    return this.line(node).every((own) => own.isOn);
  }

  /** Whether the scale is in the range of a layer and its ancestors; 0 means unlimited. */
  isInScale(node, scale) {
    return this.line(node).every((own) =>
      (!own.minScale || scale <= own.minScale) && (!own.maxScale || scale >= own.maxScale));
  }

  /** The layers without sublayers that are on. */
  get shownLeaves() {
    return this.all.filter((node) => node.children.length === 0 && this.isShown(node));
  }

  /** The layers whose visibility differs from the map's default, for links. */
  get changed() {
    const other = this.all.filter((node) => node.isOn !== node.isUsual);
    return {
      hide: other.filter((node) => !node.isOn).map((node) => node.id),
      show: other.filter((node) => node.isOn).map((node) => node.id),
    };
  }

  /**
   * The `layers` parameter of requests, without layers that are drawn separately: null for the
   * map's default, an empty string for no layers.
   */
  choice(without = new Set()) {
    const { hide, show } = this.changed;
    if (!hide.length && !show.length && !without.size) return null;
    const ids = this.shownLeaves.map((node) => node.id).filter((id) => !without.has(id));
    return ids.length ? `show:${ids.join(',')}` : '';
  }

  get failureCount() {
    return this.all.filter((node) => node.failure).length;
  }

  /** Stores the layers that the server cannot read, with reasons; returns whether they changed. */
  takeFailures(list) {
    let isNew = false;
    for (const node of this.all) {
      const failure = list.find((own) => own.layer === node.id)?.message ?? null;
      isNew ||= failure !== node.failure;
      node.failure = failure;
    }
    return isNew;
  }

  takeLegend(reply) {
    for (const own of reply.layers ?? []) {
      const node = this.#nodes.get(own.layerId);
      if (node) node.legend = own.legend ?? [];
    }
  }
}
