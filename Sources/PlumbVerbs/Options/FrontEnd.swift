import PlumbCore

/// A program or interface that offers Plumb's verbs.
package enum FrontEnd: String, CaseIterable, Sendable {
  /// `plumb`.
  case command
  /// The C interface, and the Python interface that uses it.
  case library
  /// The plain JSON interface of the server, under `/api`.
  case service

  /// The spelling of an option, such as `--filter-category`, `filter_category` or
  /// `filter-category`.
  package func spelling(of option: Setting) -> String {
    switch self {
    case .command:
      switch option {
      case .output: "-o"
      case .format: "--of"
      case .file: "-f"
      // Positional arguments are spelled as in the usage.
      case .expression: "EXPR"
      case .input: "INPUT"
      case .network: "NETWORK"
      case .rasters: "RASTERS"
      case .map: "MAP"
      case .paths: "PATHS"
      default: "--" + option.rawValue
      }
    case .library:
      switch option {
      case .band: "bands"
      case .resampling: "method"
      case .from: "start"
      case .to: "end"
      case .rasterFence: "raster_fences"
      case .noInitial: "initial"
      default: option.rawValue.replacing("-", with: "_")
      }
    case .service: option.rawValue
    }
  }

  /// The spellings of all options, for help.
  var allSpellings: [Setting: String] {
    Dictionary(uniqueKeysWithValues: Setting.allCases.map { ($0, spelling(of: $0)) })
  }
}
