import Foundation
import Plumb
import Testing

/// The message of errors in a program that uses only Foundation's errors.
@Suite struct LocalizedErrorTests {
  @Test func theMessageIsTheDescription() throws {
    let error = #expect(throws: (any Error).self) { try Raster.open("/absent/x.tif") }
    let text = try #require(error).localizedDescription
    #expect(text == "no such file: /absent/x.tif")
    let errors: [any Error] = [
      PlumbError("a"), FormatError("a"), GeometryError("a"), ExpressionError("a"),
      LayerError(code: .badLayer, message: "a"), RasterError("a"),
    ]
    for error in errors { #expect(error.localizedDescription == "a") }
  }
}
