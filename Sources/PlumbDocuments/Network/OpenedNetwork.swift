import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbNetwork
import PlumbSources

/// An opened network, with the default settings for traces.
public struct OpenedNetwork: Sendable {
  /// The form of a network's source.
  public enum Form: String, Sendable {
    /// An EPANET input file.
    case epanet = "EPANET"
    /// A network document: a utility network's definition with the layers of its features.
    case document = "network document"
    /// A document that maps plain lines and points to a network.
    case mapping = "plain mapping"
  }

  /// The network, ready for traces.
  public let network: UtilityNetwork
  /// The form of the source.
  public let form: Form
  /// The file or document that was opened.
  public let path: String
  /// The CRS of the coordinates; nil if unknown.
  public internal(set) var spatialReference: SpatialReference?
  /// Warnings about possible mistakes in the data, one line each.
  public internal(set) var warnings: [String]
  /// The files that were read.
  public let files: [String]
  /// The controllers, in the order of the files.
  public let controllers: [Controller]
  /// The default filter barriers, for traces without a filter: the valves of the valve layer; nil
  /// if there is no valve layer.
  public let defaultFilter: TraceCondition?
  /// The inoperable valves of the valve layer, which no isolation closes.
  public private(set) var inoperable: [NetworkElement] = []
  /// The valves of `inoperable` that are open, and remain open when all other valves are closed.
  public private(set) var stuckOpen: [NetworkElement] = []

  /// The maximum distance of near misses; 0 if elements are not connected by location.
  package var nearness = 0.0

  /// A device that starts or ends subnetworks.
  public struct Controller: Sendable {
    /// The device, by its source and global id.
    public var element: ElementName
    /// The terminal, and the tier and subnetwork that start or end at the terminal.
    public var controller: SubnetworkController
  }

  /// Reports the progress of reading features: the completed fraction, if known, and the number of
  /// features read so far.
  public typealias Progress = (_ share: Double?, _ features: Int) -> Void

  /// Opens an EPANET file, a network document, a plain mapping, or the feature service of a network by
  /// its address.
  ///
  /// - Parameters:
  ///   - path: the file, document or address.
  ///   - valveLayer: a table of isolation valves for an EPANET network, with the columns `link` and
  ///     `node`, and optionally `status` and `operable`.
  ///   - access: the files and hosts that a document may access.
  ///   - signIn: the credentials for requests to services; nil for none.
  ///   - isStrict: whether a fault of a single feature is an error. Faults are a missing geometry,
  ///     an empty or duplicate id, several junctions at one point, and an association of a missing
  ///     element. If false, such features are omitted or connected as far as possible, and a
  ///     warning contains the number of faults and the first faults.
  ///   - progress: called periodically while features are read.
  /// - Throws: a one-line error with the file and the position in the file.
  public static func open(
    path: String, valveLayer: String? = nil, access: DocumentAccess = .folder,
    signIn: SignIn? = nil, isStrict: Bool = false, progress: @escaping Progress = { _, _ in }
  ) throws -> OpenedNetwork {
    guard let form = try form(of: path) else {
      // Reports an error in reading the file before any other error.
      _ = try DocumentFile(startOf: path, limit: 0)
      throw PlumbError(
        "\(path.printable) is not a network: expected an EPANET file (.inp), a network document "
          + "(layerDataElements, dataElement or definition, with sources) or a plain mapping "
          + "(lines and points) in JSON")
    }
    guard form == .epanet else {
      if valveLayer != nil {
        throw PlumbError(
          messageTemplate:
            "\(.valveLayer) is only for an EPANET network; \(path.printable) is not one",
          code: .badOption)
      }
      return try NetworkDocument.open(
        path: path, form: form, access: access, signIn: signIn, isStrict: isStrict,
        progress: progress)
    }
    let file = try EPANETNetwork.read(path)
    guard !file.nodes.isEmpty else {
      throw PlumbError(
        "\(path.printable): the network has no nodes; they are in [JUNCTIONS], [RESERVOIRS] and "
          + "[TANKS]" + file.unknownSectionAdvice)
    }
    var warnings = file.warnings.map { "\(path.printable): \($0.description)" }
    let isolated = Set(file.nodes.indices).subtracting(
      file.links.lazy.flatMap { [$0.start, $0.end] })
    if let first = isolated.min() {
      let more = isolated.count > 1 ? ", and \(isolated.count - 1) more" : ""
      warnings.append(
        "\(path.printable): no link is at node \(file.nodes[first].id.printable) "
          + "(line \(file.nodes[first].line)\(more))")
    }
    let layer = try valveLayer.map { try EPANETValveLayer.read($0, of: file) }
    if let valveLayer, let columns = layer?.otherColumns, !columns.isEmpty {
      warnings.append(
        "\(valveLayer.printable): the values in \(columns.count == 1 ? "the column" : "the columns") "
          + columns.map(\.printable).joined(separator: ", ")
          + " are ignored; only the columns link, node, status and operable are read")
    }
    var opened = OpenedNetwork(
      network: try EPANETUtility.network(file, valves: layer), form: .epanet, path: path,
      spatialReference: nil, warnings: warnings, files: [path] + (valveLayer.map { [$0] } ?? []),
      controllers: EPANETUtility.controllers(of: file),
      defaultFilter: layer == nil ? nil : .category(EPANETUtility.isolating))
    if let layer {
      (opened.inoperable, opened.stuckOpen) = try EPANETUtility.inoperable(
        layer, of: file, in: opened.network)
    }
    return opened
  }

