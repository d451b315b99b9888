import Plumb
import PlumbCore
import PlumbFormats
import PlumbIO

/// The changes that replacing the fences has made.
struct FenceChanges {
  var same = 0
  var changed = 0
  var new = 0
  var removed = 0
  /// The number of events that the replacement caused at the entities' last locations.
  var events = 0
  /// The id of the last event that the replacement caused.
  var lastEvent: String?
  var warnings: [String] = []

  var json: JSONObject {
    var object = JSONObject()
    object.add("fences", same + changed + new)
    object.add("same", same)
    object.add("changed", changed)
    object.add("new", new)
    object.add("removed", removed)
    object.add("events", events)
    if let lastEvent { object.add("lastEventId", lastEvent) }
    if !warnings.isEmpty { object.add("warnings", texts: warnings) }
    return object
  }
}

extension LiveMonitor {
  /// Replaces the fences. An entity that is inside a fence remains inside the new fence with the
  /// same id. For fences whose shape has changed, each entity's last location is evaluated again.
  /// Entities exit removed fences.
  ///
  /// - Parameter body: the new fences as GeoJSON.
  /// - Throws: if the fences as a whole are invalid. In this case, the monitor keeps its fences.
  func replaceFences(_ body: [UInt8]) throws -> FenceChanges {
    guard definition.plan.rasterFences.isEmpty, definition.plan.fences.count == 1 else {
      throw ServiceError(
        "the monitor has "
          + (definition.plan.rasterFences.isEmpty
            ? "several files of fences" : "regions of a raster")
          + ": only the fences of a single file can be replaced", status: 409, kind: .unsupported)
    }
    let (fences, fields) = try Self.fences(body)
    let set: FenceSet
    do {
      set = try FenceSet(fences, bufferDistance: definition.plan.buffer)
    } catch {
      throw ServiceError(error.message)
    }
    let warnings = Self.warnings(set)
    try WorkCancellation.checkCurrent()
    defer { WorkCancellation.note("the fences were replaced") }
    return try withState { state in
      var changes = FenceChanges()
      guard let notifier = state.notifiers.notifiers.first else { return changes }
      guard try notifier.hasCapacity(for: set) else {
        throw ServiceError(
          "the entities would be inside these fences more than \(limits.stays) times: send fewer "
            + "fences, or fences that overlap less", status: 422, kind: .limit)
      }
      let old = notifier.geotrigger
      let oldByID = Dictionary(old.fences.fences.map { ($0.id, $0) }) { first, _ in first }
      let same = SameFences(old.fenceFields, fields)
      for fence in fences {
        guard let before = oldByID[fence.id] else {
          changes.new += 1
          continue
        }
        if same.areSame(before, fence) { changes.same += 1 } else { changes.changed += 1 }
      }
      changes.removed = old.fences.fences.count - changes.same - changes.changed
      notifier.replace(set, fields: fields, entities: state.entities) { updates in
        changes.events += updates.notifications.count
        changes.lastEvent = append(updates.notifications).map { log.id($0) } ?? changes.lastEvent
      }
      state.counts.events += changes.events
      changes.warnings = warnings
      state.warnings = warnings
      return changes
    }
  }

  private static func fences(_ body: [UInt8]) throws -> (fences: [Fence], fields: [String]) {
    let start = body.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    guard start == UInt8(ascii: "{") else {
      throw ServiceError("the body is not a GeoJSON FeatureCollection")
    }
    guard JSONArrayCount.largest(in: body) <= ServiceLimits.vertices else {
      throw ServiceError(
        "a fence has more than \(ServiceLimits.vertices) vertices", status: 413, kind: .limit)
    }
    let files = try TemporaryFiles()
    let path = try files.write("fences.geojson", body)
    let file: FenceFile
    do {
      file = try FenceFile(path)
    } catch {
      var failure = ServiceError(error)
      failure.code = 400
      if let range = failure.message.firstRange(of: path) {
        failure.message.replaceSubrange(range, with: "the body")
      }
      throw failure
    }
    for fence in file.fences { try EdgeCrossings.check([fence.geometry], "fences") }
    var seen: Set<String> = []
    for fence in file.fences where !seen.insert(fence.id).inserted {
      throw ServiceError("two fences have the id \(fence.id.shown)")
    }
    return (file.fences, file.fields)
  }

  /// Returns the fences as GeoJSON.
  ///
  /// - Parameter isBuffered: whether to return the buffered shapes that locations are compared
  ///   with, instead of the original shapes.
  func fencesJSON(isBuffered: Bool) throws -> [UInt8] {
    let geotriggers = withState { $0.notifiers.notifiers.map(\.geotrigger) }
    var text = TextBuffer()
    text.append("{\"type\":\"FeatureCollection\",\"features\":[")
    var isFirst = true
    for geotrigger in geotriggers {
      for (position, fence) in geotrigger.fences.fences.enumerated() {
        try WorkCancellation.checkCurrent()
        text.append(isFirst ? "\n" : ",\n")
        isFirst = false
        var members: [UInt8] = Array("{\"type\":\"Feature\",\"id\":".utf8)
        // An integer id is written as a number, so that a client that sends the output back
        // replaces the same fence.
        if let number = Int64(fence.id), String(number) == fence.id {
          JSONText.append(number, to: &members)
        } else {
          JSONText.append(fence.id, to: &members)
        }
        members += Array(",\"geometry\":".utf8)
        text.append(contentsOf: members)
        GeoJSONGeometry.append(
          isBuffered
            ? try? geotrigger.fences.geometry(of: position)
            : try? GeometryEngine.project(fence.geometry, to: .wgs84), to: &text)
        members = Array(",\"properties\":{".utf8)
        GeoJSONRowText.append(members: zip(geotrigger.fenceFields, fence.attributes), to: &members)
        members += Array("}}".utf8)
        text.append(contentsOf: members)
      }
    }
    text.append("\n]}\n")
    return Array(text.bytes)
  }
}

/// Compares fences by their shapes, and by their attributes by name.
private struct SameFences {
  private let oldFields: [String]
  private let newFields: [String]

  init(_ oldFields: [String], _ newFields: [String]) {
    (self.oldFields, self.newFields) = (oldFields, newFields)
  }

  func areSame(_ old: Fence, _ new: Fence) -> Bool {
    guard old.name == new.name, old.geometry == new.geometry else { return false }
    if oldFields == newFields {
      return zip(old.attributes, new.attributes).allSatisfy(Self.areSame)
    }
    return named(old, oldFields) == named(new, newFields)
  }

  /// Returns the values by name without nulls. A null equals a missing value, because each feature
  /// has all fields of its file.
  private func named(_ fence: Fence, _ fields: [String]) -> [String: FieldValue] {
    var values: [String: FieldValue] = [:]
    for (name, value) in zip(fields, fence.attributes) where value != .null {
      values[name] = Self.plain(value)
    }
    return values
  }

  private static func areSame(_ a: FieldValue, _ b: FieldValue) -> Bool {
    plain(a) == plain(b)
  }

  /// Converts integers to reals, because the type of a value depends on its column in the file.
  private static func plain(_ value: FieldValue) -> FieldValue {
    if case .integer(let number) = value { .real(Double(number)) } else { value }
  }
}
