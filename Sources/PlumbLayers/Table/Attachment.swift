/// A file that belongs to a feature.
public struct Attachment: Sendable, Hashable {
  /// The file's name.
  public var name: String
  /// The URL of the file, without secrets such as tokens.
  public var url: String
  /// The media type, such as `image/jpeg`; empty if unknown.
  public var contentType: String
  /// The size in bytes; nil if unknown.
  public var byteCount: Int?

  /// Creates an attachment with its URL.
  public init(name: String, url: String, contentType: String = "", byteCount: Int? = nil) {
    (self.name, self.url) = (name, url)
    (self.contentType, self.byteCount) = (contentType, byteCount)
  }
}