  /// Returns the form of the network at a path; nil if the path is not a network. Reads only the
  /// start of the file and the members of a document's root.
  ///
  /// - Throws: if the file cannot be read.
  public static func form(of path: String) throws -> Form? {
    if RemoteSession.isAddress(path) { return RemoteNetwork.isNetwork(path) ? .document : nil }
    if path.lowercased().hasSuffix(".inp") { return .epanet }
    if DocumentFile.startsLikeObject(path: path) {
      let file = try DocumentFile(startOf: path)
      let known = { (name: String) in file.hasRootMember(name) }
      if known("layerDataElements") || known("dataElement") || known("definition") {
        return .document
      }
      if known("type") || known("operationalLayers") { return nil }
      return known("lines") || known("points") ? .mapping : nil
    }
    guard DocumentFile.size(of: path) != nil else { return nil }
    return try EPANETNetwork.startsLikeOne(path: path) ? .epanet : nil
  }
}

extension EPANETNetwork {
  package static func read(_ path: String) throws -> EPANETNetwork {
    try Self.withBytes(of: path) { try EPANETNetwork($0) }
  }

  /// Whether the first line that is not a comment is the heading of a section with which an EPANET file can
  /// begin.
  static func startsLikeOne(path: String) throws -> Bool {
    guard let file = try? DocumentFile(startOf: path, limit: 1 << 16) else { return false }
    let text = String(decoding: file.bytes, as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).lazy.map { $0.drop { $0.isWhitespace } }
    guard let first = lines.first(where: { !$0.isEmpty && $0.first != ";" }) else { return false }
    let heads = ["[TITL", "[JUNC", "[RESE", "[TANK", "[PIPE", "[OPTI"]
    return heads.contains { first.uppercased().hasPrefix($0) }
  }

  /// - Throws: an error in the file, prefixed with the file's path.
  fileprivate static func withBytes<R>(
    of path: String, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    let file = try DocumentFile(path: path, limit: 4 << 30)
    do {
      return try TextEncoding.utf8(file.bytes).withUnsafeBytes(body)
    } catch let error as FormatError {
      throw PlumbError("\(path.printable)", error, context: FailureContext(file: path))
    }
  }
}

extension EPANETValveLayer {
  fileprivate static func read(
    _ path: String, of network: EPANETNetwork
  ) throws -> EPANETValveLayer {
    try EPANETNetwork.withBytes(of: path) { try EPANETValveLayer($0, of: network) }
  }
}
