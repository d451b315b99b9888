import Foundation
@testable import PlumbBatch
@testable import PlumbCore
@testable import PlumbIO
import PlumbTestSupport
import Synchronization
import Testing

@Suite struct RowTextOutputTests {
  private struct Failure: Error {}

  /// Writes `lengths.count` groups, each a run of one letter, and returns the file's bytes.
  private func written(
    _ lengths: [Int], workers: Int, failing: Int? = nil,
    noting note: @Sendable (_ output: ByteOutput, _ length: Int) -> Void = { _, _ in }
  ) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = folder.path("rows.txt")
    let output = try ByteOutput(path: path)
    let texts = RowTextOutput(output, workers: Workers(count: workers))
    do {
      try texts.write(jobs: lengths.count, rounds: 8) { _, job, text in
        if job == failing { throw Failure() }
        note(output, lengths[job])
        text.append(contentsOf: Self.group(job, lengths[job]))
      }
      try texts.finish()
    } catch is Failure {}
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private static func group(_ job: Int, _ length: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(ascii: "a") + UInt8(job % 26), count: length)
  }

  @Test(arguments: [1, 2, 5])
  func groupsKeepTheirOrderWhateverTheirLength(workers: Int) throws {
    var random = SeededGenerator(seed: 36)
    // Some groups are longer than the limit, so a set of buffers can end after any group.
    let lengths = (0..<60).map { _ in
      random.next() % 6 == 0
        ? RowTextOutput.byteLimit / 2 + Int(random.next() % 1000) : Int(random.next() % 5000)
    }
    let expected = lengths.indices.flatMap { Self.group($0, lengths[$0]) }
    #expect(try written(lengths, workers: workers) == expected)
  }

  @Test func groupsBehindAFailureAreNotWritten() throws {
    let length = RowTextOutput.byteLimit / 3
    let lengths = [Int](repeating: length, count: 12)
    for failing in [0, 1, 5, 11] {
      let expected = (0..<failing).flatMap { Self.group($0, length) }
      #expect(try written(lengths, workers: 3, failing: failing) == expected)
    }
  }

  @Test func longRowsUseBoundedMemory() throws {
    let (workers, length) = (2, 4 << 20)
    let made = Atomic(0)
    let maximum = Atomic(0)
    _ = try written([Int](repeating: length, count: 40), workers: workers) { output, length in
      let total = made.add(length, ordering: .relaxed).newValue
      maximum.max(total - output.byteCount, ordering: .relaxed)
    }
    #expect(
      maximum.load(ordering: .relaxed) <= 2 * (RowTextOutput.byteLimit + workers * length))
  }
}
