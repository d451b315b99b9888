import CCairo
import Plumb
import Testing

@testable import PlumbDrawing

/// Vector pictures whose drawing fails or is cancelled.
@Suite struct UnfinishedPictureTests {
  @Test(arguments: [Canvas.Format.svg, .pdf], [false, true])
  func unfinishedPicturesAreNotWritten(format: Canvas.Format, inGroup: Bool) throws {
    var canvas: Canvas? = try Canvas(width: 800, height: 800, format: format)
    let sink = try #require(canvas).sink
    for index in 0..<3000 {
      try #require(canvas).fill(Color(UInt8(index % 256), 0, 0, alpha: 99))
    }
    if inGroup { cairo_push_group(try #require(canvas).context) }
    canvas = nil
    // Only an empty page.
    #expect(sink.bytes.count < 5000)
  }

  @Test(arguments: [Canvas.Format.svg, .pdf])
  func finishedPicturesAreComplete(format: Canvas.Format) throws {
    let canvas = try Canvas(width: 800, height: 800, format: format)
    for index in 0..<3000 {
      canvas.fill(Color(UInt8(index % 256), 0, 0, alpha: 99))
    }
    #expect(try canvas.finish().count > 5000)
  }
}
