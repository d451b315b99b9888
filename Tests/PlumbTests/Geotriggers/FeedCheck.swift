import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// A fix of a feed, with all columns.
struct Fix: Hashable {
  var index: Int
  var entity: String
  var time: Int64
  var x: Double
  var y: Double
  var accuracy: Double?
  var speed: Double?
  var course: Double?
}

/// A whole feed.
struct FeedContent {
  var fixes: [Fix] = []
  var issues: [LocationIssue] = []
  var fields: [String] = []
  var attributes: [[FieldValue]] = []
  var error: String?

  /// Reads a feed to its end.
  init(
    _ path: String, format: LocationFormat? = nil, columns: LocationColumns = LocationColumns(),
    attributes: Bool = false, limit: Int = 1000
  ) {
    do throws(PlumbError) {
      let feed = try LocationFeed(
        path, format: format, columns: columns, attributes: attributes)
      do throws(PlumbError) {
        while let batch = try feed.next(limit: limit) {
          #expect(batch.count <= limit)
          add(batch, feed.entities)
        }
      } catch {
        self.error = error.summary
      }
      issues = feed.drainIssues()
      #expect(feed.drainIssues().isEmpty, "issues are returned once")
      #expect((try? feed.next(limit: 1)) == nil, "the end is final")
    } catch {
      self.error = error.summary
    }
  }

  private mutating func add(_ batch: LocationBatch, _ entities: EntityNames) {
    let count = batch.count
    for column in [batch.x, batch.y] { #expect(column.count == count) }
    for column in [
      batch.horizontalAccuracy, batch.verticalAccuracy, batch.speed, batch.course,
    ] {
      #expect(column.isEmpty || column.count == count && !column.allSatisfy(\.isNaN))
    }
    #expect(batch.fields.count == batch.attributes.count)
    #expect(batch.attributes.allSatisfy { $0.count == count })
    func value(_ column: [Double], _ row: Int) -> Double? {
      column.isEmpty || column[row].isNaN ? nil : column[row]
    }
    for row in 0..<count {
      fixes.append(
        Fix(
          index: batch.index[row], entity: entities[batch.entity[row]], time: batch.time[row],
          x: batch.x[row], y: batch.y[row], accuracy: value(batch.horizontalAccuracy, row),
          speed: value(batch.speed, row), course: value(batch.course, row)))
      attributes.append(batch.attributes.map { $0[row] })
    }
    fields = batch.fields.isEmpty ? fields : batch.fields
  }

  /// An attribute of a fix by the field's name; null if the field was first seen after the fix.
  func attribute(_ name: String, _ row: Int) -> FieldValue? {
    guard let index = fields.firstIndex(of: name) else { return nil }
    return index < attributes[row].count ? attributes[row][index] : .null
  }
}

extension TemporaryFolder {
  /// Writes bytes to a file and returns the path.
  func write(_ name: String, bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }
}

/// A named pipe that a test writes to while a feed reads it.
final class LivePipe {
  let path: String
  private let file: Int32

  init(_ folder: TemporaryFolder, _ name: String = "pipe") throws {
    path = folder.path(name)
    guard mkfifo(path, 0o600) == 0 else { throw POSIXError(.EIO) }
    // Opened for reading and writing, so that opening does not block.
    file = open(path, O_RDWR)
  }

  func write(_ text: String) {
    var text = text
    let count = text.withUTF8 { Foundation.write(file, $0.baseAddress, $0.count) }
    #expect(count == text.utf8.count)
  }

  /// Closes the pipe for writing, after a reader has opened it.
  func finish() { close(file) }
}
