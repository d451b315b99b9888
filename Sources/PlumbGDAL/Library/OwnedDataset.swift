import CGDAL

/// A dataset that is closed at most once.
final class OwnedDataset {
  private(set) var handle: GDALDatasetH?

  init(_ handle: GDALDatasetH) { self.handle = handle }

  deinit { close() }

  func close() {
    guard let handle else { return }
    self.handle = nil
    GDALClose(handle)
  }
}
