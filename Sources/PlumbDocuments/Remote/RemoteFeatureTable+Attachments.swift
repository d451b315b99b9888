import PlumbCore
import PlumbLayers

extension RemoteFeatureTable {
  /// The maximum number of features in a request.
  private static let maximumParents = 100

  /// Returns the attachments of features, read with one `queryAttachments` request for many
  /// features; empty if the layer has no attachments.
  func attachments(of ids: [Int64]) throws -> [Int64: [Attachment]] {
    guard info?.hasAttachments == true else { return [:] }
    var found: [Int64: [Attachment]] = [:]
    for start in stride(from: 0, to: ids.count, by: Self.maximumParents) {
      let part = ids[start..<min(ids.count, start + Self.maximumParents)]
      let root = try session.object(
        at: address.appending("queryAttachments"),
        [
          ("objectIds", part.map(\.description).joined(separator: ","))
        ])
      for group in try root.elements("attachmentGroups") ?? [] {
        let parent = try group.required("parentObjectId", "a whole number").integer()
        for node in try group.elements("attachmentInfos") ?? [] {
          found[parent, default: []].append(try attachment(node, of: parent))
        }
      }
    }
    return found
  }

  private func attachment(
    _ node: DocumentNode, of parent: Int64
  ) throws(DocumentFault) -> Attachment {
    let id = try node.required("id", "a whole number").integer()
    let size = try node.member("size")?.integer()
    // Omits the parameters of the service's address, which may include a token.
    let url = address.appending("\(parent)/attachments/\(id)").text
    return Attachment(
      name: try node.text("name") ?? "\(id)", url: url,
      contentType: try node.text("contentType") ?? "",
      byteCount: size.flatMap { Int(exactly: $0) })
  }
}
