import Plumb
import PlumbIO

/// Reads the parameter `mosaicRule`, which selects the files of a mosaic and their order.
///
/// Files are numbered from 1 in the order in which they are searched; the first file is the topmost.
enum MosaicRule {
  /// The accepted values by member. Other values are rejected.
  private static let usual: [String: [String]] = [
    "mosaicmethod": ["esrimosaicnone", "none", "esrimosaiclockraster", "lockraster"],
    "mosaicoperation": ["mt_first", "first"], "mosaicoperator": ["mt_first", "first"],
    "ascending": ["true"],
  ]
  private static let lists: Set<String> = ["lockrasterids", "fids"]

  /// - Parameter count: the number of files.
  /// - Returns: the file indices, with the topmost file first; nil for all files in their order.
  static func members(
    _ parameters: Parameters, of count: Int
  ) throws(ServiceError) -> [Int]? {
    guard let tree = try parameters.json("mosaicRule") else { return nil }
    if case .null = tree { return nil }
    guard case .object(let ruleMembers) = tree else {
      throw ServiceError("'mosaicRule' parameter is invalid: expected an object")
    }
    for (name, value) in ruleMembers.sorted(by: { $0.key < $1.key }) {
      let name = name.lowercased()
      guard !lists.contains(name), !isEmpty(value) else { continue }
      let text = value.text ?? value.flag.map { "\($0)" }
      guard let text, usual[name]?.contains(text.lowercased()) == true else {
        throw ServiceError(
          "'mosaicRule' parameter is not supported: \(name.shown) of a mosaic rule; "
            + "choose files with lockRasterIds and fids")
      }
    }
    let locked = try numbers(tree, "lockRasterIds", count)
    let method = tree.member("mosaicMethod")?.text?.lowercased() ?? ""
    if locked == nil, method.hasSuffix("lockraster") {
      throw ServiceError("'mosaicRule' parameter is invalid: lockRasterIds is missing")
    }
    guard let fids = try numbers(tree, "fids", count) else { return locked }
    let objectIDs = Set(fids)
    let chosen = (locked ?? Array(0..<count)).filter { objectIDs.contains($0) }
    guard !chosen.isEmpty else {
      throw ServiceError(
        "'mosaicRule' parameter is invalid: no raster is both in lockRasterIds and in fids")
    }
    return chosen
  }

  private static func isEmpty(_ value: JSONTree) -> Bool {
    switch value {
    case .null: true
    case .text(let text): text.isEmpty
    case .list(let list): list.isEmpty
    case .object(let members): members.isEmpty
    default: false
    }
  }

  /// Returns the file indices for the file numbers in a list, without duplicates; nil for an empty
  /// or missing list.
  private static func numbers(
    _ rule: JSONTree, _ name: String, _ count: Int
  ) throws(ServiceError) -> [Int]? {
    guard let value = rule.member(name) else { return nil }
    let words =
      value.list.map { $0.map { $0.text ?? "" } }
      ?? (value.text ?? "?").split(separator: ",").map { String($0).trimmingASCIISpace() }
    var indices: [Int] = []
    for word in words {
      guard let number = Int(word), (1...count).contains(number) else {
        throw ServiceError(
          "'mosaicRule' parameter is invalid: the raster \(word.shown) in \(name) does not exist; "
            + (count == 1 ? "the only raster is 1" : "rasters are numbered 1 to \(count)"))
      }
      if !indices.contains(number - 1) { indices.append(number - 1) }
    }
    return indices.isEmpty ? nil : indices
  }
}
