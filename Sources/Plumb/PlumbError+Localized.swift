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

/// Makes `localizedDescription` the message for the user, on one line.
extension LocalizedError where Self: PlumbFailure {
  public var errorDescription: String? { summary }
}

extension PlumbError: LocalizedError {}
extension ExpressionError: LocalizedError {}
extension FormatError: LocalizedError {}
extension GDALError: LocalizedError {}
extension GeometryError: LocalizedError {}
extension GeotriggerError: LocalizedError {}
extension LayerError: LocalizedError {}
extension NetworkError: LocalizedError {}
extension RasterError: LocalizedError {}
extension SystemError: LocalizedError {}
