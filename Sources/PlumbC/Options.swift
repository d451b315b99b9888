import Plumb
import PlumbIO
import PlumbVerbs

extension OptionTable {
  /// Sets the options of a call.
  ///
  /// - Parameter json: a JSON object; nil for no options.
  /// - Throws: if the string is not a JSON object, or for the first invalid member.
  func read(_ json: UnsafePointer<CChar>?, into request: inout Request) throws {
    guard let json = try CText.optional(json, "options") else { return }
    var text = json
    let tree = try text.withUTF8 { bytes in
      do throws(FormatError) {
        return try JSONTree(UnsafeRawBufferPointer(bytes), allowsRepeats: false)
      } catch {
        throw CallError.bad("the options: \(error.summary)")
      }
    }
    guard case .object(let members) = tree else {
      throw CallError.bad("the options are \(tree.what); give an object")
    }
    try read(members, into: &request, by: .library)
  }
}
