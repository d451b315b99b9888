import Plumb
import PlumbBatch
import PlumbCore

/// The verb `stack`: writes rasters with dates to a Zarr store for queries of all dates.
package enum Stack {
  /// The options of a stack request.
  package struct Request: Sendable, Equatable {
    /// The stacks, each a file, a pattern or NAME=FILES.
    package var rasters: [String] = []
    /// The patterns or tables with the dates of the files.
    package var dates: [String] = []
    package var grouping: DatedStack.Grouping?
    /// The path of the store.
    package var output: String?
    /// Whether dates are added to an existing store.
    package var appends = false
    /// The size of a chunk in bytes before compression; nil for the default.
    package var chunkBytes: Int?
    package var isScaled = false
    package var threads: Int?
    /// Whether the run can be resumed after it is killed.
    package var resumes = false

    package init() {}

    /// Text that, together with the files, identifies the store; nil if the run cannot be resumed.
    var resumption: String? {
      guard resumes else { return nil }
      var request = self
      request.threads = nil
      return "\(plumbVersion)\n\(request)"
    }
  }
}
