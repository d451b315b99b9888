import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Decompresses blocks in the Blosc format with the Blosc library. The library is installed with
/// GDAL and is loaded on first use.
enum BloscDecoder {
  private typealias Decompress =
    @convention(c) (
      UnsafeRawPointer?, UnsafeMutableRawPointer?, Int, CInt
    ) -> CInt
  private typealias Validate =
    @convention(c) (
      UnsafeRawPointer?, Int, UnsafeMutablePointer<Int>?
    ) -> CInt

  private struct Functions {
    var decompress: Decompress
    var validate: Validate
  }

  private static let functions: Functions? = {
    #if canImport(Darwin)
      let name = "libblosc.1.dylib"
    #else
      let name = "libblosc.so.1"
    #endif
    guard let library = ProgramBundle.library(name),
      let decompress = dlsym(library, "blosc_decompress_ctx"),
      let validate = dlsym(library, "blosc_cbuffer_validate")
    else { return nil }
    return Functions(
      decompress: unsafeBitCast(decompress, to: Decompress.self),
      validate: unsafeBitCast(validate, to: Validate.self))
  }()

  /// Whether the library is installed.
  static var isAvailable: Bool { functions != nil }

  /// Decompresses a block on the calling thread.
  ///
  /// - Returns: false if the block is damaged, if it does not fill the output exactly, or if the library is not
  ///   installed.
  static func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let functions, !input.isEmpty else { return false }
    var size = 0
    guard functions.validate(input.baseAddress, input.count, &size) == 0, size == output.count
    else { return false }
    let written = functions.decompress(input.baseAddress, output.baseAddress, output.count, 1)
    return Int(written) == output.count
  }
}
