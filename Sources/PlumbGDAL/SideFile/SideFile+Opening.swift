import CGDAL
import PlumbCore
import PlumbIO

extension SideFile {
  /// The reason why a path must not be opened.
  static func openingFault(_ path: String, _ access: GDALAccess) -> GDALError? {
    if let fault = streamFault(path) { return GDALError(fault) }
    if let fault = VirtualTree.fault(of: path) { return GDALError(fault) }
    guard access.trust != .full, let fault = declarationFault(path, access) else { return nil }
    return .refusal(of: path, fault)
  }

  /// Drivers that use Xerces, which expands entities and fetches documents that a DOCTYPE refers
  /// to.
  private static let resolvingDrivers = ["NAS", "GML", "GMLAS", "Interlis 2"]

  /// The reason why an XML file must not be parsed. Some of GDAL's drivers expand a file until
  /// memory is exhausted, or open other files and URLs that the file refers to.
  private static func declarationFault(_ path: String, _ access: GDALAccess) -> String? {
    // A name such as `GMLAS:file.xml` refers to the file after the colon.
    let name = path.utf8.firstIndex(of: UInt8(ascii: ":")).map { colon in
      String(decoding: path.utf8[colon...].dropFirst(), as: UTF8.self)
    }
    for candidate in [path, name].compactMap(\.self) where !NetworkName.leadsToNetwork(candidate) {
      guard let finding = prologue(of: candidate) else { continue }
      if let fault = finding.fault { return fault }
      if finding.namesDeclarations, isResolved(path, access) {
        return "its DOCTYPE names another document, which may refer to any file"
      }
    }
    return nil
  }

  private static func prologue(of path: String) -> XMLPrologue.Finding? {
    // Standard input is not examined, because GDAL could not read the examined bytes again.
    let isVirtual = path.hasBytes(atStart: "/vsi") && !path.hasBytes(of: "/vsistdin")
    guard isVirtual || kind(of: path) == regularFile, let file = VSIFOpenL(path, "rb") else {
      return nil
    }
    defer { VSIFCloseL(file) }
    return XMLPrologue.look { VSIFReadL($0.baseAddress, 1, $0.count, file) }
  }

  private static func isResolved(_ path: String, _ access: GDALAccess) -> Bool {
    let drivers = resolvingDrivers.filter { access.drivers?.contains($0) ?? true }
    guard !drivers.isEmpty else { return false }
    return identifiedDriver(path, UInt32(GDAL_OF_VECTOR), drivers) != nil
  }
}
