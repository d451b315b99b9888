import PlumbCore
import PlumbExpressions
import PlumbGeometry
import PlumbGeotriggers
import PlumbLayers
import PlumbRaster
import PlumbSources
import Synchronization

/// The region where an expression on a raster's value is true, as one fence.
public struct RasterFence: Sendable {
  /// The region as the only fence of a set.
  public let set: FenceSet
  /// The raster's name.
  public let name: String
  /// The files that are read.
  public let files: [String]
  private let faults: Faults

  /// Errors of the expression, kept until they are taken.
  private final class Faults: Sendable {
    let first = Mutex<String?>(nil)
  }

  /// - Parameters:
  ///   - argument: `PATH: EXPR`, as `ndvi.tif: $value < 0.2`. In the Arcade expression `$value` is the
  ///     first band's value with its scale and offset, `$stored` that of the file. Where the raster has
  ///     no value, it is outside.
  ///   - access: what the raster may lead to.
  /// - Throws: what is wrong with the raster or the expression.
  public init(_ argument: String, access: DocumentAccess = .folder) throws {
    guard let colon = argument.firstRange(of: ": ") else {
      throw PlumbError(
        "\(argument.printable): expected PATH: EXPR with a space after the colon, as "
          + "\"ndvi.tif: $value < 0.2\"")
    }
    let path = String(argument[..<colon.lowerBound])
    let text = String(argument[colon.upperBound...])
    let program = try Self.program(text)
    let raster = try Raster.open(path, access: access)
    let identifier = try RasterIdentifier(
      [RasterSampler.Request(raster, bands: [0])], reference: .wgs84)
    let sampler = Sampler(
      identifier, ArcadeEvaluator(program), raster.bands[0], path: path.printable)
    let faults = Faults()
    self.faults = faults
    (name, files) = (raster.name, [path])
    set = FenceSet(region: raster.name, name: raster.name) { x, y in
      sampler.answers(x, y) { fault in
        faults.first.withLock { if $0 == nil { $0 = fault } }
      }
    }
  }

  private static func program(_ text: String) throws -> ArcadeProgram {
    do {
      return try ArcadeProgram(text, globals: ["$value", "$stored"])
    } catch {
      throw PlumbError("the raster fence's expression", error)
    }
  }

  /// The first thing that went wrong with the expression since the last call; fixes for which it fails
  /// change nothing.
  public func takeFault() -> String? {
    faults.first.withLock { first in
      defer { first = nil }
      return first
    }
  }

  /// Reads values and asks the expression; one thread at a time.
  private final class Sampler: Sendable {
    private final class Tools: @unchecked Sendable {
      // Used under the lock alone.
      let identifier: RasterIdentifier
      let evaluator: ArcadeEvaluator
      /// The last value and what became of it: neighbours often have the same.
      var last: (stored: Double, answer: RegionAnswer)?

      init(_ identifier: RasterIdentifier, _ evaluator: ArcadeEvaluator) {
        self.identifier = identifier
        self.evaluator = evaluator
      }
    }

    private let lock = Mutex(())
    private let tools: Tools
    private let scale: Double
    private let offset: Double
    private let path: String

    init(
      _ identifier: RasterIdentifier, _ evaluator: ArcadeEvaluator, _ band: Band, path: String
    ) {
      self.path = path
      tools = Tools(identifier, evaluator)
      (scale, offset) = (band.scale, band.offset)
    }

    func answers(_ x: [Double], _ y: [Double], _ report: (String) -> Void) -> [RegionAnswer] {
      lock.withLock { _ in
        guard let column = tools.identifier.sample(x: x, y: y).first?.columns.first else {
          report("\(path) gives no values")
          return x.map { _ in .unknown }
        }
        return x.indices.map { index in
          switch column.status(at: index) {
          case .ok: return answer(column[index]?.real, report)
          case .readError:
            report("\(path) cannot be read at \(x[index]), \(y[index])")
            return .unknown
          default: return .outside
          }
        }
      }
    }

    private func answer(_ stored: Double?, _ report: (String) -> Void) -> RegionAnswer {
      guard let stored else { return .outside }
      if let last = tools.last, last.stored == stored { return last.answer }
      var answer = RegionAnswer.unknown
      do throws(ExpressionError) {
        let value = try tools.evaluator.evaluate(
          [.number(stored * scale + offset), .number(stored)], now: ArcadeDate(milliseconds: 0))
        if case .boolean(let isInside) = value {
          answer = isInside ? .inside : .outside
        } else {
          report("it gives \(value.asText) for the value \(stored), neither true nor false")
        }
      } catch {
        report(error.message)
      }
      tools.last = (stored, answer)
      return answer
    }
  }
}
