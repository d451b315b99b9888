import CPlumb
import Plumb
import PlumbC
import Testing

/// Tables created by a caller from its own columns.
@Suite struct TableTests {
  /// A stream of chunks of integers. Its memory is no longer owned by the caller.
  private static func stream(
    _ chunks: [[Int64]]
  ) throws -> UnsafeMutablePointer<ArrowArrayStream> {
    var schema = ArrowSchema()
    #expect(CPlumb.plumb_schema_make(&schema, "l", "number", nil, 0, 2, nil, 0, nil) == PLUMB_OK)
    var arrays: [UnsafeMutablePointer<ArrowArray>?] = []
    defer { arrays.forEach { $0?.deallocate() } }
    for chunk in chunks {
      var (memory, bytes): (OpaquePointer?, UnsafeMutableRawPointer?) = (nil, nil)
      #expect(CPlumb.plumb_memory_new(Int64(chunk.count * 8), &memory, &bytes) == PLUMB_OK)
      try #require(bytes).copyMemory(from: chunk, byteCount: chunk.count * 8)
      let array = UnsafeMutablePointer<ArrowArray>.allocate(capacity: 1)
      let buffers: [UnsafeRawPointer?] = [nil, UnsafeRawPointer(bytes)]
      let made = CPlumb.plumb_array_make(
        array, Int64(chunk.count), 0, 0, buffers, 2, nil, 0, nil, [memory], 1)
      #expect(made == PLUMB_OK)
      CPlumb.plumb_memory_release(memory)
      arrays.append(array)
    }
    var stream: UnsafeMutablePointer<ArrowArrayStream>?
    #expect(
      CPlumb.plumb_stream_make(&schema, arrays, Int64(arrays.count), &stream) == PLUMB_OK)
    #expect(schema.release == nil && arrays.allSatisfy { $0?.pointee.release == nil })
    return try #require(stream)
  }

  @Test func streamsGiveTheirChunks() throws {
    let chunks: [[Int64]] = [[1, 2], [], Array(0..<300_000)]
    let stream = try Self.stream(chunks)
    defer { stream.deallocate() }
    for _ in 0..<2 {
      var schema = ArrowSchema()
      #expect(stream.pointee.get_schema(stream, &schema) == 0)
      #expect(String(cString: schema.name) == "number" && String(cString: schema.format) == "l")
      schema.release(&schema)
      #expect(schema.release == nil)
    }
    var found: [[Int64]] = []
    while true {
      var array = ArrowArray()
      #expect(stream.pointee.get_next(stream, &array) == 0)
      guard array.release != nil else { break }
      let values = array.buffers[1]?.assumingMemoryBound(to: Int64.self)
      found.append(Array(UnsafeBufferPointer(start: values, count: Int(array.length))))
      array.release(&array)
    }
    #expect(found == chunks)
    stream.pointee.release(stream)
    #expect(stream.pointee.release == nil)
  }

  @Test func movedArraysAreReleasedOnce() throws {
    let stream = try Self.stream([[1], [2]])
    defer { stream.deallocate() }
    var array = ArrowArray()
    #expect(stream.pointee.get_next(stream, &array) == 0)
    // The call also releases the chunk that was not requested.
    stream.pointee.release(stream)
    var (memory, arrayPointer): (OpaquePointer?, UnsafeMutablePointer<ArrowArray>?) = (nil, nil)
    #expect(CPlumb.plumb_memory_of_array(&array, &memory, &arrayPointer) == PLUMB_OK)
    #expect(array.release == nil && arrayPointer?.pointee.length == 1)
    #expect(CPlumb.plumb_memory_of_array(&array, &memory, &arrayPointer) == PLUMB_FAILED)
    CPlumb.plumb_memory_release(memory)
    CPlumb.plumb_memory_release(nil)
  }
}
