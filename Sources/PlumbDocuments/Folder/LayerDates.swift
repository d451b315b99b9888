import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbLayers
import PlumbRaster
import PlumbSources

/// The members `dates` and `group` of a raster layer.
struct LayerDates: Sendable {
  /// The rules for dates, in the forms that `ImageDates` accepts; empty if the files contain their
  /// dates.
  private let rules: [DocumentNode]
  private let grouping: DatedStack.Grouping?
  private let isSpecified: Bool

  /// - Throws: if a member has an invalid form.
  init(_ layer: DocumentNode) throws(DocumentFault) {
    let dates = try layer.member("dates")
    let group = try layer.member("group")
    var rules: [DocumentNode] = []
    if let dates {
      if case .text = dates.tree { rules = [dates] } else { rules = try dates.elements() }
      guard !rules.isEmpty else {
        throw dates.fault("expected a pattern such as MOD13Q1_%Y%j, a table or tag:ITEM")
      }
    }
    for rule in rules {
      guard try !rule.text().isEmpty else {
        throw rule.fault("expected a pattern such as MOD13Q1_%Y%j, a table or tag:ITEM")
      }
    }
    self.rules = rules
    var grouping: DatedStack.Grouping?
    if let group {
      let word = try group.text()
      grouping = DatedStack.Grouping(rawValue: word)
      guard grouping != nil else {
        let words = DatedStack.Grouping.allCases.map(\.rawValue).joined(separator: " or ")
        throw group.fault("expected \(words), found \(word.printable)")
      }
    }
    self.grouping = grouping
    isSpecified = dates != nil || group != nil
  }

  /// The source of a layer with these members.
  ///
  /// - Parameters:
  ///   - raster: the raster of all files.
  ///   - folder: the folder of the document.
  /// - Throws: if a file has no date, or if a rule is invalid.
  func opened(_ raster: Raster, in folder: DocumentFolder) throws -> RasterLayer.Opened {
    guard isSpecified || raster.hasBandDates else { return .raster(raster) }
    let texts = try rules.map { node -> String in
      let text = try node.text()
      guard ImageDates.tables(of: [text]) == [text] else { return text }
      do {
        return try folder.path(of: text)
      } catch {
        throw node.fault(error)
      }
    }
    let dates: ImageDates
    do {
      dates = try ImageDates(texts) { file in try folder.access(toRaster: file) }
    } catch {
      guard let first = rules.first else { throw error }
      throw first.fault(error)
    }
    return .dates(RasterDates(try DatedStack(raster, dates, grouping: grouping)))
  }
}

extension RasterDates {
  /// The dates of a stack.
  package convenience init(_ stack: DatedStack) {
    let (name, slices) = (stack.name, stack.slices)
    self.init(
      whole: stack.raster, dates: slices.map(\.date), texts: stack.dateTexts, stack: stack
    ) { index in
      let slice = slices[index]
      guard slice.band != nil else { return slice.raster }
      if let file = slice.raster.members.first(where: { hasMasksTogether($0.profile) }) {
        throw PlumbError(
          "\(file.path.printable): the bands of a layer with dates and masks need to be stored one after the other; "
            + "write the file with INTERLEAVE=BAND", code: .unsupported)
      }
      return try slice.single(named: name)
    }
  }
}

/// Whether a raster is pixel-interleaved and has masks; single bands of such a raster cannot be
/// read.
private func hasMasksTogether(_ profile: RasterProfile) -> Bool {
  profile.isInterleaved
    && profile.bands.contains { band in
      switch band.validity {
      case .all, .noData: false
      case .alpha, .mask: true
      }
    }
}

extension RasterLayer {
  /// The stack of a layer with dates; nil for a layer without dates, and until it is loaded.
  package var stack: DatedStack? { dates?.stack as? DatedStack }
}
