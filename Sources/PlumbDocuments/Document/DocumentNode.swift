import PlumbCore
import PlumbFormats
import PlumbIO
import PlumbLayers

/// An error at a position in a document.
package struct DocumentFault: PlumbFailure {
  /// The message, such as `map.json: operationalLayers[2].minScale: expected a number, found a string`.
  package var messageTemplate: MessageTemplate
  package var remedies: [MessageTemplate] = []
  package var context: FailureContext
  package var code = FailureCode.badInput
  package var cause: (any Error)?

  package var message: String { messageTemplate.description }
  package var description: String { summary }

  /// The fault as an error of its layer.
  var layerError: LayerError { LayerError(code: .badLayer, self) }
}

/// A value in a document, with its position.
///
/// A member that is null counts as missing.
package struct DocumentNode {
  package let tree: JSONTree
  /// The document's name for errors.
  package let document: String
  /// The position, such as `operationalLayers[2].minScale`; empty for the root.
  package let path: String

  package init(_ tree: JSONTree, document: String, path: String = "") {
    self.tree = tree
    self.document = document
    self.path = path
  }

  package func fault(_ message: String) -> DocumentFault {
    DocumentFault(messageTemplate: "\(start)\(message)", context: FailureContext(file: document))
  }

  /// An error at this position.
  package func fault(_ error: any Error) -> DocumentFault {
    let error = PlumbError(error)
    return DocumentFault(
      messageTemplate: "\(start)\(error.messageTemplate)", remedies: error.remedies,
      context: FailureContext(file: document).filled(from: error.context), code: error.code,
      cause: error)
  }

  private var start: String { document + ": " + (path.isEmpty ? "" : path + ": ") }

  private func misfit(_ expected: String) -> DocumentFault {
    fault("expected \(expected), found \(tree.what)")
  }

  private func position(of name: String) -> String { path.isEmpty ? name : path + "." + name }

  // MARK: As a value

  /// Checks that the value is an object.
  @discardableResult
  package func object() throws(DocumentFault) -> DocumentNode {
    guard case .object = tree else { throw misfit("an object") }
    return self
  }

  package func elements() throws(DocumentFault) -> [DocumentNode] {
    guard let elements = tree.elements else { throw misfit("a list") }
    return elements.enumerated().map { index, element in
      DocumentNode(element, document: document, path: path + "[\(index)]")
    }
  }

  package func text() throws(DocumentFault) -> String {
    guard case .text(let text) = tree else { throw misfit("a string") }
    return text
  }

  package func flag() throws(DocumentFault) -> Bool {
    guard case .boolean(let flag) = tree else { throw misfit("true or false") }
    return flag
  }

  /// A finite number.
  package func number() throws(DocumentFault) -> Double {
    switch tree {
    case .integer(let number): return Double(number)
    case .real(let number) where number.isFinite: return number
    case .real: throw fault("expected a number, found one that is too large")
    default: throw misfit("a number")
    }
  }

  /// A non-negative finite number.
  package func size() throws(DocumentFault) -> Double {
    let number = try number()
    guard number >= 0 else { throw fault("expected a number of 0 or more, found \(number)") }
    return number
  }

  package func integer() throws(DocumentFault) -> Int64 {
    switch tree {
    case .integer(let number): return number
    case .real(let number):
      guard let whole = Int64(exactly: number) else {
        throw fault("expected a whole number, found \(number)")
      }
      return whole
    default: throw misfit("a whole number")
    }
  }

  /// A string, or a number as a string.
  package func name() throws(DocumentFault) -> String {
    switch tree {
    case .text(let text): return text
    case .integer, .real: return (try integer()).description
    default: throw misfit("a string")
    }
  }

  // MARK: As an object

  /// - Throws: if the value is not an object.
  package func member(_ name: String) throws(DocumentFault) -> DocumentNode? {
    guard case .object(let members) = tree else { throw misfit("an object") }
    guard let member = members[name] else { return nil }
    if case .null = member { return nil }
    return DocumentNode(member, document: document, path: position(of: name))
  }

  /// The first of several members that is present.
  func firstMember(_ names: String...) throws(DocumentFault) -> DocumentNode? {
    for name in names {
      if let member = try member(name) { return member }
    }
    return nil
  }

  /// - Throws: if the value is not an object, or the member is missing.
  package func required(_ name: String, _ expected: String) throws(DocumentFault) -> DocumentNode {
    if let member = try member(name) { return member }
    throw DocumentNode(.null, document: document, path: position(of: name))
      .fault("expected \(expected), found nothing")
  }

  package func text(_ name: String) throws(DocumentFault) -> String? { try member(name)?.text() }
  package func flag(_ name: String) throws(DocumentFault) -> Bool? { try member(name)?.flag() }
  package func number(_ name: String) throws(DocumentFault) -> Double? {
    try member(name)?.number()
  }
  package func size(_ name: String) throws(DocumentFault) -> Double? { try member(name)?.size() }

  package func elements(_ name: String) throws(DocumentFault) -> [DocumentNode]? {
    try member(name)?.elements()
  }
}
