import PlumbCore
import PlumbRaster

extension IdentifiedFeature {
  /// Returns the value of the field with the given name; nil if no field matches. An exact match
  /// takes precedence over a case-insensitive match. A null value is returned as `.null`.
  public subscript(name: String) -> FieldValue? { feature[name, in: fields] }
}

extension RasterCell {
  /// Returns the value of the attribute with the given name, such as `Band_0` or `Class_0`; nil if
  /// no attribute matches. An exact match takes precedence over a case-insensitive match.
  public subscript(name: String) -> Value? {
    if let exact = attributes.first(where: { $0.name == name }) { return exact.value }
    let folded = name.lowercased()
    return attributes.first { $0.name.lowercased() == folded }?.value
  }
}

extension RasterCell.Value {
  /// The value as an attribute of a feature.
  ///
  /// An integer outside the range of `Int64` is converted to `.json`. A 32-bit float is converted
  /// to the double with the same shortest decimal representation, so that 0.1 remains 0.1. A
  /// complex number is converted to text such as `1.5+2i`.
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
  /// The value of a feature's field or of a cell's attribute, by name; nil if there is none.
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

// MARK: Descriptions

extension RasterCell.Value: CustomStringConvertible {
  /// The value as text; a float has its shortest decimal representation.
  public var description: String {
    if case .cell(let value) = self { value.description } else { fieldValue.description }
  }
}

extension RasterCell: CustomStringConvertible {
  /// The attributes in their order, such as `Pixel.Type: int16, Band_0: 1478`.
  public var description: String {
    attributes.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
  }
}

extension IdentifiedFeature: CustomStringConvertible {
  /// The fields in their order, such as `NAME: Ward 34, POP: 28609`. A distance above 0 follows,
  /// rounded to a tenth of a metre, such as `(221.8 m)`.
  public var description: String {
    let values = attributes.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    return distance > 0 ? values + " (\((distance * 10).rounded() / 10) m)" : values
  }
}

extension GeoElement: CustomStringConvertible {
  /// The description of the cell or feature.
  public var description: String {
    switch self {
    case .cell(let cell): cell.description
    case .feature(let feature): feature.description
    }
  }
}
