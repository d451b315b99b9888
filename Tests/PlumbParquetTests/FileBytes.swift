/// Writes Thrift's compact protocol.
struct ThriftBytes {
  private(set) var bytes: [UInt8] = []
  private var last = 0

  static func varint(_ value: UInt64) -> [UInt8] {
    var (bytes, rest): ([UInt8], UInt64) = ([], value)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  static func zigzag(_ value: Int64) -> [UInt8] {
    varint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  private mutating func head(_ id: Int, _ kind: UInt8) {
    bytes.append(UInt8(id - last) << 4 | kind)
    last = id
  }

  mutating func add(_ id: Int, _ value: Int) {
    head(id, 6)
    bytes += Self.zigzag(Int64(value))
  }

  mutating func add(_ id: Int, _ value: String) {
    head(id, 8)
    bytes += Self.varint(UInt64(value.utf8.count)) + Array(value.utf8)
  }

  mutating func add(_ id: Int, _ value: [UInt8]) {
    head(id, 12)
    bytes += value
  }

  mutating func add(_ id: Int, list: [[UInt8]]) {
    head(id, 9)
    bytes.append(0xFC)
    bytes += Self.varint(UInt64(list.count)) + list.joined()
  }

  /// The bytes of a structure with the fields that `body` adds.
  static func structure(_ body: (inout ThriftBytes) -> Void) -> [UInt8] {
    var thrift = ThriftBytes()
    body(&thrift)
    return thrift.bytes + [0]
  }
}

/// A Parquet file with one column of one page, whose declared sizes can be wrong.
struct FileBytes {
  /// The physical type: 1 for 32-bit integers, 6 for bytes of any length.
  var type = 1
  /// 0 for required, 1 for optional, 2 for repeated.
  var repetition = 0
  var encoding = 0
  var codec = 0
  var rowCount = 3
  var pageValueCount: Int?
  var body: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]
  var packedSize: Int?
  var unpackedSize: Int?
  var checksum: Int?
  var dataOffset: Int?
  var chunkSize: Int?
  var chunkUnpackedSize: Int?
  var dictionary: (count: Int, body: [UInt8])?
  var keyValues: [(String, String)] = []
  var childCount = 1
  var isEncrypted = false

  private var page: [UInt8] {
    ThriftBytes.structure {
      $0.add(1, 0)
      $0.add(2, unpackedSize ?? body.count)
      $0.add(3, packedSize ?? body.count)
      if let checksum { $0.add(4, checksum) }
      $0.add(
        5,
        ThriftBytes.structure {
          $0.add(1, pageValueCount ?? rowCount)
          $0.add(2, encoding)
          $0.add(3, 3)
          $0.add(4, 3)
        })
    } + body
  }

  private var dictionaryPage: [UInt8] {
    guard let dictionary else { return [] }
    return ThriftBytes.structure {
      $0.add(1, 2)
      $0.add(2, dictionary.body.count)
      $0.add(3, dictionary.body.count)
      $0.add(
        7,
        ThriftBytes.structure {
          $0.add(1, dictionary.count)
          $0.add(2, 0)
        })
    } + dictionary.body
  }

  var bytes: [UInt8] {
    let pages = dictionaryPage + page
    let start = 4 + dictionaryPage.count
    let chunk = ThriftBytes.structure {
      $0.add(2, 4)
      $0.add(
        3,
        ThriftBytes.structure {
          $0.add(1, type)
          $0.add(4, codec)
          $0.add(5, rowCount)
          $0.add(6, chunkUnpackedSize ?? pages.count)
          $0.add(7, chunkSize ?? pages.count)
          $0.add(9, dataOffset ?? start)
          if dictionary != nil { $0.add(11, 4) }
        })
    }
    let footer = ThriftBytes.structure {
      $0.add(1, 1)
      $0.add(
        2,
        list: [
          ThriftBytes.structure {
            $0.add(4, "schema")
            $0.add(5, childCount)
          },
          ThriftBytes.structure {
            $0.add(1, type)
            $0.add(3, repetition)
            $0.add(4, "v")
          },
        ])
      $0.add(3, rowCount)
      $0.add(
        4,
        list: [
          ThriftBytes.structure {
            $0.add(1, list: [chunk])
            $0.add(2, pages.count)
            $0.add(3, rowCount)
          }
        ])
      $0.add(
        5,
        list: keyValues.map { pair in
          ThriftBytes.structure {
            $0.add(1, pair.0)
            $0.add(2, pair.1)
          }
        })
      if isEncrypted { $0.add(8, [0]) }
    }
    let size = (0..<4).map { UInt8(truncatingIfNeeded: footer.count >> (8 * $0)) }
    return Array("PAR1".utf8) + pages + footer + size + Array("PAR1".utf8)
  }
}
