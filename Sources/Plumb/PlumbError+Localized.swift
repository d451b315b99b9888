#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PlumbCore
import PlumbExpressions
import PlumbGDAL
import PlumbGeometry
import PlumbGeotriggers
import PlumbIO
import PlumbLayers
import PlumbNetwork
import PlumbRaster

// `localizedDescription` says what the line for the user does.

extension PlumbError: LocalizedError {
  public var errorDescription: String? { summary }
}
extension ExpressionError: LocalizedError {
  public var errorDescription: String? { summary }
}
extension FormatError: LocalizedError {
  public var errorDescription: String? { summary }
}
extension GDALError: LocalizedError {
  public var errorDescription: String? { summary }
}
extension GeometryError: LocalizedError {
  public var errorDescription: String? { summary }
}
extension GeotriggerError: LocalizedError {
  public var errorDescription: String? { summary }
}
extension LayerError: LocalizedError {
  public var errorDescription: String? { summary }
}
extension NetworkError: LocalizedError {
  public var errorDescription: String? { summary }
}
extension RasterError: LocalizedError {
  public var errorDescription: String? { summary }
}
extension SystemError: LocalizedError {
  public var errorDescription: String? { summary }
}
