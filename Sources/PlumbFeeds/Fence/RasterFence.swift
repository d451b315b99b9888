import PlumbCore
import PlumbExpressions
import PlumbGeometry
import PlumbGeotriggers
import PlumbLayers
import PlumbRaster
import PlumbSources
import Synchronization

/// A fence that is the region where an expression on a raster's value is true.
public struct RasterFence: Sendable {
  /// The region as the only fence in a set.
  public let set: FenceSet
  /// The raster's name.
  public let name: String
  /// The files of the raster.
  public let files: [String]
  /// Warnings about the raster's CRS, one line each.
  public let warnings: [String]
  private let faults: Faults

  /// Stores the first error of the expression until `drainFault` returns it.
  private final class Faults: Sendable {
    let first = Mutex<String?>(nil)
  }

  /// - Parameters:
  ///   - argument: `PATH: EXPR`, such as `ndvi.tif: $value < 0.2`. In the Arcade expression,
  ///     `$value` is the first band's value with scale and offset applied, and `$stored` is the
  ///     value in the file. Locations where the raster has no value are outside the fence.
  ///   - access: the other files that the raster may refer to.
  /// - Throws: for an error in the raster or the expression.
  public init(_ argument: String, access: DocumentAccess = .folder) throws {
    guard let colon = argument.firstRange(of: ": ") else {
      throw PlumbError(
        "\(argument.printable): expected PATH: EXPR with a space after the colon, such as "
          + "\"ndvi.tif: $value < 0.2\"")
    }
    let path = String(argument[..<colon.lowerBound])
    let text = String(argument[colon.upperBound...])
    let program = try Self.program(text)
    let raster = try Raster.open(path, access: access)
    let identifier = try RasterIdentifier(
      [RasterSampler.Request(raster, bands: [0])], reference: .wgs84)
    warnings = identifier.referenceWarnings + identifier.transformationWarnings
    let sampler = Sampler(
      identifier, program, raster.bands[0], path: path.printable)
    let faults = Faults()
    self.faults = faults
    (name, files) = (raster.name, [path])
    set = FenceSet(region: raster.name, name: raster.name) { x, y in
      let (answers, fault) = sampler.answers(x, y)
      if let fault { faults.first.withLock { if $0 == nil { $0 = fault } } }
      return answers
    }
  }

  private static func program(_ text: String) throws -> ArcadeProgram {
    do {
      return try ArcadeProgram(text, globals: ["$value", "$stored"])
    } catch {
      throw PlumbError("the raster fence's expression", error)
    }
  }

  /// Returns the first error of the expression since the last call. A location for which the
  /// expression fails does not change the state of its entity.
  public func drainFault() -> String? {
    faults.first.withLock { first in
      defer { first = nil }
      return first
    }
  }

  /// Reads values, and evaluates the expression on one thread at a time.
  private final class Sampler: Sendable {
    private struct Tools {
      let evaluator: ArcadeEvaluator
      /// The last value and its result. They are stored because neighbouring locations often have
      /// the same value.
      var last: (stored: Double, answer: RegionAnswer)?
    }

    private let identifier: RasterIdentifier
    private let tools: Mutex<Tools>
    private let scale: Double
    private let offset: Double
    private let path: String

    init(
      _ identifier: RasterIdentifier, _ program: ArcadeProgram, _ band: Band, path: String
    ) {
      self.path = path
      self.identifier = identifier
      tools = Mutex(Tools(evaluator: ArcadeEvaluator(program)))
      (scale, offset) = (band.scale, band.offset)
    }

    /// Returns whether each location is in the region, and the first error.
    func answers(_ x: [Double], _ y: [Double]) -> (answers: [RegionAnswer], fault: String?) {
      guard let column = identifier.sample(x: x, y: y).first?.columns.first else {
        return (x.map { _ in .unknown }, "\(path) has no values")
      }
      return tools.withLock { tools in
        var fault: String?
        let answers = x.indices.map { index in
          switch column.status(at: index) {
          case .ok: return Self.answer(scaled(column[index]?.real), &tools, &fault)
          case .readError:
            fault = fault ?? "\(path) cannot be read at \(x[index]), \(y[index])"
            return .unknown
          default: return .outside
          }
        }
        return (answers, fault)
      }
    }

    private func scaled(_ stored: Double?) -> (value: Double, stored: Double)? {
      stored.map { ($0 * scale + offset, $0) }
    }

    private static func answer(
      _ cell: (value: Double, stored: Double)?, _ tools: inout Tools, _ fault: inout String?
    ) -> RegionAnswer {
      guard let (value, stored) = cell else { return .outside }
      if let last = tools.last, last.stored == stored { return last.answer }
      var answer = RegionAnswer.unknown
      do throws(ExpressionError) {
        let result = try tools.evaluator.evaluate(
          [.number(value), .number(stored)], now: ArcadeDate(milliseconds: 0))
        if case .boolean(let isInside) = result {
          answer = isInside ? .inside : .outside
        } else {
          fault =
            fault
            ?? "the expression returns \(result.asText) for the value \(stored), neither true nor false"
        }
      } catch {
        fault = fault ?? error.message
      }
      tools.last = (stored, answer)
      return answer
    }
  }
}
