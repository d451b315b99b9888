/// The dates of a raster's members, from the document that lists the members.
package struct MemberDates: Sendable {
  /// The path or the URL of the document.
  package var document: String
  /// The date of each member.
  package var dates: [ImageDate]
  /// Warnings for the user about the list.
  package var warnings: [String]

  package init(document: String, dates: [ImageDate], warnings: [String]) {
    (self.document, self.dates, self.warnings) = (document, dates, warnings)
  }
}

extension Raster {
  /// Whether the dates of the raster are known without a rule for its files: from its members or
  /// from its bands.
  package var hasDates: Bool {
    memberDates != nil || bands.allSatisfy { $0.date != nil }
  }
}
