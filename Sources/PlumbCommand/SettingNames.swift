import Plumb

extension Setting {
  /// What the command calls settings: the one list of them.
  static let flags = [Setting: String](
    uniqueKeysWithValues: allCases.map { ($0, $0.flag) })

  private var flag: String {
    switch self {
    case .layer: "--layer"
    case .xColumn: "--x"
    case .yColumn: "--y"
    case .crs: "--crs"
    case .outCRS: "--out-crs"
    case .unit: "--unit"
    case .geodesic: "--geodesic"
    case .encoding: "--encoding"
    case .strict: "--strict"
    case .allowOutside: "--allow-outside"
    case .allowHost: "--allow-host"
    case .token: "--token"
    case .overwrite: "--overwrite"
    case .output: "-o"
    case .format: "--of"
    case .id: "--id"
    case .time: "--time"
    case .maxAhead: "--max-ahead"
    case .valveLayer: "--valve-layer"
    case .condition: "--condition"
    case .filter: "--filter"
    case .pixel: "--pixel"
    case .feature: "--feature"
    case .at: "--at"
    case .location: "--location"
    case .fence: "--fence"
    }
  }
}

extension Wording {
  /// The text as the command says it.
  var line: String { text(Setting.flags) }
}

extension SourceUse {
  /// What the command calls uses.
  static let verbs: [SourceUse: String] = [
    .points: "identify --points", .buffer: "buffer", .fences: "monitor --fences",
    .bufferedFences: "monitor --fences with --buffer", .feed: "monitor --feed",
    .feature: "eval --feature", .location: "eval --location",
    .trace: "trace --type (isolation, upstream and others)", .segments: "trace --segments",
    .simulation: "monitor --feed with --simulate",
  ]
}
