import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbSources

extension DocumentFile {
  /// Reads a document and returns its root.
  ///
  /// - Throws: if the document as a whole is invalid.
  package static func root(path: String) throws(PlumbError) -> DocumentNode {
    let file = try DocumentFile(startOf: path)
    guard !file.isTruncated else {
      throw PlumbError(
        "\(path.printable): a map document has at most \(sizeLimit >> 20) MB")
    }
    if let fault = file.encodingFault { throw PlumbError("\(path.printable): \(fault)") }
    // The closure returns the error as a value, because closures lose the type of a thrown error.
    let tree = file.bytes.withUnsafeBytes { bytes in
      Result { () throws(FormatError) in try JSONTree(bytes) }
    }
    let root: JSONTree
    switch tree {
    case .success(let tree): root = tree
    case .failure(let error):
      let line = error.offset.map { offset in
        " (line \(1 + file.bytes.prefix(offset).count { $0 == 0x0A }), byte \(offset))"
      }
      throw PlumbError(
        "\(path.printable): \(error.message)\(line ?? "")", context: FailureContext(file: path),
        cause: error)
    }
    let node = DocumentNode(root, document: path.printable)
    do throws(DocumentFault) {
      return try node.object()
    } catch {
      throw PlumbError(error)
    }
  }
}
