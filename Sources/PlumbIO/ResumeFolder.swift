import PlumbCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The state of a run that may be killed and resumed: a folder next to the output that contains the
/// output so far and a journal of the completed results.
///
/// The journal is a sequence of records. A record that was not written completely, and all records
/// after it, are ignored. The output is valid up to the size in the last record, so any bytes
/// beyond this size are removed.
package final class ResumeFolder {
  /// The path of the output that is not complete yet.
  package let outputPath: String
  /// The number of rows whose text is in the output, and the size of the output; nil if nothing has
  /// been recorded.
  package private(set) var written: (rows: Int, bytes: Int)?
  /// Whether an earlier run left results.
  package var hasResults: Bool { !records.isEmpty || written != nil }

  private let path: String
  private let journal: Int32
  /// Folders that the run has used.
  private var folders: [String] = []
  private var end: Int
  /// The position of each result in the journal.
  private var records: [UInt64: Range<Int>] = [:]

  private static let identityName = "run"
  private static let journalName = "journal"
  private static let outputName = "output"
  /// The key of the records about the output.
  private static let outputKey = UInt64.max

  /// Opens the folder of a killed run, or creates one.
  ///
  /// - Parameters:
  ///   - target: the path of the output.
  ///   - identity: text that determines the output.
  /// - Throws: if the folder belongs to a run with another identity, is in use, or cannot be written.
  package init(target: String, identity: String) throws {
    path = target + ".resume"
    outputPath = path + "/" + Self.outputName
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError(path.printable) }
    guard FileKind(path: path) == .folder else {
      throw PlumbError("\(path.printable) is not a folder of a killed run; rename it")
    }
    let name = path + "/" + Self.journalName
    journal = open(name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    end = 0
    guard journal >= 0 else { throw SystemError(name.printable) }
    if flock(journal, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw PlumbError("another run is writing \(target.printable)", code: .exists)
    }
    try checkIdentity(identity)
    try readJournal()
  }

  deinit { close(journal) }

  private func checkIdentity(_ identity: String) throws {
    let name = path + "/" + Self.identityName
    let bytes = Array(identity.utf8)
    if let known = try? SmallFile.bytes(of: name, limit: max(1 << 20, 2 * bytes.count)) {
      guard known == bytes else {
        throw PlumbError(
          messageTemplate:
            "\(path.printable) belongs to a run with other options, other files, or another "
            + "version of Plumb: delete it, or omit \(.resume)", code: .exists)
      }
      return
    }
    // A folder without an identity is new, or its run was killed before it recorded any result, so the
    // journal is cleared.
    guard ftruncate(journal, 0) == 0 else { throw SystemError(path.printable) }
    let output = try ByteOutput(path: name + ".new")
    try output.write(bytes)
    guard rename(name + ".new", name) == 0 else { throw SystemError(name.printable) }
  }

  // MARK: The journal

  /// The number of bytes before the content of a record. They contain the key, the size of the
  /// content, a checksum of the key and the size, and a checksum of the content.
  private static let headerSize = 24

  private static func checksum(_ key: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let numbers = [key, UInt64(bytes.count)].withUnsafeBytes { ZlibPacking.checksum($0) }
    return UInt64(numbers) << 32 | UInt64(ZlibPacking.checksum(bytes))
  }

  private func readJournal() throws {
    let size = lseek(journal, 0, SEEK_END)
    guard size >= 0 else { throw SystemError(path.printable) }
    var header = [UInt64](repeating: 0, count: 3)
    var content: [UInt8] = []
    while end + Self.headerSize <= size {
      try header.withUnsafeMutableBytes { try read($0, at: end) }
      let (key, count) = (header[0], header[1])
      guard count <= UInt64(Int(size) - end - Self.headerSize) else { break }
      let start = end + Self.headerSize
      if content.count < Int(count) { content = [UInt8](repeating: 0, count: Int(count)) }
      let isWhole = try content.withUnsafeMutableBytes { bytes in
        let bytes = UnsafeMutableRawBufferPointer(rebasing: bytes[..<Int(count)])
        try read(bytes, at: start)
        return Self.checksum(key, UnsafeRawBufferPointer(bytes)) == header[2]
      }
      guard isWhole else { break }
      end = start + Int(count)
      if key == Self.outputKey {
        guard count == 16 else { break }
        let numbers = content.withUnsafeBytes {
          [
            $0.loadUnaligned(as: Int64.self), $0.loadUnaligned(fromByteOffset: 8, as: Int64.self),
          ]
        }
        written = (Int(numbers[0]), Int(numbers[1]))
      } else {
        records[key] = start..<end
      }
    }
    guard ftruncate(journal, off_t(end)) == 0 else { throw SystemError(path.printable) }
    var facts = stat()
    if let bytes = written?.bytes, stat(outputPath, &facts) != 0 || Int(facts.st_size) < bytes {
      written = nil
    }
  }

  /// Whether the journal has a result.
  package func has(_ key: UInt64) -> Bool { records[key] != nil }

  /// Fills memory with a result.
  ///
  /// - Returns: false if the journal does not have the result, or its size differs from the size of
  ///   the memory.
  package func restore(_ key: UInt64, into memory: [UnsafeMutableRawBufferPointer]) throws -> Bool {
    guard let place = records[key], place.count == memory.reduce(0, { $0 + $1.count }) else {
      return false
    }
    var start = place.lowerBound
    for bytes in memory {
      try read(bytes, at: start)
      start += bytes.count
    }
    return true
  }

  /// Adds a result.
  package func keep(_ memory: [UnsafeMutableRawBufferPointer], as key: UInt64) throws {
    var content: [UInt8] = []
    content.reserveCapacity(memory.reduce(0) { $0 + $1.count })
    for bytes in memory { content += bytes }
    try add(content, as: key)
  }

  /// Records that the text of rows is in the output.
  package func noteWritten(rows: Int, bytes: Int) throws {
    var content: [UInt8] = []
    withUnsafeBytes(of: Int64(rows)) { content += $0 }
    withUnsafeBytes(of: Int64(bytes)) { content += $0 }
    try add(content, as: Self.outputKey)
    written = (rows, bytes)
  }

  private func add(_ content: [UInt8], as key: UInt64) throws {
    let sum = content.withUnsafeBytes { Self.checksum(key, $0) }
    try content.withUnsafeBytes { try write($0, at: end + Self.headerSize) }
    try [key, UInt64(content.count), sum].withUnsafeBytes { try write($0, at: end) }
    let start = end + Self.headerSize
    end = start + content.count
    if key != Self.outputKey { records[key] = start..<end }
  }

  private func read(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    try move(bytes.count) { done in
      pread(journal, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
    try move(bytes.count) { done in
      pwrite(journal, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
    }
  }

  private func move(_ count: Int, _ part: (_ done: Int) -> Int) throws {
    var done = 0
    while done < count {
      let step = part(done)
      if step < 0, errno == EINTR { continue }
      guard step > 0 else { throw SystemError((path + "/" + Self.journalName).printable) }
      done += step
    }
  }

  /// Returns a subfolder of the run's folder, after removing the files that a killed run left in it.
  package func emptyFolder(_ name: String) throws -> String {
    let folder = "\(path)/\(name)"
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SystemError(folder.printable) }
    for name in folderEntries(folder) { unlink("\(folder)/\(name)") }
    folders.append(folder)
    return folder
  }

  // MARK: The end

  /// Moves the output to its final name, and removes the folder.
  package func commit(to target: String) throws {
    guard rename(outputPath, target) == 0 else { throw SystemError(target.printable) }
    for folder in folders { rmdir(folder) }
    for name in [Self.journalName, Self.identityName] { unlink(path + "/" + name) }
    rmdir(path)
  }
}
