import CCairo
import Plumb
import Testing

@testable import PlumbDrawing

/// Vector pictures whose drawing fails or is cancelled.
@Suite struct UnfinishedPictureTests {
  private static func draw(on canvas: Canvas) {
    for index in 0..<3000 { canvas.fill(Color(UInt8(index % 256), 0, 0, alpha: 99)) }
  }

  @Test(arguments: [Canvas.Format.svg, .pdf], [false, true])
  func unfinishedPicturesAreNotWritten(format: Canvas.Format, hasOpenGroup: Bool) throws {
    let finished = try Canvas(width: 800, height: 800, format: format)
    Self.draw(on: finished)
    let size = try finished.finish().count
    var canvas: Canvas? = try Canvas(width: 800, height: 800, format: format)
    let sink = try #require(canvas).sink
    Self.draw(on: try #require(canvas))
    if hasOpenGroup {
      cairo_push_group(try #require(canvas).context)
      Self.draw(on: try #require(canvas))
    }
    canvas = nil
    // Only an empty page.
    #expect(sink.bytes.count < size / 2, "\(sink.bytes.count) of \(size) bytes")
  }
}
