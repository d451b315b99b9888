import PlumbCore
import PlumbIO

/// The errors of the Parquet reader.
enum ParquetFault {
  static func damaged(_ what: String, offset: Int? = nil) -> FormatError {
    FormatError("damaged Parquet: \(what)", offset: offset)
  }

  static func unsupported(_ what: String) -> FormatError {
    FormatError("\(what) is not supported", code: .unsupported)
  }

  static func tooLarge(_ what: String, remedies: [MessageTemplate] = []) -> FormatError {
    FormatError(what, code: .limit, remedies: remedies)
  }

  /// Adds where the error occurred, such as a column, before the message.
  static func at(_ part: String, _ error: FormatError) -> FormatError {
    FormatError(
      messageTemplate: "\(part): \(MessageTemplate(error.message))", offset: error.offset,
      line: error.line, code: error.code, remedies: error.remedies)
  }
}

/// The limits on memory and on the size of the input.
enum ParquetLimits {
  /// The number of bytes of the selected columns of a row group, before compression.
  static let rowGroupBytes = 300 << 20
  /// The number of bytes of the decoded values of a row group.
  static let decodedBytes = 1 << 30
  static let footerBytes = 64 << 20
  static let schemaElements = 100_000
  static let schemaDepth = 150
  /// The number of values of a column of lists in a row group, and the number of their bytes before
  /// compression.
  static let listValues = 10_000_000
  static let listBytes = 100 << 20
}
