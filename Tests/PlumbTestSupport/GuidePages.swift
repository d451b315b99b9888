import Foundation

/// The README and the pages by task, whose commands and outputs are tested.
public enum GuidePages {
  /// The paths in the package.
  public static let paths: [String] = {
    let articles = [
      "install", "sample-rasters", "zonal-statistics", "layers", "draw-buffers", "isolate-pipe",
      "watch-fences",
      "draw-maps", "serve-map", "use-from-python", "use-from-swift",
    ]
    return ["README.md"] + articles.map { GuidePages.article($0) }
  }()

  /// The path of an article of the module `Plumb` in the package.
  public static func article(_ name: String) -> String { "Sources/Plumb/Plumb.docc/\(name).md" }

  /// The text of a page.
  public static func text(_ path: String) throws -> String {
    try String(contentsOfFile: TestPaths.root + "/" + path, encoding: .utf8)
  }

  /// The contents of a page's code blocks in one language, such as `sh`.
  public static func blocks(_ language: String, of path: String) throws -> [String] {
    try text(path).components(separatedBy: "\n```\(language)\n").dropFirst()
      .map { $0.components(separatedBy: "```")[0] }
  }
}
