import PlumbCore
import PlumbIO

/// The kind of value that an option takes.
package enum OptionKind: Sendable, Equatable {
  /// True or false; false by default.
  case flag
  /// Any text.
  case text
  /// Text that may be repeated.
  case texts
  /// One of a set of words. Case and hyphens are ignored.
  case word([String])
  /// A file to read or to write.
  case path
  /// A coordinate reference system, such as `EPSG:4326`.
  case crs
  /// A condition in SQL.
  case condition
  /// A number.
  case number(NumberRange)
  /// A whole number.
  case integer(ClosedRange<Int>)
  /// Numbers, separated by commas in text.
  case numbers
  /// Whole numbers in a range.
  case integers(ClosedRange<Int>)
  /// A whole number from 1, or `all`.
  case limit
  /// A number of bytes in a range. In text, the number may have a unit, as in `512MB`.
  case bytes(ClosedRange<Int>)
  /// A length on the ground or in pixels, such as `50m` or `12px`.
  case length
  /// A length above 0 on the ground, such as `50m`.
  case distance
  /// A date or a time in ISO 8601.
  case date
  /// A length of time with a unit, such as `16d`.
  case span
  /// An extent in longitudes and latitudes: the minimum x and y, then the maximum x and y.
  case box
  /// An extent in the CRS of another option: the minimum x and y, then the maximum x and y.
  case extent
  /// A point in the CRS of another option.
  case center
  /// A width and a height in pixels, such as `1200x800`.
  case size
  /// A longitude and a latitude.
  case position
  /// A longitude, a latitude and an accuracy, or the path of a feed.
  case location
  /// The path of a picture to write.
  case picture
  /// Points, each as x and y.
  case points
  /// The path of a table. In JSON, the value is true, and the request contains the table.
  case table
  /// A JSON value, or the path of a JSON file in front ends without JSON values.
  case json

  /// A value in the form of the help.
  func text(of value: JSONTree) -> MessageTemplate {
    switch (self, value) {
    case (.bytes, .integer(let count)): "\(count >> 20) MB"
    case (_, .text(let text)): MessageTemplate(text)
    default: MessageTemplate(String(decoding: value.bytes, as: UTF8.self))
    }
  }

  /// The description of the value that a front end expects, for messages.
  func expectation(of frontEnd: FrontEnd) -> String {
    switch self {
    case .flag: "true or false"
    case .text, .path, .crs, .condition, .word: "a string"
    case .texts: "a string or a list of strings"
    case .number(let range): range.expectation
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .numbers: "a number or a list of numbers"
    case .integers(let range):
      "a whole number from \(range.lowerBound) to \(range.upperBound) or a list of them"
    case .limit: "a whole number from 1 or \"all\""
    case .bytes(let range):
      range.upperBound == ByteCount.largest
        ? "a number of bytes"
        : "a size from \(range.lowerBound) byte to \(range.upperBound >> 20) MB"
    case .length: "a length such as 12px, 50m or 2.5km, or 0,"
    case .distance: "a length above 0 on the ground, such as 50m or 2.5km,"
    case .date: "a date such as 2025-03-22 or a time such as 2025-03-22T10:00:00Z"
    case .span: "a number with the unit s, min, h, d or w, such as 16d,"
    case .table: "true or false"
    case .box:
      "an extent, xmin, ymin, xmax and ymax in degrees, the lower first (xmin may exceed xmax "
        + "across 180 degrees),"
    case .extent:
      "xmin,ymin,xmax,ymax, the lower numbers first (xmin may exceed xmax across 180 degrees),"
    case .center: "x,y"
    case .size: "a size in pixels such as 1200x800"
    case .position: "a pair of longitude and latitude in degrees, in this order,"
    case .location:
      "a longitude and a latitude in degrees, with an accuracy in metres of 0 or more, or a feed"
    case .picture: "a name that ends in .png, .svg or .pdf"
    case .points: "a list of points [x, y]"
    case .json: frontEnd == .service ? "an object" : "the path of a file"
    }
  }
}

/// The numbers that an option allows.
package enum NumberRange: Sendable, Equatable {
  /// Finite numbers above 0, with a unit.
  case positive(String)
  /// Finite numbers, 0 or more, with a unit.
  case notNegative(String)
  /// Finite numbers, 0 or more, or infinity (`inf` in text), with a unit.
  case notNegativeOrInfinite(String)
  /// Finite numbers within bounds, with a unit.
  case within(ClosedRange<Double>, String)
  /// All numbers. The verb checks the value.
  case any

  /// The unit; empty for numbers without a unit.
  package var unit: String {
    switch self {
    case .positive(let unit), .notNegative(let unit), .notNegativeOrInfinite(let unit),
      .within(_, let unit):
      unit
    case .any: ""
    }
  }

  private static func number(of unit: String) -> String {
    unit.isEmpty ? "a number" : "a number of \(unit)"
  }

  /// Formats a number for messages, without a fraction if it is a whole number.
  static func shown(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }

  func contains(_ number: Double) -> Bool {
    switch self {
    case .positive: number > 0 && number.isFinite
    case .notNegative: number >= 0 && number.isFinite
    case .notNegativeOrInfinite: number >= 0
    case .within(let bounds, _): bounds.contains(number)
    case .any: true
    }
  }

  var expectation: String {
    switch self {
    case .positive(""): "a number above 0"
    case .positive(let unit): "\(Self.number(of: unit)) above 0"
    case .notNegative(let unit), .notNegativeOrInfinite(let unit):
      "\(Self.number(of: unit)), 0 or more,"
    case .within(let bounds, let unit):
      "\(Self.number(of: unit)) from \(Self.shown(bounds.lowerBound)) "
        + "to \(Self.shown(bounds.upperBound))"
    case .any: "a number"
    }
  }
}

/// An enumeration whose cases are the values of an option.
package protocol OptionWord: CaseIterable, RawRepresentable<String>, Sendable, Equatable {}

extension OptionWord {
  /// The spelling of the case, such as `shortest-path`.
  package var word: String {
    rawValue.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
  }

  /// Creates the case with a spelling. Letter case and hyphens are ignored.
  package init?(word: String) {
    func plain(_ text: String) -> String {
      text.filter { $0 != "-" && $0 != "_" }.lowercased()
    }
    guard let value = Self.allCases.first(where: { plain($0.rawValue) == plain(word) }) else {
      return nil
    }
    self = value
  }
}
