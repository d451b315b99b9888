/// A table of a PostgreSQL database, to which features are written.
package struct DatabaseTable: Sendable, Hashable {
  /// The way in which the rows are added to the database.
  package enum Mode: Sendable, Hashable {
    /// Creates the table, which must not exist.
    case create
    /// Replaces the table if it exists.
    case overwrite
    /// Adds the rows to a table that exists.
    case append
    /// Adds the rows to the table, which is created if it does not exist.
    case appendOrCreate
  }

  /// The address of the database.
  package var database: String
  /// The name of the table: `TABLE`, or `SCHEMA.TABLE`.
  package var name: String
  package var mode: Mode
  /// Whether the input may be endless. In this case, the table exists from the start, and each batch
  /// of rows is a transaction. Otherwise, all rows are one transaction.
  package var isLive = false

  package init(database: String, name: String, mode: Mode) {
    (self.database, self.name, self.mode) = (database, name, mode)
  }

  /// The table of an output; nil if the output is a file or standard output.
  ///
  /// - Throws: if a table is given without a database, or a database without a table.
  package init?(
    output: String?, _ table: String?, _ overwrites: Bool, appends: Bool
  ) throws(PlumbError) {
    guard let output, DatabaseAddress.isAddress(output) else {
      guard table == nil else {
        throw PlumbError(
          messageTemplate:
            "\(.output): \(output?.printable ?? "-") is not the address of a database, such as "
            + "PG:dbname=town; \(.table) needs such an address", code: .badOption)
      }
      return nil
    }
    guard let table, !table.isEmpty else {
      throw PlumbError(
        messageTemplate:
          "\(.output): \(output.printable) is a database; name the table with \(.table)",
        code: .badOption)
    }
    self.init(
      database: output, name: table, mode: appends ? .append : overwrites ? .overwrite : .create)
  }
}
