import Plumb

/// Selects the layers of a map for a request.
struct LayerChoice {
  let service: MapService

  /// Returns the leaf layers that the parameter `layers` of an identify request selects, with the
  /// topmost layer first, and whether the first layer with a result ends the search.
  ///
  /// - Parameter scale: the scale denominator; nil if unknown.
  func requested(
    _ text: String?, scale: Double?
  ) throws(ServiceError) -> (layers: [ServiceLayer], isFirstOnly: Bool) {
    let text = text?.trimmingASCIISpace() ?? "top"
    let word = text.prefix { $0 != ":" }.trimmingCharacters
    let list = text.dropFirst(text.prefix { $0 != ":" }.count + 1)
    let isBareList = Int(word.prefix { $0 != "," }) != nil
    let mode = isBareList ? "all" : word.lowercased()
    guard ["top", "visible", "all"].contains(mode) else {
      throw ServiceError("'layers' parameter is invalid: \(text.shown)")
    }
    let numbers = try numbers(isBareList ? text : String(list))
    var leaves = service.layers.filter { $0.isFeatures || $0.isRaster }
      .sorted { $0.rank < $1.rank }
    if !numbers.isEmpty {
      let included = Set(numbers.flatMap { leavesBelow($0).map(\.number) })
      leaves = leaves.filter { included.contains($0.number) }
    }
    if mode != "all" {
      leaves = service.map.withLock { leaves.filter { isDrawn($0, scale: scale) } }
    }
    return (leaves, mode == "top")
  }

  /// Returns the paths of the leaf layers that the option `layers` of a plain request selects, such
  /// as `show:1,4`; nil if `text` is nil. Layers outside their scale ranges are omitted. Invisible
  /// layers are included.
  func named(_ text: String?, scale: Double?) throws(ServiceError) -> Set<String>? {
    guard let text = text?.trimmingASCIISpace() else { return nil }
    guard text.lowercased().hasPrefix("show:") else {
      throw ServiceError("layers: expected layer numbers, for example show:1,4", kind: .badOption)
    }
    let leaves = try numbers(String(text.dropFirst("show:".count))).flatMap { leavesBelow($0) }
    return service.map.withLock { Set(leaves.filter { isInScale($0, scale) }.map(\.path)) }
  }

  private func isInScale(_ layer: ServiceLayer, _ scale: Double?) -> Bool {
    guard let scale else { return true }
    var next: ServiceLayer? = layer
    while let current = next {
      guard current.layer.properties.scaleRange.contains(scale) else { return false }
      next = current.parent.map { service.layers[$0] }
    }
    return true
  }

  private func numbers(_ text: String) throws(ServiceError) -> [Int] {
    var numbers: [Int] = []
    for part in text.split(separator: ",") {
      guard let number = Int(String(part).trimmingASCIISpace()),
        service.layers.indices.contains(number)
      else {
        throw ServiceError("'layers' parameter is invalid: there is no layer \(String(part).shown)")
      }
      numbers.append(number)
    }
    return numbers
  }

  private func leavesBelow(_ number: Int) -> [ServiceLayer] {
    let layer = service.layers[number]
    return layer.children.isEmpty ? [layer] : layer.children.flatMap { leavesBelow($0) }
  }

  /// Whether a layer and its ancestors are visible and in range at a scale. Call this method within
  /// `Map.withLock`.
  private func isDrawn(_ layer: ServiceLayer, scale: Double?) -> Bool {
    var next: ServiceLayer? = layer
    while let current = next {
      let isInRange = scale.map { current.layer.properties.scaleRange.contains($0) } ?? true
      guard current.layer.isVisible, isInRange else { return false }
      next = current.parent.map { service.layers[$0] }
    }
    return true
  }

  /// Returns the layers that the parameter `layers` of an export selects, with their ancestors; nil
  /// for the visible layers.
  func shown(_ text: String?) throws(ServiceError) -> Set<ObjectIdentifier>? {
    guard let text = text?.trimmingASCIISpace(), !text.isEmpty else { return nil }
    guard let colon = text.firstIndex(of: ":") else {
      throw ServiceError("'layers' parameter is invalid: \(text.shown)")
    }
    let mode = text[..<colon].lowercased()
    // Unknown numbers are ignored, because clients may use the numbers of an older state of the
    // map.
    let numbers = text[text.index(after: colon)...].split(separator: ",").compactMap {
      Int(String($0).trimmingASCIISpace())
    }.filter { service.layers.indices.contains($0) }
    // Clients send an empty list to select the visible layers.
    if text.index(after: colon) == text.endIndex { return nil }
    let named = Set(numbers.flatMap { leavesBelow($0).map(\.number) })
    let leaves = service.layers.filter(\.children.isEmpty)
    let usual = service.map.withLock { leaves.filter { isDrawn($0, scale: nil) }.map(\.number) }
    let chosen: Set<Int>
    switch mode {
    case "show": chosen = named
    case "hide", "exclude": chosen = Set(usual).subtracting(named)
    case "include": chosen = Set(usual).union(named)
    default: throw ServiceError("'layers' parameter is invalid: \(text.shown)")
    }
    var shown: Set<ObjectIdentifier> = []
    for number in chosen {
      var next: ServiceLayer? = service.layers[number]
      while let current = next {
        shown.insert(ObjectIdentifier(current.layer))
        next = current.parent.map { service.layers[$0] }
      }
    }
    return shown
  }
}

extension Substring {
  fileprivate var trimmingCharacters: String { String(self).trimmingASCIISpace() }
}
