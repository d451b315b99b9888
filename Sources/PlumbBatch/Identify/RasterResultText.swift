import PlumbCore
import PlumbIO
import PlumbLayers
import PlumbRaster

/// Writes the raster results of a batch as JSON, directly from the arrays of values. The output is
/// byte-identical to that of `IdentifyJSON` for the results of `IdentifyResultMaker`.
package final class RasterResultText: Sendable {
  /// The text that is the same for all cells of a file. Integers are indices in `pieces`.
  private struct File {
    /// `"Pixel.Type":"…"`, or empty if no band is requested.
    var type: Int
    /// For each requested band, the members for its scaled value, class and unit. They are written
    /// after the values of all bands.
    var facts: [Facts]
    var classes: [ClassTable?]
  }

  private struct Facts: BitwiseCopyable {
    /// `,"Scaled_n":`; nil for a band without scale and offset.
    var scaledKey: Int?
    var scale: Double
    var offset: Double
    var hasClasses: Bool
    /// `,"Class_n":`.
    var classKey: Int
    /// `,"Unit_n":"…"`, or empty.
    var unit: Int
  }

  /// The text and the files of one raster. `head` and `keys` are indices in `pieces`.
  private struct Part {
    /// The text from the start of the result to its first element.
    var head: Int
    /// `,"Band_n":` for each band.
    var keys: [Int]
    var files: [File]
    /// The index in `files` of each of the raster's files.
    var fileOf: [Int]
  }

  private let parts: [Part]
  private let pieces: TextPieces
  /// The name of each status as a JSON string, by the status's raw value.
  private let statusNames: [Int]
  /// The error of each status; nil for a status without an error.
  private let errors: [Int?]
  private let outliners: WorkerStates<CellOutliner>

  /// - Parameters:
  ///   - names: the names of settings in errors.
  ///   - workers: the number of threads that write concurrently.
  package init(
    _ identifier: RasterIdentifier, names: [Setting: String], workers: Int
  ) throws {
    outliners = try WorkerStates(count: workers) { try CellOutliner(identifier) }
    var builder = TextPieces.Builder()
    statusNames = SampleStatus.allCases.map { status in
      builder.add { $0.append(json: status.name) }
    }
    errors = SampleStatus.allCases.map { status in
      IdentifyResultMaker.failure(of: status).map { error in
        builder.add { IdentifyJSON.append(error, names, to: $0) }
      }
    }
    parts = identifier.sampler.requests.map { Self.part($0, &builder) }
    pieces = builder.pieces
  }

  private static func part(
    _ request: RasterSampler.Request, _ builder: inout TextPieces.Builder
  ) -> Part {
    let name = request.raster.name
    let content = IdentifyLayerResult.LayerContent(id: name, name: name, type: "raster")
    var part = Part(
      head: builder.add { IdentifyJSON.appendHead(content, to: $0) },
      keys: request.bands.map { band in
        builder.add { $0.append(",\"Band_\(band)\":") }
      }, files: [], fileOf: [])
    var known: [String: Int] = [:]
    for member in request.raster.members {
      let bands = request.bands.map { member.profile.bands[$0] }
      // Files with classes are not compared, because comparing classes takes too long.
      let key =
        bands.contains { $0.classes != nil }
        ? "\(part.fileOf.count)"
        : bands.map { "\($0.pixelType.name) \($0.scale) \($0.offset) \($0.unit)" }.description
      if let index = known[key] {
        part.fileOf.append(index)
        continue
      }
      known[key] = part.files.count
      part.fileOf.append(part.files.count)
      part.files.append(file(request.bands, bands, &builder))
    }
    return part
  }

  private static func file(
    _ numbers: [Int], _ bands: [Band], _ builder: inout TextPieces.Builder
  ) -> File {
    File(
      type: builder.add { text in
        guard let first = bands.first else { return }
        text.append(key: "Pixel.Type")
        text.append(json: first.pixelType.name)
      },
      facts: zip(numbers, bands).map { number, band in
        Facts(
          scaledKey: band.isScaled ? builder.add { $0.append(",\"Scaled_\(number)\":") } : nil,
          scale: band.scale, offset: band.offset, hasClasses: band.classes != nil,
          classKey: builder.add { $0.append(",\"Class_\(number)\":") },
          unit: builder.add { text in
            guard !band.unit.isEmpty else { return }
            text.append(",\"Unit_\(number)\":")
            text.append(json: band.unit)
          })
      }, classes: bands.map(\.classes))
  }

  // MARK: Rows

  /// Pointers to the results of a batch.
  package struct Answers {
    fileprivate struct Column {
      var type: PixelType
      var values: UnsafeRawPointer
      var status: UnsafePointer<UInt8>

      /// Returns the value of a row; nil if the row has no value.
      @inline(__always)
      func value(at row: Int) -> CellValue? {
        guard status[row] == SampleStatus.ok.rawValue else { return nil }
        return CellValue(type, at: values + row * type.byteCount)
      }
    }

    fileprivate struct Raster {
      var columns: [Column]
      var member: UnsafePointer<Int32>?
      var row: UnsafePointer<Int32>?
      var column: UnsafePointer<Int32>?
    }

    fileprivate let rasters: [Raster]

    /// - Parameter answers: results with provenance, which must outlive this value.
    package init(_ answers: [RasterAnswer]) {
      rasters = answers.map { answer in
        Raster(
          columns: answer.columns.map {
            Column(
              type: $0.pixelType, values: UnsafeRawPointer($0.bytes),
              status: UnsafePointer($0.status.base))
          },
          member: answer.provenance.map { UnsafePointer($0.member.base) },
          row: answer.provenance.map { UnsafePointer($0.row.base) },
          column: answer.provenance.map { UnsafePointer($0.column.base) })
      }
    }
  }

  /// Appends the results of a row, separated by commas.
  ///
  /// - Parameter x: the x of the row's point.
  package func append(
    _ row: Int, of answers: Answers, x: Double, worker: Int, to text: TextBuffer
  ) {
    var isFirst = true
    for index in parts.indices {
      append(index, row, answers.rasters[index], x, worker, &isFirst, to: text)
    }
  }

  private func append(
    _ index: Int, _ row: Int, _ answer: Answers.Raster, _ x: Double, _ worker: Int,
    _ isFirst: inout Bool, to text: TextBuffer
  ) {
    var error: Int?
    var holdsPoint = false
    for column in answer.columns.indices {
      let status = Int(answer.columns[column].status[row])
      if let statusError = errors[status] {
        error = error ?? statusError
      } else if status != Int(SampleStatus.outside.rawValue) {
        holdsPoint = true
      }
    }
    guard holdsPoint || error != nil else { return }
    if !isFirst { text.append(UInt8(ascii: ",")) }
    isFirst = false
    pieces.append(parts[index].head, to: text)
    if holdsPoint { appendCell(index, row, answer, x, worker, to: text) }
    text.append(literal: "],\"popups\":[],\"sublayerResults\":[]")
    text.append(literal: ",\"isTransferLimitExceeded\":false,\"error\":")
    if let error { pieces.append(error, to: text) } else { text.append(literal: "null") }
    text.append(literal: "}")
  }

  private func appendCell(
    _ index: Int, _ row: Int, _ answer: Answers.Raster, _ x: Double, _ worker: Int,
    to text: TextBuffer
  ) {
    let member = max(0, Int(answer.member?[row] ?? 0))
    let file = parts[index].fileOf[member]
    text.append(literal: "{\"type\":\"rasterCell\",\"attributes\":{")
    pieces.append(parts[index].files[file].type, to: text)
    for band in answer.columns.indices {
      pieces.append(parts[index].keys[band], to: text)
      if let value = answer.columns[band].value(at: row) {
        text.append(json: value)
      } else {
        text.append(literal: "null")
      }
    }
    for band in answer.columns.indices {
      let facts = parts[index].files[file].facts[band]
      let value = answer.columns[band].value(at: row)?.real
      if let key = facts.scaledKey {
        pieces.append(key, to: text)
        if let value {
          text.append(json: value * facts.scale + facts.offset)
        } else {
          text.append(literal: "null")
        }
      }
      if facts.hasClasses, let value,
        let name = parts[index].files[file].classes[band]?.name(of: value)
      {
        pieces.append(facts.classKey, to: text)
        text.append(json: name)
      }
      pieces.append(facts.unit, to: text)
    }
    text.append(literal: "},\"status\":[")
    for band in answer.columns.indices {
      if band > 0 { text.append(UInt8(ascii: ",")) }
      pieces.append(statusNames[Int(answer.columns[band].status[row])], to: text)
    }
    let (column, line) = (Int(answer.column?[row] ?? -1), Int(answer.row?[row] ?? -1))
    text.append(literal: "],\"row\":")
    text.append(signed: Int64(line))
    text.append(literal: ",\"column\":")
    text.append(signed: Int64(column))
    text.append(literal: ",\"geometry\":")
    IdentifyJSON.append(
      outliners[worker].outline(index, member: member, column: column, row: line, x: x), to: text)
    text.append(literal: ",\"distance\":0}")
  }
}

extension TextBuffer {
  /// Appends a cell's value. Integers are exact, floats have their shortest form, infinity is null,
  /// and complex numbers are text.
  package func append(json value: CellValue) {
    switch value {
    case .signed(let value): append(signed: value)
    case .unsigned(let value): append(unsigned: value)
    case .float32(let value): append(json: value)
    case .float64(let value): append(json: value)
    case .complexInteger, .complexFloat32, .complexFloat64: append(json: value.description)
    }
  }
}
