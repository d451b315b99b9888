import PlumbCore
import PlumbRaster

extension IdentifiedFeature {
  /// The value of a field by name: the first field with exactly this name, else the first one with
  /// it whatever the letters' case; nil when there is none. A null value is `.null`.
  public subscript(name: String) -> FieldValue? { feature[name, in: fields] }
}

extension RasterCell {
  /// The value of an attribute by name, as `Band_0` or `Class_0`, found as a feature's fields are;
  /// nil when there is none.
  public subscript(name: String) -> Value? {
    if let exact = attributes.first(where: { $0.name == name }) { return exact.value }
    let folded = name.lowercased()
    return attributes.first { $0.name.lowercased() == folded }?.value
  }
}

extension RasterCell.Value {
  /// The value as a feature's attribute would hold it.
  ///
  /// Whole numbers beyond `Int64` are JSON text, a float is the double of its shortest text, so
  /// that 0.1 stays 0.1, and a complex number is a text as `1.5+2i`.
  public var fieldValue: FieldValue {
    switch self {
    case .null: .null
    case .text(let text): .text(text)
    case .real(let real): .real(real)
    case .cell(.signed(let integer)): .integer(integer)
    case .cell(.unsigned(let integer)):
      Int64(exactly: integer).map { .integer($0) } ?? .json(integer.description)
    case .cell(.float32(let real)): .real(Double(real.description) ?? Double(real))
    case .cell(.float64(let real)): .real(real)
    case .cell(let complex): .text(complex.description)
    }
  }
}

extension GeoElement {
  /// The value of a field of a feature or of an attribute of a cell, by name; nil when there is
  /// none.
  ///
  /// ```swift
  /// for element in result.geoElements { print(element["NAME"]?.stringValue ?? "without a name") }
  /// ```
  public subscript(name: String) -> FieldValue? {
    switch self {
    case .feature(let feature): feature[name]
    case .cell(let cell): cell[name]?.fieldValue
    }
  }
}

// MARK: In words

extension RasterCell.Value: CustomStringConvertible {
  /// The value alone, as `fieldValue` says it; a float has its shortest text.
  public var description: String {
    if case .cell(let value) = self { value.description } else { fieldValue.description }
  }
}

extension RasterCell: CustomStringConvertible {
  /// The attributes in their order, as `Pixel.Type: int16, Band_0: 1478`.
  public var description: String {
    attributes.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
  }
}

extension IdentifiedFeature: CustomStringConvertible {
  /// The fields in their order, as `NAME: Ward 34, POP: 28609`, and `(221.8 m)` behind them for a
  /// feature that lies so far from the point, rounded to a tenth.
  public var description: String {
    let values = attributes.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    return distance > 0 ? values + " (\((distance * 10).rounded() / 10) m)" : values
  }
}

extension GeoElement: CustomStringConvertible {
  /// What the cell or the feature says.
  public var description: String {
    switch self {
    case .cell(let cell): cell.description
    case .feature(let feature): feature.description
    }
  }
}
