import PlumbExpressions
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbGeotriggers
import PlumbLayers
import PlumbNetwork
import PlumbRaster

/// What the user asked for and cannot have, in one line that says what to do.
public struct PlumbError: Error, Sendable, CustomStringConvertible {
  public var message: String

  public init(_ message: String) { self.message = message }

  public var description: String { message }

  /// The line for the user of any error of Plumb's modules.
  public static func message(of error: any Error) -> String {
    switch error {
    case let error as PlumbError: error.message
    case let error as RasterError: error.message
    case let error as GDALError:
      error.isRefusal ? error.message + "; it needs --allow-outside" : error.message
    case let error as GeometryError: error.message
    case let error as LayerError: error.message
    case let error as ExpressionError: error.message
    case let error as FormatError: error.description
    case let error as NetworkError: error.message
    case let error as GeotriggerError: error.message
    case let error as SystemError: error.message
    default: String(describing: error).printable
    }
  }
}
