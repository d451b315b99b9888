import PlumbCore
import PlumbGDAL
import PlumbIO
import PlumbRaster

extension Raster {
  /// Opens an asset of the items of STAC documents. Each item is a member with its date.
  ///
  /// - Parameter access: the files and hosts to which the documents may refer.
  static func open(
    _ selection: STACSelection, name: String, _ access: DocumentAccess, _ workers: Workers
  ) throws -> Raster {
    let items = try STACItems(selection, access, workers)
    let hosts = STACAccess(selection.documents, access)
    let neighbours = FolderNames(forMany: true)
    let isRemote = items.assets.contains { if case .address = $0.source { true } else { false } }
    let openers = isRemote ? RemoteRasters.openers(workers) : workers
    let members = try openers.map(items.assets.count) { _, job in
      let asset = items.assets[job]
      do {
        let source = try source(of: asset, hosts, neighbours)
        source.profile.settle()
        return source
      } catch {
        throw STACItems.error(error, asset.place)
      }
    }
    return try Raster(
      name: name, members: members,
      dates: MemberDates(
        document: selection.documents[0].text, dates: items.assets.map(\.date),
        warnings: items.warnings))
  }

  private static func source(
    of asset: STACItems.Asset, _ hosts: STACAccess, _ neighbours: FolderNames
  ) throws -> any TileSource {
    switch asset.source {
    case .address(let url):
      let access = try hosts.raster(url)
      guard let remote = RemotePath(url) else {
        let kind = BucketName(url) == nil ? "the address of a service" : "a pattern"
        throw PlumbError("\(url.printable) is \(kind), not the name of a file")
      }
      return try source(remote) { _ in access }
    case .file(let path, let folder):
      return try source(path: path, neighbours) { try folder.access(toRaster: $0) }
    }
  }

  /// The resources that GDAL may use for a member of a raster that a STAC document lists.
  ///
  /// - Parameter path: the path of the member.
  package static func access(
    toMember path: String, ofDocument document: String, _ access: DocumentAccess
  ) throws -> GDALAccess {
    let isAddress = STACSelection.isAddress(document)
    if STACSelection.isRemote(path) {
      let place: STACSelection.Place = isAddress ? .address(document) : .file(document)
      return try STACAccess([place], access).raster(path)
    }
    return try SourceFolder(ofDocument: document, isRemote: isAddress, access: access)
      .access(toRaster: path)
  }
}
