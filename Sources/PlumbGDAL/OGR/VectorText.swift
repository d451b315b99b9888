import CGDAL
import PlumbCore
import PlumbIO

/// Decodes a string of a feature.
///
/// If a source does not declare an encoding, such as a Shapefile without a `.cpg` file, GDAL
/// returns its bytes unchanged. A string that is not UTF-8 is then decoded with the encoding that
/// the user has set or, without one, as Windows-1252, which has all letters of Latin-1. In the
/// latter case, a warning is added once.
func vectorText(_ bytes: UnsafePointer<CChar>) -> String {
  if let text = String(validatingCString: bytes) { return text }
  if let encoding = TextEncoding.current {
    let text: UnsafeMutablePointer<CChar>? = CPLRecode(bytes, encoding, "UTF-8")
    defer { VSIFree(text) }
    if let text = text.flatMap({ String(validatingCString: $0) }) { return text }
  }
  GDALLibrary.warn(
    "text that is not UTF-8 is read as Windows-1252, because its file declares no encoding; "
      + "if that is wrong, name the encoding")
  var text = ""
  var next = bytes
  while next.pointee != 0 {
    let byte = UInt8(bitPattern: next.pointee)
    let scalar = byte >= 0x80 && byte < 0xA0 ? windowsScalars[Int(byte) - 0x80] : UInt32(byte)
    text.unicodeScalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}")
    next += 1
  }
  return text
}

/// The characters of Windows-1252 for bytes 0x80 to 0x9F, which are control characters in Latin-1.
private let windowsScalars: [UInt32] = [
  0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
  0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
  0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
]
