import Foundation
import PlumbFormats
import PlumbIO
import PlumbTestSupport

/// Networks and valve layers from text, bytes and shared files.
enum EPANETText {
  static func network(_ text: String) throws(FormatError) -> EPANETNetwork {
    try network(Array(text.utf8))
  }

  static func network(_ bytes: [UInt8]) throws(FormatError) -> EPANETNetwork {
    // Closures lose the type of thrown errors.
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(FormatError) in try EPANETNetwork(bytes) }
    }.get()
  }

  static func layer(_ text: String, of network: EPANETNetwork) throws(FormatError)
    -> EPANETValveLayer
  {
    try Array(text.utf8).withUnsafeBytes { bytes in
      Result { () throws(FormatError) in try EPANETValveLayer(bytes, of: network) }
    }.get()
  }

  /// The error's line if the text cannot be read; nil if it can be read.
  static func fault(_ text: String) -> String? {
    do throws(FormatError) {
      _ = try network(text)
      return nil
    } catch {
      return error.description
    }
  }

  /// Published networks and valve layers; nil if they are absent.
  static var folder: String? {
    guard let data = TestPaths.data else { return nil }
    let path = data + "/networks/wntr"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    guard let folder else { return [] }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
  }
}

extension EPANETNetwork {
  func count(_ kind: NodeKind) -> Int { nodes.count { $0.kind == kind } }
  func count(_ kind: LinkKind) -> Int { links.count { $0.kind == kind } }

  /// All properties of a link except its line.
  func described(_ id: String) -> String {
    guard let index = link(id) else { return "none" }
    let link = links[index]
    let setting = link.setting.map { " \($0)" } ?? ""
    let type = link.valveType.map { " \($0.rawValue)" } ?? ""
    return
      "\(link.kind.rawValue) \(nodes[link.start].id)-\(nodes[link.end].id) \(link.length) "
      + "\(link.diameter) \(link.roughness) \(link.minorLoss) \(link.status.rawValue)"
      + type + setting
  }
}
