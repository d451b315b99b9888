/// A file that belongs to a feature.
public struct Attachment: Sendable, Hashable {
  /// The file's name.
  public var name: String
  /// Where it is; no secrets stand in it.
  public var url: String
  /// As `image/jpeg`; empty where the source does not say.
  public var contentType: String
  /// Bytes; nil where the source does not say.
  public var byteCount: Int?

  /// A file by its address.
  public init(name: String, url: String, contentType: String = "", byteCount: Int? = nil) {
    (self.name, self.url) = (name, url)
    (self.contentType, self.byteCount) = (contentType, byteCount)
  }
}
