import PlumbCore
import PlumbSources

/// The source of each feature's distance.
public enum BufferDistances: Sendable, Hashable {
  /// One distance per feature in the input's order. The last distance applies to all further
  /// features.
  case list([Double])
  /// A column of numbers.
  case field(String)
}

/// Provides the distances of consecutive features.
struct DistanceReader {
  private let distances: BufferDistances
  private let column: Int?
  private let itemName: String
  private var position = 0

  /// - Throws: if the column of the distances does not exist.
  package init(_ distances: BufferDistances, _ input: FeatureInput) throws {
    self.distances = distances
    itemName = input.itemName
    guard case .field(let name) = distances else {
      column = nil
      return
    }
    let names = input.source.fields.map(\.name)
    let exact = names.indices.filter { names[$0] == name }
    let matches =
      exact.isEmpty ? names.indices.filter { names[$0].lowercased() == name.lowercased() } : exact
    guard let first = matches.first else {
      let known = names.prefix(12).map(\.printable).joined(separator: ", ")
      throw PlumbError(
        "there is no field \(name.printable); "
          + (names.isEmpty
            ? "there are no fields" : "the fields are \(known)\(names.count > 12 ? ", …" : "")"))
    }
    guard matches.count == 1 else {
      throw PlumbError("\(matches.count) fields are called \(name.printable); rename one")
    }
    column = first
  }

  /// The number of listed distances; 0 if the distances are in a field.
  var neededCount: Int {
    if case .list(let list) = distances { list.count } else { 0 }
  }

  /// Returns the distances of the next features.
  ///
  /// - Throws: if a feature's field is not a number.
  package mutating func next(_ features: [Feature]) throws -> [Double] {
    defer { position += features.count }
    switch distances {
    case .list(let list):
      guard let last = list.last else { throw PlumbError("a buffer needs a distance") }
      return features.indices.map { position + $0 < list.count ? list[position + $0] : last }
    case .field(let name):
      guard let column else {
        throw PlumbError("there is no field \(name.printable)", code: .notFound)
      }
      var result: [Double] = []
      for (index, feature) in features.enumerated() {
        let value = feature.attributes[column]
        guard let distance = value.number else {
          throw PlumbError(
            "\(itemName) \(position + index + 1): \(name.printable) is \(text(value)); give it a "
              + "number, or leave the \(itemName) out")
        }
        result.append(distance)
      }
      return result
    }
  }

  private func text(_ value: FieldValue) -> String {
    switch value {
    // In delimited text, a null is an empty field.
    case .null where itemName == "row": return "empty"
    case .null: return "null"
    case .text(""): return "empty"
    default:
      let text = value.text.printable
      return "\"\(text.prefix(40))\(text.count > 40 ? "…" : "")\", not a finite number"
    }
  }
}
