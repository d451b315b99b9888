/// The dates of a raster's members, from the document that lists the members.
package struct MemberDates: Sendable {
  /// The path or the URL of the document.
  package var document: String
  /// The date of each member.
  package var dates: [ImageDate]
  /// What a user should know about the list.
  package var warnings: [String]

  package init(document: String, dates: [ImageDate], warnings: [String]) {
    (self.document, self.dates, self.warnings) = (document, dates, warnings)
  }
}

extension Raster {
  /// Whether the raster has dates without a rule for its files: those of its members, or those of its bands.
  package var hasDates: Bool {
    memberDates != nil || bands.allSatisfy { $0.date != nil }
  }
}
