import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry

/// The features of a file, of standard input or of a list of places, one batch after another.
final class FeatureInput {
  struct Options {
    /// A file, or `-` for standard input.
    var path: String
    var x: String?
    var y: String?
    var layer: String?
    /// What the coordinates are in, whatever the input says; nil believes the input.
    var reference: SpatialReference?
  }

  let source: any FeatureSource
  /// What one feature is called in messages, where it is counted from 1.
  let noun: String
  /// The columns as an OGR layer declares them.
  let vectorFields: [VectorField]
  /// The files that are read.
  let files: [String]
  private let bytes: ByteInput?
  private var count = 0

  private init(
    _ source: any FeatureSource, noun: String, vectorFields: [VectorField]? = nil,
    files: [String] = [], bytes: ByteInput? = nil
  ) {
    self.source = source
    self.noun = noun
    self.vectorFields = vectorFields ?? source.fields.map { VectorField($0) }
    self.files = files
    self.bytes = bytes
  }

  /// Places that are at hand.
  static func places(_ places: [SIMD2<Double>], reference: SpatialReference) -> FeatureInput {
    FeatureInput(PlaceListSource(places, reference: reference), noun: "place")
  }

  /// Opens a file: delimited text by its extension, else whatever OGR opens. A stream is delimited
  /// text unless it starts like JSON, which is kept in a temporary file since OGR goes through it
  /// more than once.
  static func open(_ options: Options) throws -> FeatureInput {
    let path = options.path
    let isVirtual = path.hasPrefix("/vsi")
    let isStream = path == "-" || !isVirtual && FileKind(path: path) == .stream
    let lower = path.lowercased()
    let isDelimited = [".csv", ".tsv", ".tab", ".txt", ".ssv"].contains { lower.hasSuffix($0) }
    guard isVirtual || isStream || FileKind(path: path) != nil || path.contains(":") else {
      throw PlumbError("no such file: \(path.printable)")
    }
    guard isStream || isDelimited && FileKind(path: path) == .file && !isVirtual else {
      return try vector(path, options)
    }
    let input = try PeekedInput(path: path)
    // MapInfo's tables have the extension of tab-separated text.
    if !isStream, input.starts(with: "!table") { return try vector(path, options) }
    if isStream, !isDelimited, input.startsLikeJSON {
      let copy = try input.rewindable()
      try copy.rewind()
      return try vector(copy.input.devicePath, options, copy.input)
    }
    if options.layer != nil {
      throw PlumbError("--layer is for files with layers; \(path.printable) has none")
    }
    let source = try DelimitedFeatureSource(input, isTab: lower.hasSuffix(".tsv"), options)
    return FeatureInput(source, noun: "row", files: [path], bytes: input.input)
  }

  private static func vector(
    _ path: String, _ options: Options, _ copy: ByteInput? = nil
  ) throws -> FeatureInput {
    let reader = try VectorFeatureReader(
      path: path, layer: options.layer, reference: options.reference)
    var source: any FeatureSource = reader
    if options.x != nil || options.y != nil || !reader.hasGeometry {
      source = try ColumnPlaceSource(reader, options)
    }
    return FeatureInput(
      source, noun: "feature", vectorFields: reader.vectorFields, files: [path] + reader.files,
      bytes: copy)
  }

  /// The next features and how much of the input has then been read, 0 to 1, nil when nobody knows
  /// how much there is; nil at the end.
  func next(limit: Int) throws -> (features: [Feature], share: Double?)? {
    guard let features = try source.next(limit: limit) else { return nil }
    count += features.count
    if let total = source.featureCount {
      return (features, total == 0 ? 1 : Double(count) / Double(total))
    }
    guard let bytes, let total = bytes.byteCount, total > 0 else { return (features, nil) }
    return (features, Double(bytes.position) / Double(total))
  }
}
